package transactions

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

type begin struct{ Tx int } // the application's request

// Begin returns the request by which the application begins a transaction. Transactions are
// numbered in ascending order.
func Begin(tx int) sim.Signal { return begin{tx} }

type ( // the operations of a participant
	prepare struct{ Tx int }
	decide  struct {
		Tx     int
		Commit bool
	}
)

// These are the facts that nodes emit for the monitors.
type (
	Began   struct{ Tx int }
	Decided struct {
		Tx     int
		Commit bool
	}
	Ended struct{ Tx int }
)

const (
	free      machine.Name = "free"
	preparing machine.Name = "preparing"
	deciding  machine.Name = "deciding"
)

// A coordinator runs one transaction at a time.
type coordinator struct {
	machine.Core
	services []service.Members // by participant: the nodes to ask
	waiting  []bool            // by participant: it has not answered
	tx       int
	commit   bool
	id       int // the number of the request under way
	op       any
}

var coordinators = machine.Define("coordinator",
	machine.State[*coordinator]{
		Name:   free,
		On:     machine.On(machine.OnSignal((*coordinator).begin).Goto(preparing), machine.OnSignal((*coordinator).down)),
		Ignore: machine.Messages(service.Reply{}),
	},
	machine.State[*coordinator]{
		Name: preparing, Entry: func(c *coordinator, env sim.Env) { c.ask(env, prepare{c.tx}) },
		On:    machine.On(machine.OnMessage((*coordinator).voted).May(deciding), machine.OnSignal((*coordinator).again)),
		Defer: machine.Signals(begin{}),
	},
	machine.State[*coordinator]{
		Name: deciding, Entry: (*coordinator).tell,
		On:    machine.On(machine.OnMessage((*coordinator).done).May(free), machine.OnSignal((*coordinator).again)),
		Defer: machine.Signals(begin{}),
	},
)

func (c *coordinator) begin(env sim.Env, m begin) {
	c.tx, c.commit = m.Tx, true
	env.Emit(Began(m))
}

// ask asks all participants for an operation.
func (c *coordinator) ask(env sim.Env, op any) {
	c.id, c.op = c.id+1, op
	c.waiting = make([]bool, len(c.services))
	for k := range c.services {
		c.waiting[k] = true
		c.send(env, k)
	}
}

func (c *coordinator) send(env sim.Env, k int) {
	c.services[k].Send(env, service.Command{Client: env.Self(), ID: c.id, Op: c.op, Front: env.Self()})
}

// answered records an answer. counts reports whether it belongs to the request under way, and
// last whether it is the last one for which the coordinator waits.
func (c *coordinator) answered(env sim.Env, from sim.Addr, m service.Reply) (counts, last bool) {
	k := slices.IndexFunc(c.services, func(nodes service.Members) bool { return slices.Contains(nodes, from) })
	if env.Bug(TX6) {
		k = slices.Index(c.waiting, true)
	}
	if k < 0 || m.ID != c.id || !c.waiting[k] {
		return false, false
	}
	c.waiting = slices.Clone(c.waiting)
	c.waiting[k] = false
	return true, !slices.Contains(c.waiting, true)
}

func (c *coordinator) voted(env sim.Env, from sim.Addr, m service.Reply) {
	counts, last := c.answered(env, from, m)
	if !counts {
		return
	}
	c.commit = c.commit && (m.Value == true || env.Bug(TX1) && c.tx%2 == 0)
	if last || env.Bug(TX2) && c.commit {
		c.Goto(deciding)
	}
}

func (c *coordinator) tell(env sim.Env) {
	env.Emit(Decided{c.tx, c.commit})
	c.ask(env, decide{c.tx, c.commit})
}

func (c *coordinator) done(env sim.Env, from sim.Addr, m service.Reply) {
	if _, last := c.answered(env, from, m); last {
		env.Emit(Ended{c.tx})
		c.Goto(free)
	}
}

// down records that a replica of a participant is down.
func (c *coordinator) down(_ sim.Env, e sim.PeerError) { c.lose(e.Peer) }

func (c *coordinator) lose(peer sim.Addr) (k int) {
	for k, nodes := range c.services {
		if slices.Contains(nodes, peer) {
			c.services = slices.Clone(c.services)
			c.services[k] = nodes.Without(peer)
			return k
		}
	}
	return -1
}

// again sends the request to the next replica of a participant, since a replica is down.
func (c *coordinator) again(env sim.Env, e sim.PeerError) {
	if k := c.lose(e.Peer); k >= 0 && c.waiting[k] && !env.Bug(TX3) {
		c.send(env, k)
	}
}

// A participant votes on transactions and records the decisions. Each participant votes no on
// some transactions.
type participant struct {
	number    int
	decisions map[int]bool // by transaction: it is committed
}

// Apply executes the command to vote on a transaction, or to record the decision about it.
func (p *participant) Apply(c service.Command) any {
	switch op := c.Op.(type) {
	case prepare:
		return agrees(p.number, op.Tx)
	case decide:
		p.decisions[op.Tx] = op.Commit
	}
	return nil
}

// agrees reports whether a participant votes yes on a transaction.
func agrees(participant, tx int) bool { return (tx+participant)%3 != 0 }
