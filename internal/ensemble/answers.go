package ensemble

import (
	"fmt"
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// A machine runs the handlers of one node in a world of programs. It answers the questions that they
// ask of their Env (see handler.Answerer): draws of the run answer random choices, and the clock is
// that of the bubble.
type machine struct {
	n       *node
	node    sim.Node
	step    handler.Step
	envs    handler.Envs
	guards  handler.Guards
	times   *canon.Finder
	began   time.Time
	counted uint64
	handler.Pending
	disk *disk.Disk
}

// newMachine returns a machine for the node n, whose earlier lives have left these writes on its disk.
func newMachine(n *node, writes []disk.Write) *machine {
	walker, err := contract.Walker(n.Sys)
	if err != nil {
		panic(err)
	}
	m := &machine{n: n, node: n.Sys.New(n.Params, n.self), times: sight.Times(walker), began: time.Now(), Pending: handler.NewPending()}
	m.guards = handler.GuardsOf(m.node)
	m.step.Init(handler.Config{System: n.Sys, Params: n.Params, Text: walker.Text, Tracing: true, Strict: true}, m)
	m.envs.Bind(&m.step, n.self, slices.DeleteFunc(n.Params.Addrs(), func(a sim.Addr) bool { return a == n.self }))
	for _, w := range writes {
		m.keep(w)
	}
	return m
}

// run runs the handler of an event, and returns its effects. An event of kind 0 stands for
// Init. run panics if the handler fails.
func (m *machine) run(e *sim.Event) []trace.Effect {
	m.step.Begin()
	m.Begin()
	start := e.Kind == 0
	m.step.Run(m.envs.Next(start || e.Kind == sim.KindRestart), true)
	if start {
		m.step.Start(m.node)
	} else {
		m.step.Dispatch(m.node, e)
	}
	m.step.End()
	effects := m.step.Effects()
	for i := range effects {
		m.Settle(&effects[i], time.Now(), 1)
	}
	return effects
}

// next returns the scheduled timer that fires first, and when it does; ok is false if no
// timer is scheduled.
func (m *machine) next() (timer sim.Signal, at time.Time, ok bool) {
	for s, t := range m.Timers {
		if !ok || t.Before(at) {
			timer, at, ok = s, t, true
		}
	}
	return timer, at, ok
}

// due removes a timer whose time has come, and returns it; ok is false if there is none.
func (m *machine) due(now time.Time) (sim.Signal, bool) {
	timer, at, ok := m.next()
	if !ok || at.After(now) {
		return nil, false
	}
	m.Fire(timer)
	return timer, true
}

func (m *machine) keep(w disk.Write) {
	m.disk = m.disk.Write(w).SyncKeys()
	if w.Kind > disk.Delete {
		m.disk = m.disk.Sync(w.Name)
	}
}

func (m *machine) Choose(n int, _ string) int { return m.n.h.Choose(n) }

func (m *machine) Weighted(weights []int, _ string) int {
	var sides []int
	for i, w := range weights {
		if w > 0 {
			sides = append(sides, i)
		}
	}
	return sides[m.n.h.Choose(len(sides))]
}

func (m *machine) Now() macetime.Time {
	return macetime.Wall(m.n.self.Index(), time.Since(m.began)+time.Second)
}

func (m *machine) Monotone() macetime.Monotone {
	m.counted++
	return macetime.Counted(m.counted)
}

func (m *machine) Before(_ string, a, b macetime.Time, _ []int) bool { return macetime.Earlier(a, b) }
func (m *machine) HoldsTime(v any) bool                              { return m.times.Holds(v) }
func (m *machine) Room(handler.Send) bool                            { return true }
func (m *machine) Disk() handler.Disk                                { return m.disk }

func (m *machine) Write(w disk.Write) (int, error) {
	m.keep(w)
	m.n.writes(w)
	return 0, nil
}

func (m *machine) Sync(string) error {
	_ = m.n.h.Disk().Open(storage).Sync()
	return nil
}

func (m *machine) Log(line string)  { m.n.h.Logf("%s", line) }
func (m *machine) Fail(text string) { panic(fmt.Sprintf("%s: %s", m.n.self, text)) }
