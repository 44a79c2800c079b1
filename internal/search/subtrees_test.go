package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

// woods takes the items of an enumeration in this process, by several takers. Some items are taken twice, and the first
// result is dropped, as if it had come too late.
type woods struct {
	t      *testing.T
	takers []*search.Taker
	rand   *rand.Rand
	runs   int   // number of runs after which an item is enough
	leave  []int // numbers of the states to leave out
	items  int   // number of items taken
	alone  bool  // items are taken as by processes of their own
}

func newWoods(t *testing.T, sys *sim.System, opts search.Options, runs int) *woods {
	w := &woods{t: t, rand: rand.New(rand.NewPCG(7, uint64(runs))), runs: runs}
	for range 3 {
		taker, err := search.NewTaker(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		w.takers = append(w.takers, taker)
	}
	return w
}

func (w *woods) Size(int) int                                                            { return 1 }
func (w *woods) Learn(search.Knowledge) error                                            { return nil }
func (w *woods) Take([]search.Span, func() bool, func(search.Spanned) (more bool)) error { return nil }

func (w *woods) Grow(next func(int) ([]byte, bool), came func([]byte) error, stopped func() bool) error {
	const window = 4
	var queue [][]byte
	for !stopped() {
		for len(queue) < window {
			item, is := next(window)
			if !is {
				break
			}
			queue = append(queue, item)
		}
		if len(queue) == 0 {
			return nil
		}
		k := w.rand.IntN(len(queue))
		item := queue[k]
		queue = append(queue[:k], queue[k+1:]...)
		w.items++
		if w.rand.IntN(4) == 0 { // a zombie, whose result comes too late
			w.take(item)
		}
		result, kept := w.take(item)
		if err := came(result); err != nil {
			return err
		}
		kept()
	}
	return nil
}

func (w *woods) take(item []byte) (result []byte, kept func()) {
	taker := w.takers[w.rand.IntN(len(w.takers))]
	var err error
	if w.alone {
		result, err = taker.EnumerateAlone(item, w.leave, func(int) {})
		kept = func() {}
	} else {
		n := 0
		result, kept, err = taker.Enumerate(item, func() bool { n++; return n > w.runs })
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return result, kept
}

// TestSubtrees: if other processes take the items of an enumeration, it has the result of an enumeration by one
// process: with visited states and without, to a bound and to the end, with a failure and without.
func TestSubtrees(t *testing.T) {
	type subject struct {
		system string
		bugs   []string
		opts   search.Options
	}
	some := []subject{
		{"commit", nil, search.Options{Depth: long.Of(6, 7)}},
		{"commit", nil, search.Options{Depth: 4, Visited: search.VisitedOff}},
		{"peterson", nil, search.Options{Depth: 200}},
		{"brokentree", []string{"BT1"}, search.Options{Depth: 6}},
		{"peterson", []string{"PE2"}, search.Options{Depth: 14}},
		{"simtcp", nil, search.Options{Depth: 5, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}}},
		{"commit", []string{"CM1"}, search.Options{Depth: 6, Visited: search.VisitedOff}},
		{"randtree", nil, search.Options{Depth: 5}},
	}
	for _, s := range some[:long.Of(5, len(some))] {
		sys, err := known.System(catalog.Systems(), s.system)
		if err != nil {
			t.Fatal(err)
		}
		if s.opts.Params, err = sys.Configure(0, nil, s.bugs); err != nil {
			t.Fatal(err)
		}
		s.opts.Engine, s.opts.NoWalks, s.opts.Workers = search.EngineReference, true, 1
		want, err := search.Search(sys, s.opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, runs := range []int{50, 3, 0, 100_000}[:long.Of(2, 4)] {
			w := newWoods(t, sys, s.opts, runs)
			w.alone = runs == 50
			opts := s.opts
			opts.Afar = w
			got, err := search.Search(sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s %v to depth %d, %d runs in each of %d items", s.system, s.bugs, s.opts.Depth, runs, w.items)
			if want.Finding != nil || got.Finding != nil {
				if want.Finding == nil || got.Finding == nil {
					t.Errorf("%s: found %v; one process: %v", what, got.Finding, want.Finding)
				} else if w, g := want.Finding, got.Finding; w.Verdict != g.Verdict || w.Property != g.Property || w.Step != g.Step {
					t.Errorf("%s: %s of %q at step %d; one process: %s of %q at step %d", what, g.Verdict, g.Property, g.Step, w.Verdict, w.Property, w.Step)
				}
				continue
			}
			type counts struct {
				states, transitions, depth int
				safety                     search.Safety
				stop                       search.Stop
			}
			of := func(r *search.Result) counts {
				return counts{r.Stats.States, r.Stats.Transitions, r.Stats.Depth, r.Safety, r.Stop}
			}
			if of(want) != of(got) {
				t.Errorf("%s: %+v; one process: %+v", what, of(got), of(want))
			}
			if s.opts.Visited == search.VisitedOff && (want.Stats.Paths > got.Stats.Paths || want.Stats.Executed != got.Stats.Executed || want.Stats.Duplicates != got.Stats.Duplicates) {
				t.Errorf("%s: %d paths, %d steps; one process: %d, %d", what, got.Stats.Paths, got.Stats.Executed, want.Stats.Paths, want.Stats.Executed)
			}
		}
	}
}
