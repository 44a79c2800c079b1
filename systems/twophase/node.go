package twophase

import (
	"fmt"

	"macemc/sim"
)

// These are the guarded actions. If the coordinator sends one of them as a message, it orders the
// receiver to take that action.
type (
	prepare struct{} // of a manager
	commit  struct{} // of the coordinator
	abort   struct{} // of a manager or the coordinator
)

// prepared is the message by which a manager tells the coordinator that it is prepared.
type prepared struct{}

// state is the state of a manager.
type state uint8

const (
	stateWorking state = iota + 1
	statePrepared
	stateCommitted
	stateAborted
)

func (s state) String() string {
	switch s {
	case stateWorking:
		return "working"
	case statePrepared:
		return "prepared"
	case stateCommitted:
		return "committed"
	case stateAborted:
		return "aborted"
	default:
		return fmt.Sprintf("state %d", uint8(s))
	}
}

// manager is a resource manager.
type manager struct {
	coordinator sim.Addr
	state       state
}

var managers = sim.Handle(
	sim.OnSignal((*manager).prepare), sim.OnSignal((*manager).abort), sim.OnMessage((*manager).committed), sim.OnMessage((*manager).aborted),
)

// Offers offers a working manager the actions to prepare and to abort.
func (m *manager) Offers(offer func(sim.Signal)) {
	if m.state == stateWorking {
		offer(prepare{})
		offer(abort{})
	}
}

// Accepts accepts every order, at any time.
func (m *manager) Accepts(sim.Addr, sim.Message) bool { return true }

func (m *manager) prepare(env sim.Env, _ prepare) {
	m.state = statePrepared
	env.Set().Send(m.coordinator, prepared{})
}

func (m *manager) abort(sim.Env, abort) { m.state = stateAborted }

func (m *manager) committed(sim.Env, sim.Addr, commit) { m.state = stateCommitted }
func (m *manager) aborted(sim.Env, sim.Addr, abort)    { m.state = stateAborted }

// coordinator is the coordinator of the transaction.
type coordinator struct {
	need     int // number of managers that must be prepared
	prepared map[sim.Addr]bool
	done     bool // it has sent its order
}

var coordinators = sim.Handle(sim.OnSignal((*coordinator).commit), sim.OnSignal((*coordinator).abort), sim.OnMessage((*coordinator).heard))

// Offers offers the coordinator the action to abort as long as it has sent no order, and the action
// to commit if enough managers are prepared.
func (c *coordinator) Offers(offer func(sim.Signal)) {
	if c.done {
		return
	}
	if len(c.prepared) >= c.need {
		offer(commit{})
	}
	offer(abort{})
}

// Accepts accepts no messages after the coordinator has sent its order.
func (c *coordinator) Accepts(sim.Addr, sim.Message) bool { return !c.done }

func (c *coordinator) commit(env sim.Env, m commit) { c.order(env, m) }
func (c *coordinator) abort(env sim.Env, m abort)   { c.order(env, m) }

func (c *coordinator) order(env sim.Env, m sim.Message) {
	c.done = true
	for _, to := range env.Peers() {
		env.Set().Send(to, m)
	}
}

func (c *coordinator) heard(_ sim.Env, from sim.Addr, _ prepared) { c.prepared[from] = true }
