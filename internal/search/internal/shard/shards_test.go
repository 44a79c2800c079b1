package shard_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

// local is a search.Shards that visits the states of shards in this process. Before each group, a shard is
// dropped and held again from its records, as if the processes took turns.
type local struct {
	t       *testing.T
	remotes []*search.Remote
	another func() (*search.Remote, error) // makes a Remote for groups that a process of its own visits
	states  [][][]byte                     // by shard: the batches of the next level
	records [][][]byte                     // by shard: its records
	turn    int                            // number of groups so far
	leaves  map[int]bool                   // by level: the first state of each group is left out
}

func newLocal(t *testing.T, c config, shards int) *local {
	l := &local{t: t, states: make([][][]byte, shards), records: make([][][]byte, shards)}
	l.another = search.NewRemotes(c.sys, c.opts, shards)
	for _, goroutines := range []int{2, 1} { // of two processes
		another := search.NewRemotes(c.sys, c.opts, shards)
		for range goroutines {
			r, err := another()
			if err != nil {
				t.Fatal(err)
			}
			l.remotes = append(l.remotes, r)
		}
	}
	return l
}

func (l *local) Size(int) int                                                            { return 1 }
func (l *local) Learn(search.Knowledge) error                                            { return nil }
func (l *local) Take([]search.Span, func() bool, func(search.Spanned) (more bool)) error { return nil }
func (l *local) Grow(func(int) ([]byte, bool), func([]byte) error, func() bool) error {
	panic("no runs")
}
func (l *local) Shards() int  { return len(l.states) }
func (l *local) Synced() bool { return true }

func (l *local) Open(starts [][][]byte) (int, bool, error) {
	l.states = starts
	return 0, true, nil
}

func (l *local) Visit(level int, _ func() bool, came func([][]byte) (bool, error)) (some bool, _ search.Stop, err error) {
	now := l.states
	l.states = make([][][]byte, len(now))
	last := make([][]byte, len(now))
	for k := range now {
		if n := len(l.records[k]); n > 0 {
			last[k] = l.records[k][n-1]
		}
	}
	expand, err := came(last)
	for k, batches := range now {
		for _, b := range batches {
			if err != nil {
				return false, "", err
			}
			l.turn++
			r := l.remotes[l.turn%len(l.remotes)]
			if err := r.Hold(k, l.records[k]); err != nil {
				return false, "", err
			}
			r.Begin(k, level)
			record, batches, err := l.group(r, b, level, expand)
			if err != nil {
				return false, "", err
			}
			if err := r.Stored(l.t.Context()); err != nil {
				return false, "", err
			}
			r.Drop(k)
			l.records[k], last[k] = append(l.records[k], record), record
			for to, all := range batches {
				l.states[to] = append(l.states[to], all...)
				some = some || len(all) > 0
			}
			if expand, err = came(last); err != nil {
				return false, "", err
			}
		}
	}
	return some, "", err
}

// group visits the states of a batch. Every third group, and those of which a state is left out, are visited
// by another Remote, one state after another.
func (l *local) group(r *search.Remote, b []byte, level int, expand bool) (record []byte, batches [][][]byte, err error) {
	if l.turn%3 > 0 && !l.leaves[level] {
		if err := r.Take(b); err != nil {
			return nil, nil, err
		}
		return r.Finish(expand)
	}
	if err := r.Aside(b); err != nil {
		return nil, nil, err
	}
	states := r.Len()
	group, err := r.Group(expand)
	if err != nil {
		return nil, nil, err
	}
	alone, err := l.another()
	if err != nil {
		return nil, nil, err
	}
	defer alone.Close()
	begun := map[int]int{}
	var leave []int
	if _, err := alone.Alone(group, nil, func(state int) { begun[state]++ }); err != nil {
		return nil, nil, err
	}
	if len(begun) != states {
		l.t.Errorf("%d states of a group were begun, of %d", len(begun), states)
	}
	if l.leaves[level] && states > 0 {
		leave = []int{slices.Min(slices.Collect(maps.Keys(begun)))}
		clear(begun)
	}
	came, err := alone.Alone(group, leave, func(state int) { begun[state]++ })
	if err != nil {
		return nil, nil, err
	}
	for _, state := range leave {
		if begun[state] > 0 {
			l.t.Errorf("state %d was begun, though it is left out", state)
		}
	}
	return r.Join(came)
}

type config = struct {
	name string
	sys  *sim.System
	opts search.Options
}

// TestShards: a search in shards has the result of a search by one process, for each system of the catalogue,
// with its bugs and without, to a small depth.
func TestShards(t *testing.T) {
	for n, sys := range catalog.Systems() {
		if !*long.On && n%2 == 0 || testing.Short() && n%12 != 1 { // the race detector takes a few
			continue
		}
		bugs := []string{""}
		for _, b := range sys.Bugs {
			bugs = append(bugs, string(b.ID))
		}
		if !*long.On { // one of the first two, by turns
			bugs = bugs[n/2%min(2, len(bugs)):][:1]
		}
		for _, bug := range bugs {
			var on []string
			if bug != "" {
				on = []string{bug}
			}
			p, err := sys.Configure(0, nil, on)
			if err != nil {
				t.Fatal(err)
			}
			c := config{sys.Name + " " + bug, sys, search.Options{Params: p, Depth: long.Of(3, 5), NoWalks: true, Workers: 1}}
			want, err := search.Search(c.sys, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			opts := c.opts
			opts.Afar = newLocal(t, c, 3)
			got, err := search.Search(c.sys, opts)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			comesToTheSame(t, c.name, want, got)
		}
	}
}

// States that are left out are counted, and listed with the runs that lead to them; the search is incomplete,
// and no finding rests on them.
func TestLeftOut(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const stop = search.StopQuarantined
	for _, depth := range []int{5, 200}[:long.Of(1, 2)] {
		c := config{"", sys, search.Options{Params: p, Depth: depth, NoWalks: true, Workers: 1}}
		whole, err := search.Search(c.sys, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		l := newLocal(t, c, 2)
		l.leaves = map[int]bool{3: true}
		c.opts.Afar = l
		got, err := search.Search(c.sys, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Stop != stop || got.Cut != stop || got.Safety.State != search.StateIncomplete || got.Left == 0 || len(got.LeftAt) != min(got.Left, 16) {
			t.Errorf("depth %d: stop %s, cut %s, safety %+v, %d states are left out, %d listed", depth, got.Stop, got.Cut, got.Safety, got.Left, len(got.LeftAt))
		}
		for _, one := range got.LeftAt {
			if len(one.Steps) != 3 {
				t.Errorf("depth %d: a state is left out after %d steps", depth, len(one.Steps))
			}
			if _, err := search.Replay(got.System, one.Path, search.Options{}); err != nil {
				t.Error(err)
			}
		}
		if got.Stats.States > whole.Stats.States || got.Stats.Transitions >= whole.Stats.Transitions {
			t.Errorf("depth %d: %d states and %d transitions, of %d and %d", depth, got.Stats.States, got.Stats.Transitions, whole.Stats.States, whole.Stats.Transitions)
		}
	}
}

func comesToTheSame(t *testing.T, name string, want, got *search.Result) {
	t.Helper()
	if want.Finding == nil && got.Finding == nil {
		w, g := want.Stats, got.Stats
		if w.States != g.States || w.Transitions != g.Transitions || w.Duplicates != g.Duplicates || w.Depth != g.Depth || want.Safety != got.Safety || want.Stop != got.Stop {
			t.Errorf("%s: %d states, %d transitions, %d to known ones, depth %d, %+v, %s; one process: %d, %d, %d, %d, %+v, %s", name,
				g.States, g.Transitions, g.Duplicates, g.Depth, got.Safety, got.Stop, w.States, w.Transitions, w.Duplicates, w.Depth, want.Safety, want.Stop)
		}
		return
	}
	if want.Finding == nil || got.Finding == nil {
		t.Errorf("%s: found %v; one process: %v", name, got.Finding, want.Finding)
		return
	}
	if w, g := want.Finding, got.Finding; w.Verdict != g.Verdict || w.Step != g.Step {
		t.Errorf("%s: %s of %q at step %d; one process: %s of %q at step %d", name, g.Verdict, g.Property, g.Step, w.Verdict, w.Property, w.Step)
	}
	if _, err := search.Replay(got.System, got.Finding.Path, search.Options{}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestShardsFromAnOldLevel: if a search is resumed at an earlier level than that of its records, it returns an
// error, since its depths would be wrong.
func TestShardsFromAnOldLevel(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := config{"", sys, search.Options{Params: p, Depth: 5, NoWalks: true, Workers: 1}}
	l := newLocal(t, c, 2)
	c.opts.Afar = l
	if _, err := search.Search(c.sys, c.opts); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[int]string{5: "", 4: "is of level 5, and the search is at level 4"} {
		c.opts.Afar = &older{l, from}
		if _, err := search.Search(c.sys, c.opts); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("from level %d: %v", from, err)
		}
	}
}

// older is a local whose search is resumed at the given level.
type older struct {
	*local
	level int
}

func (l *older) Open([][][]byte) (int, bool, error) { return l.level, true, nil }

// TestShardsRefuse: options with which states cannot be visited in shards are errors. With ReduceAuto, the
// search takes all steps and visits all states, and its result says why.
func TestShardsRefuse(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, opts := range map[string]search.Options{
		"Options.Engine reference":    {Engine: search.EngineReference},
		"Options.Reduce stubborn":     {Reduce: search.ReduceStubborn},
		"Options.Findings 2":          {Findings: 2},
		"Options.Visited fingerprint": {Visited: search.VisitedFingerprint},
	} {
		opts.Params, opts.Afar = p, newLocal(t, config{"", sys, search.Options{Params: p}}, 2)
		if _, err := search.Search(sys, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	opts := search.Options{Params: p, Depth: 2, NoWalks: true, Reduce: search.ReduceAuto, Symmetry: search.ReduceAuto}
	opts.Afar = newLocal(t, config{"", sys, search.Options{Params: p}}, 2)
	got, err := search.Search(sys, opts)
	if err != nil || !strings.Contains(got.Stats.Unreduced, "in shards") || !strings.Contains(got.Stats.Asymmetric, "in shards") {
		t.Errorf("with auto: %v, %+v", err, got)
	}
}
