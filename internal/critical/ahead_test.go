package critical_test

import (
	"testing"
	"time"

	"macemc/sim"
)

// scribe answers a question by a task or, if it is not ready, by two: it saves first. The property is violated when
// the answer comes.
type scribe struct {
	Ready, Wrong bool
	Ticks        int
}

type (
	opens    struct{}
	inquire  struct{}
	inquiry  struct{}
	prepared struct{}
	saves    struct{}
	sends    struct{}
	response struct{}
)

func (s *scribe) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (s *scribe) Handle(env sim.Env, signal sim.Signal) {
	switch signal.(type) {
	case tick: // so that walks have something else to do
		s.Ticks++
		env.After(time.Second, tick{})
	case opens:
		env.UDP().Send(env.Peers()[0], opens{})
	case inquire:
		env.UDP().Send(env.Peers()[0], inquiry{})
	case saves:
		env.Post(sends{})
	case sends:
		env.UDP().Send(env.Peers()[0], response{})
	}
}

func (s *scribe) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	switch m.(type) {
	case opens:
		env.UDP().Send(env.Peers()[0], prepared{})
	case prepared:
		s.Ready = true
	case inquiry:
		if s.Ready {
			env.Post(sends{})
		} else {
			env.Post(saves{})
		}
	case response:
		s.Wrong = true
	}
}

// TestShrinkAddsTasks: steps can be removed even if the remaining run needs one more task without them. Shortcuts
// cannot do this here, since no walk asks the question, which is rare.
func TestShrinkAddsTasks(t *testing.T) {
	sys := &sim.System{
		Name: "scribes", Doc: "A node asks another one, which saves before it answers.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return new(scribe) },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{inquire{}}
			}
			return []sim.Signal{opens{}}
		},
		Weight: func(e sim.Event) float64 {
			if _, is := e.Value.(inquire); is {
				return 1e-9
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("nobody is wrong", func(v sim.View[*scribe]) bool {
			for _, s := range v.Nodes() {
				if s.Wrong {
					return false
				}
			}
			return true
		})},
	}
	moves(t, sys, 5, []string{
		"n1 script opens{}", "n0 message opens{} from n1 by udp", "n1 message prepared{} from n0 by udp", "n0 script inquire{}", "n1 message inquiry{} from n0 by udp",
		"n1 task sends{}", "n0 message response{} from n1 by udp",
	})
}
