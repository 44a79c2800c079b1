package reliable

import (
	"time"

	"macemc/layers/machine"
	"macemc/sim"
)

type send struct{ Value int } // the application's request

type (
	packet struct{ Number, Value int }
	ack    struct{ Number int }
)

type retry struct{} // a timer

// These are the facts that nodes emit for the monitor.
type (
	Sent      struct{ Value int }
	Delivered struct {
		From  sim.Addr
		Value int
	}
)

const (
	idle    machine.Name = "idle"
	waiting machine.Name = "waiting"
	open    machine.Name = "open"
)

// A sender sends one packet at a time, until it is acknowledged.
type sender struct {
	machine.Core
	receiver sim.Addr
	last     packet
}

var senders = machine.Define("sender",
	machine.State[*sender]{
		Name: idle, On: machine.On(machine.OnSignal((*sender).send).Goto(waiting)), Ignore: machine.Messages(ack{}),
	},
	machine.State[*sender]{
		Name: waiting, Entry: (*sender).transmit, Exit: (*sender).rest,
		On:    machine.On(machine.OnMessage((*sender).ack).May(idle), machine.OnSignal((*sender).retry)),
		Defer: machine.Signals(send{}),
	},
)

func (s *sender) send(env sim.Env, m send) {
	s.last = packet{s.last.Number + 1, m.Value}
	env.Emit(Sent(m))
}

func (s *sender) transmit(env sim.Env) {
	env.UDP().Send(s.receiver, s.last)
	if !env.Bug(RL4) {
		env.After(time.Second, retry{})
	}
}

func (s *sender) rest(env sim.Env) { env.Cancel(retry{}) }

func (s *sender) retry(env sim.Env, _ retry) { s.transmit(env) }

func (s *sender) ack(env sim.Env, _ sim.Addr, m ack) {
	if m.Number == s.last.Number || env.Bug(RL3) {
		s.Goto(idle)
	}
}

// A receiver delivers the packets that it has not delivered yet.
type receiver struct {
	machine.Core
	last map[sim.Addr]int
}

var receivers = machine.Define("receiver",
	machine.State[*receiver]{Name: open, On: machine.On(machine.OnMessage((*receiver).packet))},
)

func (r *receiver) packet(env sim.Env, from sim.Addr, m packet) {
	last, known := r.last[from]
	old := m.Number <= last
	if env.Bug(RL2) {
		old = known && last <= m.Number // as the paper prints it
	}
	if !old || !env.Bug(RL5) {
		env.UDP().Send(from, ack{m.Number})
	}
	if old && !env.Bug(RL6) {
		return
	}
	r.last[from] = m.Number
	env.Emit(Delivered{from, m.Value})
}
