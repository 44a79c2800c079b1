package wal

import (
	"fmt"
	"time"

	"macemc/sim"
)

type (
	// begin is the application's request to the client.
	begin struct{}
	// again is the timer of a client that waits for an answer.
	again struct{}
)

const retryAfter = time.Second

// client writes, and knows how far that came.
type client struct {
	server sim.Addr
	writes int // to be acknowledged
	acked  int
}

func (c *client) Init(sim.Env) {}

func (c *client) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case begin, again:
		c.next(env)
	default:
		panic(fmt.Sprintf("wal: the client has no case for the signal %T", s))
	}
}

func (c *client) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case ack:
		if m.Value > c.acked {
			c.acked = m.Value
			c.next(env)
		}
	default:
		panic(fmt.Sprintf("wal: the client has no case for the message %T", m))
	}
}

// next asks for what is not acknowledged yet.
func (c *client) next(env sim.Env) {
	if c.acked == c.writes {
		env.Cancel(again{})
		return
	}
	env.UDP().Send(c.server, put{c.acked + 1})
	env.After(retryAfter, again{})
}
