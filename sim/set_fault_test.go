package sim

import (
	"testing"

	"macemc/choose"
)

// herald tells everybody by set.
type herald struct{ Heard int }

func (h *herald) Init(env Env) {
	for _, p := range env.Peers() {
		env.Set().Send(p, note(1))
	}
}
func (h *herald) Deliver(Env, Addr, Message) { h.Heard++ }
func (h *herald) Handle(Env, Signal)         {}

// While some node is crashed, or there is a partition, the messages of sets are
// counted by who can be reached; before and after, all of them are.
func TestSetUnderFaults(t *testing.T) {
	sys := &System{Name: "heralds", Doc: "Everybody tells everybody.", New: func(Params, Addr) Node { return &herald{} }}
	w, err := NewWorld(sys, Params{}, Config{Faults: Faults{Crash: 2, Partition: 1}})
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
				for k := range w.Enabled() {
					if w.Event(k).Kind == KindMessage {
						messages++
					}
				}
				met[messages]++
				if w.away == 0 && w.cut == nil && messages != 6 {
					t.Fatalf("walk %d: %d messages may be delivered of six", i, messages)
				}
				if w.Step(source) != Stepped {
					return
				}
			}
		})
		if f != nil || w.Err() != nil {
			t.Fatalf("walk %d: %v %v", i, f, w.Err())
		}
	}
	if len(met) < 3 || met[6] == 0 {
		t.Errorf("so many messages could be delivered, so many times: %v", met)
	}
}
