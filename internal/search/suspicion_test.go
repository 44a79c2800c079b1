package search

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/sim"
	"macemc/trace"
)

// sleeper may fall asleep at its third step, for a while or for ever.
type sleeper struct {
	Age, Side int
	sides     int `mc:"-"`
}

func (*sleeper) Init(sim.Env)                           {}
func (*sleeper) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*sleeper) Offers(offer func(sim.Signal))          { offer(year{}) }
func (s *sleeper) Handle(env sim.Env, _ sim.Signal) {
	if s.Age++; s.Age == 3 {
		s.Side = env.Choose(s.sides, "side")
	}
}

func sleepers(sides int, awake func(*sleeper) bool) *sim.System {
	return &sim.System{
		Name: "sleepers", Doc: "A node that falls asleep.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &sleeper{sides: sides} },
		Properties: []sim.Property{sim.Eventually("it is awake", func(v sim.View[*sleeper]) bool {
			for _, s := range v.Nodes() {
				return s.Age >= 3 && awake(s)
			}
			return true
		})},
	}
}

// TestLooksEarly: a dead walk is found long before walks are suspected, and walks that are only slow
// raise no false alarm, with any number of workers. The node's age grows without end, so no state
// repeats and liveness cannot be decided exactly.
func TestLooksEarly(t *testing.T) {
	for _, c := range []struct {
		name    string
		sides   int
		awake   func(*sleeper) bool
		walks   int
		opts    Options
		longest int // steps of the path that is found, at most; 0 means that nothing is found
	}{
		{"dead", 2, func(s *sleeper) bool { return s.Side == 0 }, 20, Options{}, 600},
		{"dead, some slow", 3_000, func(s *sleeper) bool { return s.Side != 7 && (s.Side%50 != 9 || s.Age >= 700) }, 8_000, Options{}, 600},
		{"slow", 2, func(s *sleeper) bool { return s.Side == 0 || s.Age >= 700 }, 300, Options{}, 0},
		{"slower", 2, func(s *sleeper) bool { return s.Side == 0 || s.Age >= 4_000 }, 60, Options{}, 0},
		{"steps are told", 2, func(s *sleeper) bool { return s.Side == 0 || s.Age >= 700 }, 100, Options{WalkSteps: 900}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !*long.On && (c.name != "dead") {
				t.Skip("-long")
			}
			one := ""
			counts := []int{1}
			if c.walks > 1_000 { // else one takes them
				counts = append(counts, 3)
			}
			for _, workers := range counts {
				c.opts.Depth, c.opts.Walks, c.opts.Workers = 1, c.walks, workers
				c.opts.EvidenceWalks, c.opts.MaxWalkSteps = 6, long.Of(2_000, 10_000)
				res := search(t, sleepers(c.sides, c.awake), 0, nil, c.opts)
				said := fmt.Sprintf("%+v %+v, stopped: %s", res.Stats, res.Liveness, res.Stop)
				if f := res.Finding; (f != nil) != (c.longest > 0) {
					t.Fatalf("found is %+v", f)
				} else if f != nil {
					if f.Verdict != trace.VerdictDead || len(f.Path.Steps) > c.longest {
						t.Errorf("found is a %s of %d steps", f.Verdict, len(f.Path.Steps))
					}
					if f.Critical == nil || f.Critical.Step != 3 {
						t.Errorf("its critical step is %+v", f.Critical)
					}
					said += fmt.Sprint(run.Picks(f.Path))
				} else if res.Stats.Suspects > 0 {
					t.Errorf("%d suspects", res.Stats.Suspects)
				}
				if one == "" {
					one = said
				}
				if said != one {
					t.Errorf("%d workers: %s\none: %s", workers, said, one)
				}
			}
		})
	}
}

// A suspect that was only slow is not taken again with every check on, which costs as much as the walk
// itself, or more.
func TestFalseAlarmsAreNotConfirmed(t *testing.T) {
	taken := 0
	sys := sleepers(2, func(s *sleeper) bool { taken++; return s.Side == 0 || s.Age >= 700 })
	r := search(t, sys, 0, nil, Options{Depth: 1, Paths: 60, WalkSteps: 500, MaxWalkSteps: 501, Workers: 1, once: true})
	if r.Finding != nil || r.Stats.Judging == 0 || taken > r.Stats.Steps*5/4 {
		t.Errorf("found is %+v; of %d steps %d judge suspects, and there were states of %d steps", r.Finding, r.Stats.Steps, r.Stats.Judging, taken)
	}
}

// waverer goes round, and may become awake at each turn.
type waverer struct {
	At    int
	Awake bool
}

func (*waverer) Init(sim.Env)                           {}
func (*waverer) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*waverer) Offers(offer func(sim.Signal))          { offer(year{}) }
func (w *waverer) Handle(env sim.Env, _ sim.Signal) {
	w.At = (w.At + 1) % 5
	w.Awake = w.Awake || env.Choose(300, "wake") == 7
}

// TestSuspectsShareWhatIsKnown: if a suspect ends in a state from which another suspect has recovered,
// it is a false alarm, and no step is taken to find that out.
func TestSuspectsShareWhatIsKnown(t *testing.T) {
	sys := &sim.System{
		Name: "waverers", Doc: "A node that wakes up some day.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &waverer{} },
		Properties: []sim.Property{sim.Eventually("it is awake", func(v sim.View[*waverer]) bool {
			n, _ := v.At(v.Params().Addr(0))
			return n.Awake
		})},
	}
	r := search(t, sys, 0, nil, Options{Depth: 1, Paths: 100, WalkSteps: 50, MaxWalkSteps: 51, Workers: 1, once: true})
	if r.Finding != nil || r.Stats.Suspects < 20 || r.Stats.Judging > r.Stats.Suspects*50 {
		t.Errorf("found is %+v; judging %d suspects took %d steps", r.Finding, r.Stats.Suspects, r.Stats.Judging)
	}
}
