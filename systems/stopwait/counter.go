package stopwait

import (
	"fmt"

	"macemc/sim"
)

// start is the application's request: send the increments.
type start struct{}

// increment is the number-th of its sender.
type increment struct{ number int }

// counted is the fact that an increment was counted.
type counted struct {
	from   sim.Addr
	number int
}

// counter sends increments to its peers, and counts those that come.
type counter struct {
	increments int // to be sent to each peer
	sent       map[sim.Addr]int
	got        map[sim.Addr]int
}

func newCounter(increments int) *counter {
	return &counter{increments: increments, sent: map[sim.Addr]int{}, got: map[sim.Addr]int{}}
}

func (c *counter) Init(sim.Env) {}

func (c *counter) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case start:
		for _, peer := range env.Peers() {
			for range c.increments {
				c.sent[peer]++
				env.TCP().Send(peer, increment{c.sent[peer]})
			}
		}
	default:
		panic(fmt.Sprintf("stopwait: no case for the signal %T", s))
	}
}

func (c *counter) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case increment:
		c.got[from]++
		env.Emit(counted{from, m.number})
	default:
		panic(fmt.Sprintf("stopwait: no case for the message %T", m))
	}
}
