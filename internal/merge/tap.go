package merge

import (
	"fmt"
	"slices"

	"macemc/macetime"
	"macemc/sim"
)

// tap is a node in the World whose Env gives the answers that were recorded. What it
// carries is all that there is to it.
type tap struct {
	Inner sim.Node
	env   *tapEnv `mc:"-"`
}

func (m *merger) wrap(self sim.Addr, inner sim.Node) sim.Node {
	i := self.Index()
	t := &tap{Inner: inner, env: &tapEnv{m: m, i: i}}
	t.env.ports = [4]tapPort{{t.env, sim.LinkTCP}, {t.env, sim.LinkUDP}, {t.env, sim.LinkSet}, {t.env, sim.LinkBag}}
	if i < len(m.nodes) {
		m.nodes[i].node = inner
	}
	return t
}

// Upper is what properties and guards look through to.
func (t *tap) Upper() sim.Node { return t.Inner }

// Init starts the node.
func (t *tap) Init(env sim.Env) {
	m := t.env.m
	if n := m.nodes[t.env.i]; m.said == nil { // the start of all nodes
		if e := n.next(); e != nil && e.Step != nil {
			m.said, m.picked, m.tried, m.strayed = e.Step, 0, 0, ""
			defer func() { m.said = nil }()
		}
	}
	t.Inner.Init(t.env.of(env))
	t.env.check()
}

// Deliver hands it a message.
func (t *tap) Deliver(env sim.Env, from sim.Addr, msg sim.Message) {
	t.Inner.Deliver(t.env.of(env), from, msg)
	t.env.check()
}

// Handle hands it a signal.
func (t *tap) Handle(env sim.Env, s sim.Signal) {
	t.Inner.Handle(t.env.of(env), s)
	t.env.check()
}

// tapEnv is the World's Env, with the answers of a record.
type tapEnv struct {
	sim.Env
	m     *merger
	i     int
	ports [4]tapPort
}

type tapPort struct {
	e    *tapEnv
	link sim.Link
}

// RuntimePort says that a port is no part of a node's state.
func (p *tapPort) RuntimePort() {}

func (e *tapEnv) of(env sim.Env) *tapEnv {
	e.Env = env
	return e
}

func (e *tapEnv) stray(format string, args ...any) {
	if e.m.strayed == "" {
		e.m.strayed = fmt.Sprintf(format, args...)
	}
}

// check is at the end of a handler: all answers were asked for.
func (e *tapEnv) check() {
	if s := e.m.said; s != nil && e.m.picked != len(s.Picks) {
		e.stray("it asked for %d choices, and for %d in the simulation", len(s.Picks), e.m.picked)
	}
}

// answer is the next that was recorded.
func (e *tapEnv) answer(n int) int {
	m := e.m
	if m.said == nil || m.picked >= len(m.said.Picks) || int(m.said.Picks[m.picked]) >= n {
		e.stray("it asks for a choice that it did not ask for")
		return 0
	}
	m.picked++
	return int(m.said.Picks[m.picked-1])
}

func (e *tapEnv) asks(k int) { e.m.coins = []int{k} }

func (e *tapEnv) got(was, is int, why string) int {
	e.m.coins = nil
	if was != is {
		e.stray("%s was answered %d, and in the simulation it can only be %d", why, was, is)
	}
	return is
}

// Choose is a free choice.
func (e *tapEnv) Choose(n int, why string) int {
	k := e.answer(n)
	e.asks(k)
	return e.got(k, e.Env.Choose(n, why), why)
}

// Weighted is a choice whose rare sides the World leaves out.
func (e *tapEnv) Weighted(w []int, why string) int {
	k := e.answer(len(w))
	rank := 0
	for _, x := range w[:min(k, len(w))] {
		if x > 0 {
			rank++
		}
	}
	e.asks(rank)
	return e.got(k, e.Env.Weighted(w, why), why)
}

// Before compares two times.
func (e *tapEnv) Before(a, b macetime.Time) bool {
	k := e.answer(2)
	e.asks(k)
	return e.got(k, number(e.Env.Before(a, b)), "whether a time is before another") == 1
}

// BeforeWeighted is Before.
func (e *tapEnv) BeforeWeighted(a, b macetime.Time, yes, no int) bool {
	k := e.answer(2)
	e.asks(k)
	return e.got(k, number(e.Env.BeforeWeighted(a, b, yes, no)), "whether a time is before another") == 1
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TCP is the World's port, whose sends are compared.
func (e *tapEnv) TCP() sim.Port { return &e.ports[0] }

// UDP is the World's port, whose sends are counted.
func (e *tapEnv) UDP() sim.Port { return &e.ports[1] }

// Set is the World's port, whose sends are counted.
func (e *tapEnv) Set() sim.Port { return &e.ports[2] }

// Bag is the World's port, whose sends are counted.
func (e *tapEnv) Bag() sim.Port { return &e.ports[3] }

func (p *tapPort) below() sim.Port {
	switch p.link {
	case sim.LinkTCP:
		return p.e.Env.TCP()
	case sim.LinkUDP:
		return p.e.Env.UDP()
	case sim.LinkSet:
		return p.e.Env.Set()
	default:
		return p.e.Env.Bag()
	}
}

// Send sends, and compares whether it was refused.
func (p *tapPort) Send(to sim.Addr, msg sim.Message) bool {
	m := p.e.m
	was := m.said == nil || !slices.Contains(m.said.Refused, m.tried)
	m.tried++
	is := p.below().Send(to, msg)
	if was != is {
		p.e.stray("a send to %s by %s was refused: %v, and in the simulation: %v", to, p.link, !was, !is)
	}
	return is
}

// RequestToSend is the World's.
func (p *tapPort) RequestToSend(to sim.Addr) { p.below().RequestToSend(to) }

// NotifyFlushed is the World's.
func (p *tapPort) NotifyFlushed() { p.below().NotifyFlushed() }

// Reset is the World's.
func (p *tapPort) Reset(to sim.Addr) { p.below().Reset(to) }
