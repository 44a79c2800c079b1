package critical_test

import (
	"fmt"
	"strings"
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

// latecomer ticks for ever. At each tick it may be saved or its door may shut, with equal chances. After the
// door has shut, it is seldom saved, and only in the next tick.
type latecomer struct {
	Ticks, Since int
	Shut, Saved  bool
}

func (l *latecomer) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (*latecomer) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (l *latecomer) Handle(env sim.Env, _ sim.Signal) {
	env.After(time.Second, tick{})
	l.Ticks++
	switch {
	case l.Saved:
	case !l.Shut:
		switch env.Choose(3, "go on") {
		case 1:
			l.Shut = true
		case 2:
			l.Saved = true
		}
	case l.Since == 0:
		l.Since++
		l.Saved = env.Weighted([]int{29, 1}, "be late") == 1
	}
}

// shutFirst answers every question but the second with its first side.
type shutFirst struct{ asked int }

func (*shutFirst) Err() error { return choose.ErrEnd }
func (s *shutFirst) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin {
		if s.asked++; s.asked == 2 {
			return 1
		}
	}
	return 0
}

func latecomers() *sim.System {
	return &sim.System{
		Name: "late", Doc: "A node is late.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &latecomer{} },
		Properties: []sim.Property{sim.Eventually("saved", func(v sim.View[*latecomer]) bool {
			for _, l := range v.Nodes() {
				return l.Saved
			}
			return false
		})},
	}
}

// ends returns a run of the given number of steps, as a finding that calls the run dead.
func ends(t *testing.T, sys *sim.System, choices choose.Source, steps int) *search.Finding {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	record := choose.NewRecord(choices)
	w.Protect(func() {
		for w.Start(record); w.Run.Steps() < steps && w.Step(record) == world.Stepped; {
		}
	})
	return calledDead(sys, w.Params(), record.Path(), steps)
}

// calledDead returns a path as a finding that calls its run dead.
func calledDead(sys *sim.System, params sim.Params, path *choose.Path, steps int) *search.Finding {
	path.Header = search.Describe(sys, params)
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictDead.String())
	return &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictDead, Step: steps}, Path: path}
}

// TestRevived: few walks may lead to a wrong critical step. If a walk that looks for the nearest live run takes
// this step and becomes live, the critical step is moved. So the nearest live run never takes the critical
// step.
func TestRevived(t *testing.T) {
	sys := latecomers()
	for seed := range long.Of(80, 400) {
		f := ends(t, sys, &shutFirst{}, 6)
		f.Path.Set("seed", fmt.Sprint(seed+1))
		opts := critical.Options{Exhaust: -1, Search: search.Options{Workers: 1, EvidenceWalks: 2, WalkSteps: 30, MaxWalkSteps: 30}}
		compared := 0
		opts.Progress = func(p critical.Progress) {
			if p.Doing == critical.DoingCompare {
				if compared++; p.High != p.Low+1 || p.Of != f.Step {
					t.Errorf("seed %d: live runs are compared: %+v", seed+1, p)
				}
			}
		}
		r, err := critical.Find(sys, f, opts)
		if err != nil {
			t.Fatal(err)
		}
		if r.Finding.Critical == nil {
			t.Fatalf("seed %d: there is no critical step", seed+1)
		}
		if checkParting(t, fmt.Sprint("seed ", seed+1), r.Finding); r.Finding.Live != nil && compared == 0 {
			t.Errorf("seed %d: it was not told that live runs are compared", seed+1)
		}
		if live := r.Finding.Live; live != nil {
			if at, _ := live.Path.Get("critical"); at != r.Finding.Critical.Header() {
				t.Errorf("seed %d: the live run says of the critical step %q, want %q", seed+1, at, r.Finding.Critical.Header())
			}
		}
	}
}

// TestRefuted: few walks may lead to a wrong critical step. If one of the many walks that confirm the shortened run recovers
// from the state after this step, the critical step is located again. So the run never ends in a state that is known to recover.
func TestRefuted(t *testing.T) {
	sys, early := latecomers(), 0
	for seed := range 200 {
		f := ends(t, sys, &shutFirst{}, 6)
		f.Path.Set("seed", fmt.Sprint(seed+1))
		opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{Workers: 1, EvidenceWalks: 6, WalkSteps: 30, MaxWalkSteps: 30}}
		r, err := critical.Explain(sys, f, opts, true)
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Finding.Critical; c == nil {
			t.Errorf("seed %d: there is no critical step", seed+1)
		} else if !strings.HasPrefix(r.Finding.Path.Steps[c.Step-1].Coins[0].What, "be late") { // the door shuts, and a walk of thirty is saved yet
			early++
		}
	}
	if early > 30 {
		t.Errorf("%d of 200 runs end before the last escape, want at most 30: 38 do if the step is never looked for again", early)
	}
}

// TestRefutedHasEffort: if the critical step is located again, there is additional effort for that.
func TestRefutedHasEffort(t *testing.T) {
	sys, stopped := latecomers(), 0
	for seed := range 200 {
		f := ends(t, sys, &shutFirst{}, 6)
		f.Path.Set("seed", fmt.Sprint(seed+1))
		opts := critical.Options{Exhaust: -1, NoLive: true, Effort: 4_000, Search: search.Options{Workers: 1, EvidenceWalks: 6, WalkSteps: 30, MaxWalkSteps: 30}}
		r, err := critical.Explain(sys, f, opts, true)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped {
			stopped++
		}
	}
	if stopped > 128 {
		t.Errorf("the effort for %d of 200 runs ends before all is decided, want at most 128: it ends for 135 if nothing is added", stopped)
	}
}

// TestShrinkKeepsTheWayOut: the walk by which the finding's run recovered from before its critical step is tried for the shorter
// runs, too, since their own few walks seldom recover there.
func TestShrinkKeepsTheWayOut(t *testing.T) {
	sys, steps := latecomers(), 0
	for seed := range 100 {
		f := ends(t, sys, &shutFirst{asked: -6}, 12)
		f.Path.Set("seed", fmt.Sprint(seed+1))
		opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{Workers: 1, EvidenceWalks: 12, WalkSteps: 30, MaxWalkSteps: 30}}
		r, err := critical.Explain(sys, f, opts, true)
		if err != nil {
			t.Fatal(err)
		}
		steps += len(r.Finding.Path.Steps)
	}
	if steps > 600 {
		t.Errorf("%d steps are left of 100 runs, want at most 600: 686 are left without the walk", steps)
	}
}

// TestStopWhereItIsMoved: if the work is stopped after a critical step was decided, the result has a critical
// step, even if the step is just being moved.
func TestStopWhereItIsMoved(t *testing.T) {
	sys := latecomers()
	for _, seed := range []string{"125", "209", "243"} { // whose critical step is moved
		decided := false
		for after, stopped := 1, true; stopped; after++ {
			f, asked := ends(t, sys, &shutFirst{}, 6), 0
			f.Path.Set("seed", seed)
			opts := critical.Options{Exhaust: -1, Search: search.Options{Workers: 1, EvidenceWalks: 2, WalkSteps: 30, MaxWalkSteps: 30}}
			opts.Search.Stop = func() search.Stop {
				if asked++; asked > after {
					return search.StopTime
				}
				return ""
			}
			r, err := critical.Find(sys, f, opts)
			if err != nil {
				t.Fatal(err)
			}
			if stopped = r.Stopped; decided && r.Finding.Critical == nil {
				t.Fatalf("seed %s: stopped when it had asked %d times, it forgets the critical step, which it knew before", seed, after)
			}
			decided = r.Finding.Critical != nil
		}
		if !decided {
			t.Errorf("seed %s: no critical step", seed)
		}
	}
}

// slipper is dead after its second tick, and slips in some later tick, which violates another property.
type slipper struct{ Ticks, Slips int }

func (l *slipper) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (*slipper) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (l *slipper) Handle(env sim.Env, _ sim.Signal) {
	env.After(time.Second, tick{})
	l.Ticks++
	if l.Ticks > 2 && env.Weighted([]int{39, 1}, "slip") == 1 {
		l.Slips++
	}
}

// Other failures that walks meet while a dead run is made shorter are reported, each kind once.
func TestShrinkingMeetsOthers(t *testing.T) {
	sys := &sim.System{
		Name: "slips", Doc: "A node slips.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &slipper{} },
		Properties: []sim.Property{
			sim.Eventually("fresh", func(v sim.View[*slipper]) bool {
				for _, l := range v.Nodes() {
					return l.Ticks < 2
				}
				return false
			}),
			sim.Always("no slip", func(v sim.View[*slipper]) bool {
				for _, l := range v.Nodes() {
					return l.Slips == 0
				}
				return true
			}),
		},
	}
	f := ends(t, sys, &shutFirst{asked: 2}, 9)
	opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{Workers: 1, WalkSteps: 60, MaxWalkSteps: 60}}
	f.Critical = find(t, sys, f, opts).Critical
	r, err := critical.Shrink(sys, f, opts)
	if err != nil || len(r.Finding.Path.Steps) != 2 {
		t.Fatal(err, r)
	}
	if len(r.Others) != 1 || r.Others[0].Verdict != trace.VerdictSafety || r.Others[0].Property != "no slip" {
		t.Errorf("met besides: %v", r.Others)
	}
	// in the walks from the run that is found, and from shorter ones
	whole, err := critical.Explain(sys, ends(t, sys, &shutFirst{asked: 2}, 9), opts, true)
	if err != nil || len(whole.Others) != 2 || whole.Others[0].Property != "no slip" {
		t.Errorf("%v: met besides: %v", err, whole.Others)
	}
}
