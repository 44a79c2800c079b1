package wal

import (
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

// client writes numbers, and counts the acknowledged ones.
type client struct {
	server sim.Addr
	writes int // number of writes to make
	acked  int
}

var clients = sim.Handle(sim.OnSignal((*client).begin), sim.OnSignal((*client).again), sim.OnMessage((*client).ack))

func (c *client) begin(env sim.Env, _ begin) { c.next(env) }
func (c *client) again(env sim.Env, _ again) { c.next(env) }

func (c *client) ack(env sim.Env, _ sim.Addr, m ack) {
	if m.Value > c.acked {
		c.acked = m.Value
		c.next(env)
	}
}

// next sends the server the first write that is not acknowledged.
func (c *client) next(env sim.Env) {
	if c.acked == c.writes {
		env.Cancel(again{})
		return
	}
	env.UDP().Send(c.server, put{c.acked + 1})
	env.After(retryAfter, again{})
}
