package reliable

import (
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// bare is the sender as a node without states, for comparison: docs/machines.md shows it.
type bare struct {
	receiver sim.Addr
	waiting  bool
	queue    []send
	last     packet
}

var bares = sim.Handle(sim.OnSignal((*bare).send), sim.OnSignal((*bare).retry), sim.OnMessage((*bare).ack))

func (s *bare) send(env sim.Env, m send) {
	if s.waiting {
		s.queue = append(s.queue, m)
		return
	}
	s.waiting, s.last = true, packet{s.last.Number + 1, m.Value}
	env.Emit(Sent(m))
	s.retry(env, retry{})
}

func (s *bare) retry(env sim.Env, _ retry) {
	env.UDP().Send(s.receiver, s.last)
	env.After(time.Second, retry{})
}

func (s *bare) ack(env sim.Env, _ sim.Addr, m ack) {
	if !s.waiting || m.Number != s.last.Number {
		return
	}
	s.waiting = false
	env.Cancel(retry{})
	if len(s.queue) > 0 {
		m := s.queue[0]
		if s.queue = s.queue[1:]; len(s.queue) == 0 {
			s.queue = nil
		}
		s.send(env, m)
	}
}

// bareReceiver is the receiver as a node without states.
type bareReceiver struct{ last map[sim.Addr]int }

var bareReceivers = sim.Handle(sim.OnMessage((*bareReceiver).packet))

func (r *bareReceiver) packet(env sim.Env, from sim.Addr, m packet) {
	env.UDP().Send(from, ack{m.Number})
	if m.Number > r.last[from] {
		r.last[from] = m.Number
		env.Emit(Delivered{from, m.Value})
	}
}

// bareSystem returns System with such nodes.
func bareSystem() *sim.System {
	sys := *System
	sys.Bugs, sys.Properties = nil, sys.Properties[:1]
	sys.New = func(p sim.Params, self sim.Addr) sim.Node {
		if self == p.Addr(0) {
			return bareReceivers.Node(&bareReceiver{last: map[sim.Addr]int{}})
		}
		return bares.Node(&bare{receiver: p.Addr(0)})
	}
	return &sys
}

// The spaces of machines and of bare nodes are equally large, since each state of one has a counterpart in the
// other.
func TestBare(t *testing.T) {
	var counts [2]search.Stats
	for k, sys := range []*sim.System{System, bareSystem()} {
		sys := *sys
		sys.Properties = sys.Properties[:1]
		res, err := search.Search(&sys, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Loss: 1, Dup: 1}}, Effort: 1 << 40, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil || res.Safety.State != search.StateExhausted {
			t.Fatalf("%s, %v", res.Safety.State, res.Finding)
		}
		counts[k] = res.Stats
	}
	if a, b := counts[0], counts[1]; a.States != b.States || a.Transitions != b.Transitions {
		t.Errorf("%d states and %d transitions of machines, %d and %d of bare nodes", a.States, a.Transitions, b.States, b.Transitions)
	}
}

// BenchmarkStep compares a step of the machines with one of bare nodes, in walks that are judged.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name string
		sys  *sim.System
	}{{"bare", bareSystem()}, {"machine", System}} {
		b.Run(c.name, func(b *testing.B) {
			sys := *c.sys
			sys.Properties = append(sys.Properties[:1:1], sim.Eventually("never", func(v sim.View[sim.Node]) bool { return v.Len() < 0 }))
			params, err := sys.Configure(0, []string{"values=20"}, nil)
			if err != nil {
				b.Fatal(err)
			}
			w, err := world.New(&sys, params, world.Config{Sprint: true, Conditions: sim.Conditions{Faults: &sim.Faults{Loss: 5, Dup: 5}}})
			if err != nil {
				b.Fatal(err)
			}
			src := choose.NewWalk(1)
			b.ReportAllocs()
			cpu := search.Processor()
			failure := w.Protect(func() {
				w.Start(src)
				for range b.N {
					if w.Step(src) != world.Stepped {
						w.Start(src)
					}
					if w.Judge.Check() == nil {
						w.Judge.Live()
					}
				}
			})
			if failure != nil {
				b.Fatal(failure)
			}
			b.ReportMetric(float64(search.Processor()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}
