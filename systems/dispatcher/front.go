package dispatcher

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

// A Front is the dispatcher of a service whose replicas find out by themselves which of them should
// lead, as those of chain replication or Multi-Paxos do. It sends the requests of clients to the
// first replica that is up, and passes the answers on. Its exported fields switch on known bugs of
// the systems that use it.
type Front struct {
	Forgets bool // requests under way are forgotten when a replica goes down
	Mixes   bool // two clients' requests with the same number are confused

	machine.Core
	up   service.Members
	open []service.Command
}

const forwarding machine.Name = "forwarding"

// Fronts has the handlers of the states of a Front.
var Fronts = machine.Define("front",
	machine.State[*Front]{
		Name:   idle,
		On:     machine.On(machine.OnMessage((*Front).request).Goto(forwarding), machine.OnSignal((*Front).lost)),
		Ignore: machine.Messages(service.Reply{}), // an answer to a request that was sent twice
	},
	machine.State[*Front]{
		Name: forwarding,
		On:   machine.On(machine.OnMessage((*Front).request), machine.OnMessage((*Front).reply).May(idle), machine.OnSignal((*Front).down)),
	},
)

// Deaf and Curt have known bugs of the systems that use fronts: Deaf fronts do not handle a
// connection that breaks while they are idle, and Curt fronts do not handle a late answer.
var (
	Deaf = Fronts.Forget(idle, machine.Signals(sim.PeerError{})...)
	Curt = Fronts.Forget(idle, machine.Messages(service.Reply{})...)
)

// Over sets the replicas to which the front sends requests, and returns the front.
func (f *Front) Over(replicas []sim.Addr) *Front {
	f.up = replicas
	return f
}

func (f *Front) request(env sim.Env, _ sim.Addr, m service.Request) {
	c := m.Command
	c.Front = env.Self()
	f.open = append(f.open, c)
	f.up.Send(env, c)
}

func (f *Front) reply(env sim.Env, _ sim.Addr, m service.Reply) {
	k := slices.IndexFunc(f.open, func(c service.Command) bool { return c.ID == m.ID && (c.Client == m.Client || f.Mixes) })
	if k < 0 {
		return
	}
	m.Client = f.open[k].Client
	if f.open = slices.Delete(f.open, k, k+1); len(f.open) == 0 {
		f.open = nil
		f.Goto(idle)
	}
	env.TCP().Send(m.Client, m)
}

func (f *Front) lost(_ sim.Env, e sim.PeerError) { f.up = f.up.Without(e.Peer) }

// down records that a replica is down. If it is the one to which requests went, those under way are
// sent to the next replica.
func (f *Front) down(env sim.Env, e sim.PeerError) {
	head := len(f.up) > 0 && f.up[0] == e.Peer
	if f.lost(env, e); !head || f.Forgets {
		return
	}
	for _, c := range f.open {
		f.up.Send(env, c)
	}
}
