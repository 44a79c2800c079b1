package search

import (
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/sim"
)

// begun returns a walk without faults, of the given number of steps.
func begun(seed uint64, steps int) *walk.Walk {
	s := walk.New(seed)
	s.Begin(walk.Plan{Climate: run.Fair, Length: walk.Length{Least: steps, Most: steps}})
	return s
}

// ended describes the end of a walk.
type ended struct {
	hash  canon.Hash
	steps int
	live  bool
	picks []choose.Pick
}

// recorded is a walk whose path is kept.
type recorded struct {
	*walk.Walk
	record *choose.Record
}

func (s *recorded) Answer(q *choose.Question) int { return s.record.Answer(q) }

// A walk that begins at a saved state takes the same steps as one that repeats the run to that
// state: without faults, and in the middle of a storm, whatever runs were taken in between.
func TestForkIsTheRunTakenAgain(t *testing.T) {
	for i, sys := range catalog.Systems() {
		for _, stormy := range []bool{i%2 == 0, i%2 == 1}[:long.Of(1, 2)] {
			r, err := newRunner(sys, Options{WalkSteps: 150})
			if err != nil {
				t.Fatal(err)
			}
			if r.Always {
				continue // with step properties, every run is repeated from its start
			}
			s := begun(1, 60)
			if stormy {
				if !r.Stormy() {
					continue
				}
				p := r.strategy(nil).Plan(3, s.Plan.Length)
				p.Climate.Heal, p.Length.Most = 1000, 60-p.Judged
				s.Begin(p)
			}
			kept := &recorded{s, choose.NewRecord(s)}
			_, failure, w := r.Run(kept, false)
			if failure != nil {
				t.Fatalf("%s: %s", sys.Name, failure.Message)
			}
			path, c := kept.record.Path(), r.Climate
			if len(path.Steps) != w.Run.Steps() || len(path.Steps) < 3 {
				t.Fatalf("%s: a path of %d steps, of a run of %d", sys.Name, len(path.Steps), w.Run.Steps())
			}
			for round := range long.Of(1, 2) {
				for _, at := range []int{len(path.Steps), 0, len(path.Steps) / 2, 1} {
					k, err := r.ForkAt(path, c, at)
					if err != nil {
						t.Fatal(err)
					}
					if k.At == nil {
						t.Errorf("%s: the state at %d was not saved", sys.Name, at)
					}
					walked := func(careful bool) ended {
						r.Run(begun(uint64(round+at), 30), careful)
						p := r.walkFrom(k, c)
						p.Number, p.Length.Least = uint64(round), 100
						s := walk.New(5)
						s.Begin(p)
						_, failure, w := r.Run(s, careful)
						if failure != nil {
							t.Fatalf("%s, from %d: %s", sys.Name, at, failure.Message)
						}
						return ended{w.State.Hash(), w.Run.Steps(), s.Live, slices.Clone(s.Picks())}
					}
					a, b := walked(false), walked(true)
					if a.hash != b.hash || a.steps != b.steps || a.live != b.live || !slices.Equal(a.picks, b.picks) {
						t.Errorf("%s, stormy %v, from %d: a walk ends after %d steps, live %v, in %s; taken again from the start, after %d, %v, in %s",
							sys.Name, stormy, at, a.steps, a.live, a.hash, b.steps, b.live, b.hash)
					}
					if stormy && at <= c.Heal && a.picks[0] != (choose.Pick{Of: 1}) {
						t.Errorf("%s: a walk from the middle of a storm begins with %+v, not with healing", sys.Name, a.picks[0])
					}
				}
			}
		}
	}
}

// tally counts by a closure that it holds, which is bound to this tally.
type tally struct {
	N   int
	add func() `mc:"-"`
}

func (t *tally) Init(env sim.Env)                       { t.add = func() { t.N++ }; env.Post(struct{}{}) }
func (t *tally) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (t *tally) Handle(env sim.Env, s sim.Signal)       { t.add(); env.Post(s) }

// If nodes hold closures, a fork takes the run again from the start: the closure in a copied
// node would count in the original.
func TestForkOfBoundNodes(t *testing.T) {
	counted := func(n int) func(sim.View[*tally]) bool {
		return func(v sim.View[*tally]) bool {
			for _, node := range v.Nodes() {
				return node.N >= n
			}
			return false
		}
	}
	r, err := newRunner(&sim.System{
		Name: "tally", Doc: "A node counts by a function of its own.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &tally{} },
		Properties: []sim.Property{sim.Eventually("it counts to 40", counted(40))},
	}, Options{WalkSteps: 100})
	if err != nil {
		t.Fatal(err)
	}
	s := begun(1, 10)
	kept := &recorded{s, choose.NewRecord(s)}
	r.Run(kept, false)
	for range 3 {
		k, err := r.ForkAt(kept.record.Path(), run.Fair, 10)
		if err != nil || k.At != nil {
			t.Fatal(k, err)
		}
		p := r.walkFrom(k, run.Fair)
		p.Number = 1
		s := walk.New(1)
		s.Begin(p)
		if _, _, w := r.Run(s, false); !s.Live || w.Run.Steps() != 40 {
			t.Errorf("live %v after %d steps, want after 40", s.Live, w.Run.Steps())
		}
	}
}
