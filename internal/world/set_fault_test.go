package world

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// herald sends a note to every node by set.
type herald struct{ Heard int }

func (h *herald) Init(env sim.Env) {
	for _, p := range env.Peers() {
		env.Set().Send(p, note(1))
	}
}
func (h *herald) Deliver(sim.Env, sim.Addr, sim.Message) { h.Heard++ }
func (h *herald) Handle(sim.Env, sim.Signal)             {}

// TestSetUnderFaults checks that messages of sets count as events only if their receivers can be reached: not
// while a node is crashed or cut off by a partition, and again afterwards.
func TestSetUnderFaults(t *testing.T) {
	sys := &sim.System{Name: "heralds", Doc: "Everybody tells everybody.", New: func(sim.Params, sim.Addr) sim.Node { return &herald{} }}
	w, err := New(sys, sim.Params{}, Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Partition: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	source, met := choose.NewWalk(1), map[int]int{}
	source.Uniform, source.Rare = true, true
	for i := range uint64(50) {
		source.Restart(1, i)
		f := w.Protect(func() {
			w.Start(source)
			for range 30 {
				messages := 0
				for k := range w.Events.Count() {
					if w.Events.At(k).Kind == sim.KindMessage {
						messages++
					}
				}
				met[messages]++
				if w.Environ.away == 0 && w.Environ.cut == nil && messages != 6 {
					t.Fatalf("walk %d: %d messages may be delivered of six", i, messages)
				}
				if w.Step(source) != Stepped {
					return
				}
			}
		})
		if f != nil || w.Run.Err() != nil {
			t.Fatalf("walk %d: %v %v", i, f, w.Run.Err())
		}
	}
	if len(met) < 3 || met[6] == 0 {
		t.Errorf("so many messages could be delivered, so many times: %v", met)
	}
}
