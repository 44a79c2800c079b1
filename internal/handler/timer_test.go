package handler

import (
	"testing"

	"macemc/internal/sight"
	"macemc/sim"
)

// pending answers questions about timers by a Pending, as nodes outside of a simulated world do.
type pending struct {
	Answerer
	all Pending
}

func (p *pending) Timer(s sim.Signal) *sight.Timer { return p.all.Timer(s) }
func (p *pending) Scheduled(t *sight.Timer) bool   { return p.all.Scheduled(t) }
func (p *pending) Handed()                         {}

// TestScheduledAmongManyTimers checks that Scheduled reports a timer of the step, however many timers the step
// schedules before and after: a Step remembers only the latest ones.
func TestScheduledAmongManyTimers(t *testing.T) {
	p := &pending{all: NewPending()}
	var s Step
	s.Init(Config{Params: sim.Params{Nodes: 1}}, p)
	var e Env
	e.Bind(&s, sim.Params{Nodes: 1}.Addrs()[0], nil, false)
	for step := range 3 {
		p.all.Begin()
		s.Begin()
		s.Run(&e, false)
		for k := 3*vettedMost - 1; k >= 0; k-- { // those first that the step before remembered last
			e.After(1, k)
			for i := range 3 * vettedMost {
				if got := e.Scheduled(i); got != (i >= k) {
					t.Fatalf("step %d: after timer %d, timer %d is scheduled: %v", step, k, i, got)
				}
			}
		}
		for k := range 3 * vettedMost {
			if e.Cancel(k); e.Scheduled(k) {
				t.Fatalf("step %d: timer %d is scheduled after it was cancelled", step, k)
			}
		}
		s.End()
	}
}
