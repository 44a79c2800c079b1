package handler

import (
	"slices"
	"time"

	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// Pending has the scheduled timers and the posted tasks of a node that runs by a clock, and not in a simulated
// world. A machine embeds it to implement the methods of Answerer about timers.
type Pending struct {
	Timers map[sim.Signal]time.Time // the scheduled timers, and the times when they fire
	Tasks  []sim.Signal             // the posted tasks, unordered
	known  map[sim.Signal]*sight.Timer
}

// NewPending returns a Pending without timers and tasks.
func NewPending() Pending {
	return Pending{Timers: map[sim.Signal]time.Time{}, known: map[sim.Signal]*sight.Timer{}}
}

// Begin begins a step: it forgets the sight.Timers that the previous step has made. The timers stay scheduled.
func (p *Pending) Begin() { clear(p.known) }

// Settle carries out the effect e if it schedules or cancels a timer, or posts a task. A timer fires after its
// duration, multiplied by pace, counted from now.
func (p *Pending) Settle(e *trace.Effect, now time.Time, pace float64) {
	switch e.Kind {
	case trace.EffectAfter:
		p.Timers[e.Value] = now.Add(time.Duration(float64(e.Delay) * pace))
	case trace.EffectCancel:
		delete(p.Timers, e.Value)
	case trace.EffectPost:
		p.Tasks = append(p.Tasks, e.Value)
	}
}

// Fire removes a timer from the scheduled ones. It is called when the timer fires.
func (p *Pending) Fire(timer sim.Signal) { delete(p.Timers, timer) }

// Task removes a task and returns it. pick chooses its index below n, the number of tasks. ok is false if there
// are no tasks.
func (p *Pending) Task(pick func(n int) int) (task sim.Signal, ok bool) {
	if len(p.Tasks) == 0 {
		return nil, false
	}
	k := pick(len(p.Tasks))
	task = p.Tasks[k]
	p.Tasks = slices.Delete(p.Tasks, k, k+1)
	return task, true
}

func (p *Pending) Timer(s sim.Signal) *sight.Timer {
	t, is := p.known[s]
	if !is {
		t = &sight.Timer{Signal: s}
		p.known[s] = t
	}
	return t
}

func (p *Pending) Scheduled(t *sight.Timer) bool {
	_, is := p.Timers[t.Signal]
	return is
}

func (p *Pending) Handed()                         {}
func (p *Pending) Due(time.Duration) macetime.Time { return macetime.Time{} }
