package search_test

import (
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/search"
	"macemc/sim"
)

// local visits the states of shards in this process. After each group it forgets the shard, so that it is
// held by its records from then on.
type local struct {
	t       *testing.T
	remotes []*search.Remote
	states  [][][]byte // by shard, those of the next level
	records [][][]byte
	turn    int
}

func newLocal(t *testing.T, c config, shards int) *local {
	l := &local{t: t, states: make([][][]byte, shards), records: make([][][]byte, shards)}
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
func (l *local) Shards() int                                                             { return len(l.states) }
func (l *local) Synced() bool                                                            { return true }

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
			if err := r.Take(b); err != nil {
				return false, "", err
			}
			record, batches, err := r.Finish(expand)
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

type config = struct {
	name string
	sys  *sim.System
	opts search.Options
}

// A search in shards comes to what one process comes to, for each system of the catalogue to a small depth,
// and for its bugs.
func TestShards(t *testing.T) {
	for _, sys := range catalog.Systems() {
		bugs := []string{""}
		for _, b := range sys.Bugs {
			bugs = append(bugs, string(b.ID))
		}
		for _, bug := range bugs[:long.Of(min(2, len(bugs)), len(bugs))] {
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

// What cannot be done in shards is refused. What may be left undone is not done, and the result says why.
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
