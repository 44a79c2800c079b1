package election

import (
	"slices"
	"time"

	"macemc/layers/machine"
	"macemc/sim"
)

type ( // messages
	ping  struct{} // is the lowest node there?
	alive struct{}
	lead  struct{} // from a node that leads
)

type again struct{} // the timer that asks once more

const (
	asking    machine.Name = "asking"
	following machine.Name = "following"
	leading   machine.Name = "leading"
)

// A member is a node of the election. It leads if it knows that all nodes below
// it are down.
type member struct {
	machine.Core
	below  []sim.Addr // the nodes below it that may be up, in order
	above  []sim.Addr // the nodes above it, to which it announces that it leads
	leader sim.Addr
	asks   int // how often the timer may still ask again
}

var members = machine.Define("member",
	machine.State[*member]{
		Name: asking, Entry: (*member).ask, Exit: (*member).quiet, May: []machine.Name{leading},
		On: machine.On(
			machine.OnMessage((*member).alive).Goto(following), machine.OnMessage((*member).ping), machine.OnMessage((*member).follow).May(following),
			machine.OnSignal((*member).again), machine.OnSignal((*member).broken).May(asking),
		),
	},
	machine.State[*member]{
		Name: following,
		On: machine.On(
			machine.OnMessage((*member).ping), machine.OnMessage((*member).follow).May(following),
			machine.OnSignal((*member).broken).May(asking),
		),
		Ignore: machine.Messages(alive{}),
	},
	machine.State[*member]{
		Name: leading, Entry: (*member).announce,
		On: machine.On(machine.OnMessage((*member).ping), machine.OnSignal((*member).broken)),
	},
)

// ask sends a ping to the lowest node that may be up, or makes this node lead if none is below it.
func (m *member) ask(env sim.Env) {
	m.leader = sim.Addr{}
	if len(m.below) == 0 || env.Bug(EL1) {
		m.Goto(leading)
		return
	}
	env.TCP().Send(m.below[0], ping{})
	if m.asks > 0 {
		env.After(time.Second, again{})
	}
}

func (m *member) quiet(env sim.Env) { env.Cancel(again{}) }

func (m *member) again(env sim.Env, _ again) {
	m.asks--
	m.ask(env)
}

func (m *member) ping(env sim.Env, from sim.Addr, _ ping) {
	if !env.Bug(EL2) || m.Is(leading) {
		env.TCP().Send(from, alive{})
	}
}

func (m *member) alive(_ sim.Env, from sim.Addr, _ alive) { m.leader = from }

// follow makes the sender of lead the leader, unless it is known to be down.
func (m *member) follow(_ sim.Env, from sim.Addr, _ lead) {
	if slices.Contains(m.below, from) {
		m.leader = from
		m.Goto(following)
	}
}

// broken records that a node is down, since a connection fails for no other
// reason.
func (m *member) broken(env sim.Env, e sim.PeerError) {
	if k := slices.Index(m.below, e.Peer); k >= 0 && !env.Bug(EL3) {
		m.below = slices.Delete(slices.Clone(m.below), k, k+1)
	}
	if m.Is(asking) || m.Is(following) && e.Peer == m.leader && !env.Bug(EL4) {
		m.Goto(asking)
	}
}

// announce informs all nodes above this one that it leads.
func (m *member) announce(env sim.Env) {
	m.leader = env.Self()
	for _, to := range m.above {
		if !env.Bug(EL2) {
			env.TCP().Send(to, lead{})
		}
	}
}
