package critical_test

import (
	"fmt"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// drifter ticks for ever and counts its ticks, so no two of its states are equal and nothing
// can be exhausted. A chance of n means that the event happens in one of n ticks; 0 means
// never.
type drifter struct {
	Ticks, Level int
	Shut, Safe   bool
	chances
}

type chances struct {
	Escape int // to be safe for ever, before the door is shut and after it
	Shuts  int // the door; the level does not rise before it is shut. 0 means that it is shut at the start
	Late   int // to be safe for ever, in the tick after the door shut
}

const flood = 8

func (d *drifter) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (d *drifter) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (d *drifter) Handle(env sim.Env, _ sim.Signal) {
	env.After(time.Second, tick{})
	d.Ticks++
	once := func(in int, why string) bool { return in > 0 && env.Weighted([]int{in - 1, 1}, why) == 1 }
	switch {
	case d.Safe || once(d.Escape, "escape"):
		d.Safe = true
	case !d.Shut && d.Shuts > 0:
		d.Shut = once(d.Shuts, "shut")
	case d.Level == 0 && once(d.Late, "be late"):
		d.Safe = true
	default:
		d.Level++
	}
}

func drift(c chances) *sim.System {
	return &sim.System{
		Name: "drift", Doc: "A node drifts.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &drifter{chances: c} },
		Properties: []sim.Property{sim.Always("no flood", func(v sim.View[*drifter]) bool {
			for _, d := range v.Nodes() {
				return d.Level < flood
			}
			return true
		})},
	}
}

// drifts answers every coin with its first side, except the coin "shut" when it is asked for the
// shut-th time.
type drifts struct{ shut int }

func (d *drifts) Err() error { return choose.ErrEnd }
func (d *drifts) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin && q.Alternatives.Why() == "shut" {
		if d.shut--; d.shut == 0 {
			return 1
		}
	}
	return 0
}

// flooded returns a run that fails, and in which the door shuts at step shut, or never if shut is 0.
func flooded(t *testing.T, sys *sim.System, shut int, seed uint64) *search.Finding {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	record := choose.NewRecord(&drifts{shut})
	failure := w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	if failure == nil {
		t.Fatal("it does not fail")
	}
	path := record.Path()
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", fmt.Sprint(seed))
	path.Add("verdict", trace.VerdictSafety.String())
	path.Add("critical", "1") // of somebody who thought so
	return &search.Finding{Failure: *failure, Path: path}
}

// TestAvoided: if about the same share of walks avoids a failure, wherever in the run they begin, no
// critical step is reported. If clearly fewer walks avoid it after a step than before, that step is
// reported, with both shares.
func TestAvoided(t *testing.T) {
	for _, c := range []struct {
		name  string
		how   chances
		shut  int
		step  int // the critical step; 0 if none may be reported
		after int // walks from after it that may go on, at most
	}{
		{"seldom", chances{Escape: 300}, 0, 0, 240},
		{"more seldom", chances{Escape: 5_000}, 0, 0, 240},
		{"never", chances{}, 0, 0, 0},
		{"shut", chances{Shuts: 400}, 4, 4, 0},
		{"shut, with a way out", chances{Shuts: 800, Late: 6}, 4, 4, 75},
		{"shut late", chances{Shuts: 400, Escape: 100}, 300, 300, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, opts := drift(c.how), critical.Options{Search: search.Options{Workers: 1}}
			if c.how == (chances{}) {
				opts.Exhaust = -1 // it would be decided
			}
			seeds := uint64(long.Of(1, 20))
			for seed := uint64(1); seed <= seeds; seed++ {
				r, err := critical.Find(sys, flooded(t, sys, c.shut, seed), opts)
				if err != nil {
					t.Fatal(err)
				}
				f := r.Finding
				a := f.Avoided
				if a == nil || a.Walks != 240 || a.WalkSteps != 200 || a.Clear != (f.Critical != nil) {
					t.Fatalf("seed %d: critical is %+v, avoided %+v", seed, f.Critical, a)
				}
				at, told := f.Path.Get("critical")
				if c.step == 0 {
					if f.Critical != nil || told {
						t.Errorf("seed %d: critical is %+v (the path says %q), avoided %+v", seed, f.Critical, at, a)
					}
					continue
				}
				if f.Critical == nil || f.Critical.Step != c.step || f.Critical.Exact || at != fmt.Sprint(c.step) || a.Step != c.step {
					t.Fatalf("seed %d: critical is %+v (the path says %q), avoided %+v", seed, f.Critical, at, a)
				}
				if a.After > c.after || a.Before < 80 || a.Chance >= 0.01 {
					t.Errorf("seed %d: avoided %+v", seed, a)
				}
				checkParting(t, c.name, f)
				if f.Live == nil || f.Live.From != c.step-1 {
					t.Errorf("seed %d: the run that goes on: %+v", seed, f.Live)
				}
			}
		})
	}
}
