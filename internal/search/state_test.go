package search

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/sim"
)

// shelf is a Store in memory. It ends the search after the number of states in left.
type shelf struct {
	whole []byte
	added [][]byte
	fresh bool // the next state is kept as a whole
	left  int  // states to keep before the search is to stop; -1 means no limit
	each  int  // one state is kept for this number of lots
	lots  int
}

func (s *shelf) Kept() ([]byte, [][]byte) { return s.whole, s.added }
func (s *shelf) Due() (due, whole bool)   { s.lots++; return s.lots%s.each == 0, s.fresh }
func (s *shelf) Keep(b []byte) error {
	s.whole, s.added, s.fresh = bytes.Clone(b), nil, false
	s.left--
	return nil
}
func (s *shelf) Add(b []byte) error {
	s.added = append(s.added, bytes.Clone(b))
	s.left--
	return nil
}

func (s *shelf) stop() Stop {
	if s.left == 0 {
		return StopInterrupted
	}
	return ""
}

// told returns the parts of a result that do not depend on time and memory.
func told(t *testing.T, r *Result) map[string]any {
	t.Helper()
	out := map[string]any{
		"safety": r.Safety, "liveness": r.Liveness, "stop": r.Stop, "cut": r.Cut, "stats": r.Stats, "never": r.Never,
		"slack": r.Slack, "held": r.Held, "alike": r.Alike, "repeated": r.Repeated, "overflow": r.Overflow,
	}
	for _, f := range r.Findings {
		var text bytes.Buffer
		if _, err := f.Path.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		out["path "+f.Verdict.String()+f.Property] = text.String()
	}
	for _, m := range r.Charts {
		for s := range m.States {
			for e := range m.Events {
				out["pair "+m.Name+m.States[s]+m.Events[e]] = m.Times(s, e)
			}
		}
	}
	return out
}

// TestGoesOnFromWhatWasKept: a search that is stopped again and again, and resumed from its stored state,
// has the result of an uninterrupted one: the path of the finding, all counts, and the list of events
// that never happened.
func TestGoesOnFromWhatWasKept(t *testing.T) {
	type of struct {
		name string
		opts Options
	}
	cases := []of{
		{"randtree", Options{Walks: long.Of(400, 1200), Effort: 500, late: 1, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1, Reset: 1}}}},
		{"commit", Options{Walks: long.Of(500, 1500), Effort: 500}},
	}
	cases = cases[long.Of(1, 0):] // commit by default
	entries, err := known.Find(catalog.Bugs(), []string{"RT27", "RT14", "RS1", "RT13", "RT22"}[:long.Of(1, 5)])
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		p, faults, err := e.Configure(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, of{e.System.Name, Options{Params: p, Conditions: sim.Conditions{Faults: faults}, Effort: 300, late: 1, Walks: 4000}})
	}
	for _, c := range cases {
		sys, err := known.System(catalog.Systems(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		if c.opts.Params.Nodes == 0 {
			if c.opts.Params, err = sys.Configure(0, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		c.opts.Workers, c.opts.once = 2, !*long.On
		want, err := Search(sys, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range []int{7, 97}[:long.Of(1, 2)] {
			s, parts := &shelf{each: each}, 0
			var got *Result
			for got == nil || got.Stop == StopInterrupted {
				s.left, s.fresh = []int{3, 20, 2, 80}[parts%4], parts%3 == 2
				opts := c.opts
				opts.Store, opts.Stop, opts.Workers = s, s.stop, 1+parts%2
				if parts++; parts > 100 {
					s.left = -1
				}
				if got, err = Search(sys, opts); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(told(t, want), told(t, got)); diff != "" {
				t.Errorf("%s %v, in %d parts: another result (-whole +in parts):\n%s", c.name, c.opts.Params.Bugs(), parts, diff)
			}
			if !slices.Contains([]Stop{StopFound, StopPaths, StopDone}, got.Stop) || parts < 2 {
				t.Errorf("%s: the search ended by %s after %d parts", c.name, got.Stop, parts)
			}
			t.Logf("%s %v: %d walks, %d kept, stop %s, %d parts, %d bytes", c.name, c.opts.Params.Bugs(), got.Stats.Walks, got.Stats.Kept, got.Stop, parts, len(s.whole))
		}
	}
}
