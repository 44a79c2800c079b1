package commit

import (
	"slices"
	"time"

	"macemc/layers/machine"
	"macemc/sim"
)

type begin struct{ Tx int } // the application's request

type ( // messages
	prepare struct{ Tx int }
	vote    struct {
		Tx  int
		Yes bool
	}
	decision struct {
		Tx     int
		Commit bool
	}
	done struct{ Tx int }
)

type timeout struct{} // a timer

// These are the facts that nodes emit for the monitor.
type (
	Refused struct{ Tx int }
	Decided struct {
		Tx     int
		Commit bool
	}
)

const (
	free     machine.Name = "free"
	voting   machine.Name = "voting"
	deciding machine.Name = "deciding"
	working  machine.Name = "working"
	prepared machine.Name = "prepared"
)

// A coordinator runs one transaction at a time.
type coordinator struct {
	machine.Core
	up      []sim.Addr // participants that are up
	waiting []sim.Addr // those of up that have not answered
	tx      int
	commit  bool
}

var coordinators = machine.Define("coordinator",
	machine.State[*coordinator]{
		Name: free, On: machine.On(machine.OnSignal((*coordinator).begin).Goto(voting), machine.OnSignal((*coordinator).lost)),
	},
	machine.State[*coordinator]{
		Name: voting, Entry: (*coordinator).ask, Exit: (*coordinator).quiet,
		On: machine.On(
			machine.OnMessage((*coordinator).vote).May(deciding), machine.OnSignal((*coordinator).late).Goto(deciding),
			machine.OnSignal((*coordinator).missing).Goto(deciding),
		),
		Defer: machine.Signals(begin{}),
	},
	machine.State[*coordinator]{
		Name: deciding, Entry: (*coordinator).tell, May: []machine.Name{free},
		On:     machine.On(machine.OnMessage((*coordinator).done).May(free), machine.OnSignal((*coordinator).fewer).May(free)),
		Ignore: machine.Messages(vote{}),
		Defer:  machine.Signals(begin{}),
	},
)

func (c *coordinator) begin(_ sim.Env, m begin) { c.tx, c.commit = m.Tx, true }

func (c *coordinator) ask(env sim.Env) {
	c.send(env, prepare{c.tx})
	if len(c.up) < len(env.Peers()) {
		c.commit = false // one that is down has not voted
	}
	env.After(time.Second, timeout{})
}

func (c *coordinator) quiet(env sim.Env) {
	if !env.Bug(CM4) {
		env.Cancel(timeout{})
	}
}

// send sends message m to all participants that are up, and begins to wait for their answers.
func (c *coordinator) send(env sim.Env, m sim.Message) {
	c.waiting = slices.Clone(c.up)
	for _, p := range c.up {
		env.TCP().Send(p, m)
	}
}

// answered records the answer of a participant, and reports whether all have answered now.
func (c *coordinator) answered(from sim.Addr) bool {
	c.waiting = slices.DeleteFunc(slices.Clone(c.waiting), func(a sim.Addr) bool { return a == from })
	return len(c.waiting) == 0
}

func (c *coordinator) vote(env sim.Env, from sim.Addr, m vote) {
	c.commit = c.commit && m.Yes
	if c.answered(from) || !m.Yes || env.Bug(CM1) && len(c.waiting) <= len(c.up)/2 {
		c.Goto(deciding)
	}
}

func (c *coordinator) late(sim.Env, timeout) { c.commit = false }

// lost records that a participant is down.
func (c *coordinator) lost(_ sim.Env, e sim.PeerError) {
	c.up = slices.DeleteFunc(slices.Clone(c.up), func(a sim.Addr) bool { return a == e.Peer })
}

func (c *coordinator) missing(env sim.Env, e sim.PeerError) {
	c.lost(env, e)
	c.commit = false
}

func (c *coordinator) fewer(env sim.Env, e sim.PeerError) {
	c.lost(env, e)
	if c.answered(e.Peer) && !env.Bug(CM5) {
		c.Goto(free)
	}
}

func (c *coordinator) tell(env sim.Env) {
	env.Emit(Decided{c.tx, c.commit})
	if c.send(env, decision{c.tx, c.commit}); len(c.up) == 0 {
		c.Goto(free)
	}
}

func (c *coordinator) done(_ sim.Env, from sim.Addr, _ done) {
	if c.answered(from) {
		c.Goto(free)
	}
}

// A participant votes on each transaction, and obeys the coordinator's decision.
type participant struct {
	machine.Core
	tx int
}

var participants = machine.Define("participant", waits, machine.State[*participant]{
	Name:   prepared,
	On:     machine.On(machine.OnMessage((*participant).decision).Goto(working)),
	Ignore: machine.Signals(sim.PeerError{}),
})

var waits = machine.State[*participant]{
	Name:   working,
	On:     machine.On(machine.OnMessage((*participant).prepare).May(prepared), machine.OnMessage((*participant).decision)),
	Ignore: machine.Signals(sim.PeerError{}),
}

// impatients are the handlers of participants with the known bug CM6, which do not wait for the
// decision after they have voted yes.
var impatients = machine.Define("participant", waits, machine.State[*participant]{
	Name: prepared, Entry: func(_ *participant, env sim.Env) { env.After(time.Second, timeout{}) },
	Exit:   func(_ *participant, env sim.Env) { env.Cancel(timeout{}) },
	On:     machine.On(machine.OnMessage((*participant).decision).Goto(working), machine.OnSignal((*participant).tired).Goto(working)),
	Ignore: machine.Signals(sim.PeerError{}),
})

func (p *participant) prepare(env sim.Env, from sim.Addr, m prepare) {
	p.tx = m.Tx
	yes := env.Choose(2, "votes yes") == 1
	env.TCP().Send(from, vote{m.Tx, yes})
	if yes {
		p.Goto(prepared)
		return
	}
	env.Emit(Refused(m))
	env.Emit(Decided{m.Tx, false})
}

func (p *participant) decision(env sim.Env, from sim.Addr, m decision) {
	if p.Is(prepared) {
		env.Emit(Decided(m))
	}
	env.TCP().Send(from, done{m.Tx})
}

func (p *participant) tired(env sim.Env, _ timeout) { env.Emit(Decided{p.tx, false}) }
