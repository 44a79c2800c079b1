package handshake

import (
	"fmt"
	"time"

	"macemc/sim"
)

type (
	hello   struct{}
	welcome struct{}
	confirm struct{}

	// connect is the application's request to the client.
	connect struct{}
	// again is the timer of whoever waits.
	again struct{}
)

const answerExpected = 500 * time.Millisecond

// state is that of one end: the first two of them the client's, the next two
// the server's.
type state string

const (
	closed    state = "closed"
	calling   state = "calling"
	listening state = "listening"
	answering state = "answering"
	connected state = "connected"
)

// end is what the properties know of either.
type end interface{ is() state }

type client struct {
	state  state
	server sim.Addr
}

func (c *client) is() state { return c.state }

func (c *client) Init(sim.Env) {}

func (c *client) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case connect:
		c.state = calling
		c.call(env)
	case again:
		c.call(env)
	default:
		panic(fmt.Sprintf("handshake: the client has no case for the signal %T", s))
	}
}

func (c *client) call(env sim.Env) {
	env.UDP().Send(c.server, hello{})
	env.After(answerExpected, again{})
}

func (c *client) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m.(type) {
	case welcome: // the first, or the server did not hear the confirm
		c.state = connected
		env.Cancel(again{})
		env.UDP().Send(from, confirm{})
	default:
		panic(fmt.Sprintf("handshake: the client has no case for the message %T", m))
	}
}

type server struct {
	state state
	peer  sim.Addr // who said hello
}

func (s *server) is() state { return s.state }

func (s *server) Init(sim.Env) {}

func (s *server) Handle(env sim.Env, signal sim.Signal) {
	switch signal.(type) {
	case again:
		s.answer(env)
	default:
		panic(fmt.Sprintf("handshake: the server has no case for the signal %T", signal))
	}
}

func (s *server) answer(env sim.Env) {
	env.UDP().Send(s.peer, welcome{})
	if !env.Bug(HS1) {
		env.After(answerExpected, again{})
	}
}

func (s *server) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if s.state == connected {
		return // it is late
	}
	switch m.(type) {
	case hello:
		s.state, s.peer = answering, from
		s.answer(env)
	case confirm:
		s.state = connected
		env.Cancel(again{})
	default:
		panic(fmt.Sprintf("handshake: the server has no case for the message %T", m))
	}
}
