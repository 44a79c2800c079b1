package world

import (
	"reflect"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/sim"
)

// TestGlancesAreLooks checks, in random walks of random services with all kinds of faults, that Glances
// returns the same facts as looking at each event, and that two Glances have the same Type exactly if their
// values do.
func TestGlancesAreLooks(t *testing.T) {
	kinds := map[sim.Kind]int{}
	words, types := map[uintptr]reflect.Type{}, map[reflect.Type]uintptr{}
	for seed := range uint64(long.Of(150, 5000)) {
		sys, c := random(seed)
		w, err := New(sys, sim.Params{}, c)
		if err != nil {
			t.Fatal(err)
		}
		walk := choose.NewWalk(seed)
		walk.Rare, walk.Uniform = true, true
		f := w.Protect(func() {
			w.Start(walk)
			for range 30 {
				n, last := w.Events.Count(), 0
				for k := range n {
					g, e := w.Events.Glance(k), w.Events.Look(k)
					kinds[e.Kind]++
					of := reflect.TypeOf(e.Value)
					if q, is := e.Value.(sim.Quorum); is {
						of = reflect.TypeOf(q[0].Message)
					}
					if was, known := words[g.Type]; known && was != of {
						t.Fatalf("seed %d: a %v has the word of a %v", seed, of, was)
					}
					if was, known := types[of]; known && was != g.Type {
						t.Fatalf("seed %d: a %v has two words", seed, of)
					}
					words[g.Type], types[of] = of, g.Type
					_, cause := w.Events.Caused(k)
					want := Glance{g.Type, int32(cause), uint8(e.Node.Index() + 1), uint8(e.From.Index() + 1), e.Kind, e.Link}
					if g != want {
						t.Fatalf("seed %d: event %d is %+v, want %+v", seed, k, g, want)
					}
					if !e.Kind.Fault() {
						last = k + 1
					}
				}
				one, few := w.Events.Glances(nil, true), w.Events.Glances(nil, false)
				for k, g := range one {
					if g != w.Events.Glance(k) {
						t.Fatalf("seed %d: glance %d is %+v, want %+v", seed, k, g, w.Events.Glance(k))
					}
				}
				untimed := slices.IndexFunc(one, func(g Glance) bool { return g.Kind == sim.KindTimer })
				if untimed < 0 {
					untimed = len(one)
				}
				if len(one) != last || !slices.Equal(few, one[:untimed]) {
					t.Fatalf("seed %d: of %d events before faults are glances of %d, and without timers of %d", seed, last, len(one), len(few))
				}
				if n == 0 || w.Step(walk) != Stepped || w.Judge.Check() != nil {
					return
				}
			}
		})
		if unexpected(f) {
			t.Fatalf("seed %d: %+v", seed, f)
		}
	}
	for _, k := range []sim.Kind{sim.KindMessage, sim.KindTask, sim.KindTimer, sim.KindRestart, sim.KindMend, sim.KindResume, sim.KindError, sim.KindCrash, sim.KindAction} {
		if kinds[k] == 0 {
			t.Errorf("there was no %s", k)
		}
	}
}

// TestRunsAreWeights checks, in random walks of random services, that each event has the weight of its kind,
// and that all faults are in one run of equal weight.
func TestRunsAreWeights(t *testing.T) {
	several := 0
	for seed := range uint64(long.Of(150, 2000)) {
		sys, c := random(seed)
		w, err := New(sys, sim.Params{}, c)
		if err != nil {
			t.Fatal(err)
		}
		walk := choose.NewWalk(seed)
		walk.Rare, walk.Uniform = true, true
		f := w.Protect(func() {
			w.Start(walk)
			for range 30 {
				n, k := w.Events.Count(), 0
				for i, r := range w.Events.runs {
					for range r.N {
						e := w.Events.At(k)
						want := e.Kind.Weight()
						if sys.Weight != nil {
							want *= sys.Weight(e)
						}
						if r.Weight != want {
							t.Fatalf("seed %d: event %d, %v, has the weight %v, want %v", seed, k, e, r.Weight, want)
						}
						if e.Kind.Fault() && i < len(w.Events.runs)-1 && sys.Weight == nil && !w.Events.filtered() {
							t.Fatalf("seed %d: event %d, %v, is not in the last run of %v", seed, k, e, w.Events.runs)
						}
						if k++; e.Kind.Fault() && r.N > 1 {
							several++
						}
					}
				}
				if k != n {
					t.Fatalf("seed %d: the runs %v have %d events of %d", seed, w.Events.runs, k, n)
				}
				if w.Step(walk) != Stepped {
					return
				}
			}
		})
		if unexpected(f) {
			t.Fatalf("seed %d: %+v", seed, f)
		}
	}
	if several == 0 {
		t.Error("no run had several faults")
	}
}
