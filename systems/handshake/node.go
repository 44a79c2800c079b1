package handshake

import (
	"time"

	"macemc/sim"
)

type (
	hello   struct{}
	welcome struct{}
	confirm struct{}

	// connect is the application's request to the client.
	connect struct{}
	// again is the timer of the side that waits.
	again struct{}
)

const answerExpected = 500 * time.Millisecond

// state is the state of one end. The first two states are the client's, the next two the server's,
// and either may be connected.
type state string

const (
	closed    state = "closed"
	calling   state = "calling"
	listening state = "listening"
	answering state = "answering"
	connected state = "connected"
)

// end is what properties see of a client or a server.
type end interface{ is() state }

type client struct {
	state  state
	server sim.Addr
}

func (c *client) is() state { return c.state }

var clients = sim.Handle(sim.OnSignal((*client).connect), sim.OnSignal((*client).again), sim.OnMessage((*client).welcome))

func (c *client) connect(env sim.Env, _ connect) {
	c.state = calling
	c.call(env)
}

func (c *client) again(env sim.Env, _ again) { c.call(env) }

func (c *client) call(env sim.Env) {
	env.UDP().Send(c.server, hello{})
	env.After(answerExpected, again{})
}

// welcome handles a welcome. A later one means that the server had not got the confirm, which is then sent again.
func (c *client) welcome(env sim.Env, from sim.Addr, _ welcome) {
	c.state = connected
	env.Cancel(again{})
	env.UDP().Send(from, confirm{})
}

type server struct {
	state state
	peer  sim.Addr // the node that said hello
}

func (s *server) is() state { return s.state }

var servers = sim.Handle(sim.OnSignal((*server).again), sim.OnMessage((*server).hello), sim.OnMessage((*server).confirm))

func (s *server) again(env sim.Env, _ again) { s.answer(env) }

func (s *server) answer(env sim.Env) {
	env.UDP().Send(s.peer, welcome{})
	if !env.Bug(HS1) {
		env.After(answerExpected, again{})
	}
}

// hello answers the client. It ignores a late hello, as confirm ignores a late confirm.
func (s *server) hello(env sim.Env, from sim.Addr, _ hello) {
	if s.state != connected {
		s.state, s.peer = answering, from
		s.answer(env)
	}
}

func (s *server) confirm(env sim.Env, _ sim.Addr, _ confirm) {
	if s.state != connected {
		s.state = connected
		env.Cancel(again{})
	}
}
