package critical_test

import (
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// looker asks another node again and again. The answer is wrong if the question was asked after
// the other node's report had come.
type looker struct {
	Other sim.Addr // the other node
	Told  bool
	Wrong bool
}

type (
	look   struct{}
	report struct{}
	told   struct{}
	asked  struct{ After bool }
	answer struct{ After bool }
)

func (l *looker) Init(sim.Env) {}

func (l *looker) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case look:
		env.UDP().Send(l.Other, asked{l.Told})
	case report:
		env.UDP().Send(l.Other, told{})
	}
}

func (l *looker) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case told:
		l.Told = true
	case asked:
		env.UDP().Send(from, answer(m))
	case answer:
		l.Wrong = m.After
		env.After(time.Second, look{})
	}
}

func lookers() *sim.System {
	return &sim.System{
		Name: "lookers", Doc: "A node asks, and the other one reports.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return &looker{Other: p.Addr(1 - self.Index())}
		},
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{look{}}
			}
			return []sim.Signal{report{}}
		},
		Weight: func(e sim.Event) float64 { // no walk meets the failure by chance
			switch e.Value.(type) {
			case report, told:
				return 1e-9
			default:
				return 1
			}
		},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*looker]) bool {
			for _, l := range v.Nodes() {
				if l.Wrong {
					return false
				}
			}
			return true
		})},
	}
}

// A request that came too early, so that it had to be repeated, is moved behind what it needs. No step of
// such a run can be taken out.
func TestShrinkMovesSteps(t *testing.T) {
	sys := lookers()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var steps []choose.Step
	for _, what := range []string{
		"n0 script look{}", "n1 message asked{After: false} from n0 by udp", "n0 message answer{After: false} from n1 by udp",
		"n1 script report{}", "n0 message told{} from n1 by udp",
		"n0 timer look{}", "n1 message asked{After: true} from n0 by udp", "n0 message answer{After: true} from n1 by udp",
	} {
		steps = append(steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}})
	}
	record := choose.NewRecord(choose.NewFollow(nil, steps))
	w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	failure, path := w.Run.Failed(), record.Path()
	if failure == nil || len(path.Steps) != len(steps) {
		t.Fatalf("%+v after %+v", failure, path.Steps)
	}
	path.Header = search.Describe(sys, w.Params(), nil)
	path.Add("seed", "1")
	path.Add("verdict", failure.Verdict.String())
	r, err := critical.Shrink(sys, &search.Finding{Failure: *failure, Path: path}, critical.Options{})
	if err != nil || r.Stopped {
		t.Fatal(err, r)
	}
	if left := r.Finding.Path.Steps; len(left) != 5 {
		t.Errorf("left are %+v", left)
	}
}
