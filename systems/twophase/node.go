package twophase

import (
	"fmt"

	"macemc/sim"
)

// The guarded actions; and, sent by the coordinator, the messages that order
// what they name.
type (
	prepare struct{} // a manager's own
	commit  struct{} // the coordinator's
	abort   struct{} // a manager's own, or the coordinator's
)

// prepared is what a manager tells the coordinator.
type prepared struct{}

// state is where a manager is.
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

func (m *manager) Init(sim.Env) {}

// Offers lets a working manager choose.
func (m *manager) Offers(offer func(sim.Signal)) {
	if m.state == stateWorking {
		offer(prepare{})
		offer(abort{})
	}
}

// Accepts takes every order, always.
func (m *manager) Accepts(sim.Addr, sim.Message) bool { return true }

func (m *manager) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case prepare:
		m.state = statePrepared
		env.Set().Send(m.coordinator, prepared{})
	case abort:
		m.state = stateAborted
	default:
		panic(fmt.Sprintf("twophase: a manager has no case for the signal %T", s))
	}
}

func (m *manager) Deliver(_ sim.Env, _ sim.Addr, msg sim.Message) {
	switch msg := msg.(type) {
	case commit:
		m.state = stateCommitted
	case abort:
		m.state = stateAborted
	default:
		panic(fmt.Sprintf("twophase: a manager has no case for the message %T", msg))
	}
}

// coordinator is the transaction's.
type coordinator struct {
	need     int // how many must be prepared
	prepared map[sim.Addr]bool
	done     bool // it has given its order
}

func (c *coordinator) Init(sim.Env) {}

// Offers lets the coordinator abort as long as it gave no order, and commit
// when enough managers are prepared.
func (c *coordinator) Offers(offer func(sim.Signal)) {
	if c.done {
		return
	}
	if len(c.prepared) >= c.need {
		offer(commit{})
	}
	offer(abort{})
}

// Accepts takes no more notes when the order is given.
func (c *coordinator) Accepts(sim.Addr, sim.Message) bool { return !c.done }

func (c *coordinator) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case commit, abort:
		c.done = true
		for _, m := range env.Peers() {
			env.Set().Send(m, s)
		}
	default:
		panic(fmt.Sprintf("twophase: the coordinator has no case for the signal %T", s))
	}
}

func (c *coordinator) Deliver(_ sim.Env, from sim.Addr, msg sim.Message) {
	switch msg := msg.(type) {
	case prepared:
		c.prepared[from] = true
	default:
		panic(fmt.Sprintf("twophase: the coordinator has no case for the message %T", msg))
	}
}
