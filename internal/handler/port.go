package handler

import (
	"fmt"

	"macemc/sim"
	"macemc/trace"
)

// port implements sim.Port for one node and one link.
type port struct {
	e    *Env
	link sim.Link
}

// RuntimePort says that a port is not part of a node's state: see sight.Port.
func (p *port) RuntimePort() {}

func (p *port) Send(to sim.Addr, m sim.Message) bool {
	s := p.e.use("Send")
	if to.IsZero() || to.Index() >= s.Params.Nodes {
		panic(fmt.Sprintf("macemc: %s sends %s to %s, which is no node; check the address before sending",
			p.e.self, s.Text(m), to))
	}
	if m == nil {
		panic(fmt.Sprintf("macemc: %s sends nil to %s; a message is a value of a type of its own", p.e.self, to))
	}
	p.e.timeless("a message", m)
	place := s.tried
	s.tried++
	if p.link == sim.LinkTCP && !p.queue(to, place) {
		s.add(trace.Effect{Kind: trace.EffectRefused, Link: p.link, To: to, Value: m})
		return false
	}
	e := s.slot()
	e.Kind, e.Link, e.To, e.Value = trace.EffectSend, p.link, to, m
	s.handed()
	return true
}

// queue takes a place in the buffer of the connection to a node. It returns false if there is
// no room. place is the number of the send in the step.
func (p *port) queue(to sim.Addr, place int) bool {
	s := p.e.s
	q := &s.queued[to.Index()]
	if !s.answer.Room(Send{to, place, q.sent, q.reset}) {
		return false
	}
	q.sent++
	s.queues = true
	return true
}

// conn implements sim.Conn, the port for TCP, for one node.
type conn struct{ port }

// peer panics if to is not the address of a node. call is the name of the method that was
// called.
func (c *conn) peer(call string, to sim.Addr) *Step {
	s := c.e.use(call)
	if to.IsZero() || to.Index() >= s.Params.Nodes {
		panic(fmt.Sprintf("macemc: %s calls %s about %s, which is no node; check the address before", c.e.self, call, to))
	}
	return s
}

func (c *conn) RequestToSend(to sim.Addr) {
	c.peer("RequestToSend", to).add(trace.Effect{Kind: trace.EffectAskClear, Link: c.link, To: to})
}

func (c *conn) NotifyFlushed() {
	c.peer("NotifyFlushed", c.e.self).add(trace.Effect{Kind: trace.EffectAskFlushed, Link: c.link})
}

func (c *conn) Reset(to sim.Addr) {
	s := c.peer("Reset", to)
	s.queued[to.Index()], s.queues = queue{reset: true}, true
	s.add(trace.Effect{Kind: trace.EffectReset, Link: c.link, To: to})
}
