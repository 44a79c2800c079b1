package search

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/sim"
)

// restless is a store that keeps the state of the search at each level. Its method stop interrupts
// the search at the call number left.
type restless struct {
	shelf
	left   int
	halted bool
}

func (s *restless) stop() Stop {
	s.left--
	if s.halted = s.halted || s.left == 0; s.halted {
		return StopInterrupted
	}
	return ""
}

func (s *restless) Due() (due, whole bool) {
	return true, s.fresh || len(s.whole) == 0 && len(s.added) == 0
}

// An exhaustive phase that is interrupted several times, and continued each time from the levels
// that were kept, has the same states, transitions, verdicts and path as an uninterrupted one.
func TestLevelsGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	bug := func(id sim.BugID) (string, Options) {
		e, err := known.Find(catalog.Bugs(), []string{string(id)})
		if err != nil {
			t.Fatal(err)
		}
		p, faults, err := e[0].Configure(id)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Params: p}
		opts.Faults = faults
		return e[0].System.Name, opts
	}
	for n, c := range []struct {
		name string
		opts Options
		bug  sim.BugID
	}{
		{"commit", Options{}, ""},
		{"commit", Options{Engine: EngineLocal, Visited: VisitedFingerprint}, ""},
		{"randtree", Options{Depth: long.Of(6, 7), NoWalks: true}, ""},
		{"", Options{}, "RT27"},
		{"simtcp", Options{Workers: 2, team: 64, NoWalks: true}, ""},
		{"lease", Options{Depth: 6}, ""},
	}[:long.Of(3, 6)] {
		if c.bug != "" {
			name, opts := bug(c.bug)
			c.name, opts.Workers, opts.team = name, c.opts.Workers, c.opts.team
			c.opts = opts
		}
		sys, err := known.System(catalog.Systems(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		if c.opts.Params.Nodes == 0 {
			if c.opts.Params, err = sys.Configure(0, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if c.opts.Workers == 0 {
			c.opts.Workers = 1
		}
		want, err := Search(sys, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		for range long.Of(1, 4) {
			s, parts := &restless{}, 0
			var got *Result
			for got == nil || s.halted {
				s.halted, s.left = false, 1+r.IntN(20<<min(parts, 16))
				opts := c.opts
				opts.Store, opts.Stop = s, s.stop
				s.fresh = parts%3 == 2
				if parts++; parts > 40 {
					s.left = -1
				}
				if got, err = Search(sys, opts); err != nil {
					t.Fatal(err)
				}
			}
			holdsCounts(t, want, got, c.opts.team != 0)
			if parts < 2 || !slices.Contains([]Stop{StopFound, StopPaths, StopDone, StopDepth}, got.Stop) {
				t.Errorf("%s: the search ended by %s after %d parts", c.name, got.Stop, parts)
			}
			t.Logf("%d %s: %d states, depth %d, %d parts, stop %s, verdict %s", n, c.name, got.Stats.States, got.Stats.Depth, parts, got.Stop, got.Verdict())
		}
	}
}

// holdsCounts reports the differences between the results of an uninterrupted and a continued search. It ignores
// the counts of steps and handler runs, which include repeated ones. With several workers, it also ignores how many
// steps were audited, which depends on chance.
func holdsCounts(t *testing.T, want, got *Result, several bool) {
	t.Helper()
	a, b := told(t, want), told(t, got)
	for _, of := range []map[string]any{a, b} {
		s := of["stats"].(Stats)
		s.Steps, s.HandlerRuns = 0, 0
		if several {
			s.Audited, s.Compared = 0, 0
		}
		of["stats"] = s
		for name, n := range of {
			if strings.HasPrefix(name, "pair ") {
				of[name] = n != 0
			}
		}
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s: another result (-whole +in parts):\n%s", want.System.Name, diff)
	}
}

// A search is not continued from levels whose steps lead to other states than were recorded.
func TestDamagedLevels(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, damage := range map[string]func(*keptLevels){
		"another sum":        func(k *keptLevels) { k.Levels[2].Sum.Hi++ },
		"another start":      func(k *keptLevels) { k.Starts.Sum.Lo++ },
		"a state more":       func(k *keptLevels) { k.Levels[1].N++ },
		"a state less":       func(k *keptLevels) { k.Levels[1].N-- },
		"another event":      func(k *keptLevels) { k.Levels[3].Steps[1]++ },
		"an event of none":   func(k *keptLevels) { k.Levels[3].Steps[1] = 120 },
		"another parent":     func(k *keptLevels) { k.Levels[3].Steps[0] = 126 },
		"steps that end":     func(k *keptLevels) { k.Levels[3].Steps = k.Levels[3].Steps[:4] },
		"a level is missing": func(k *keptLevels) { k.Levels = append(k.Levels[:1:1], k.Levels[2:]...) },
	} {
		s := &restless{left: 60}
		if _, err := Search(sys, Options{Params: p, Workers: 1, Store: s, Stop: s.stop}); err != nil {
			t.Fatal(err)
		}
		k, err := keptInLevels(s.whole, s.added)
		if err != nil || k == nil || len(k.Levels.Levels) < 4 {
			t.Fatalf("%v: no levels were kept", err)
		}
		damage(k.Levels)
		if s.whole, err = json.Marshal(k); err != nil {
			t.Fatal(err)
		}
		s.added, s.left, s.halted = nil, -1, false
		if r, err := Search(sys, Options{Params: p, Workers: 1, Store: s}); !errors.Is(err, explore.ErrRebuild) {
			t.Errorf("%s: error %v, and result %v", what, err, r != nil)
		}
	}
}
