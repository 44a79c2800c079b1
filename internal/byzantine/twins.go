package byzantine

import (
	"slices"
	"strings"
	"time"

	"macemc/sim"
)

// first and second wrap the signals of the first and of the second twin, so that a timer, a task or an
// action that one twin has made never comes to the other.
type (
	first  struct{ Signal sim.Signal }
	second struct{ Signal sim.Signal }
)

// tag wraps a signal of the k-th twin, so that untag recognizes it. Without twins it returns the signal
// itself.
func (n *node) tag(k int, s sim.Signal) sim.Signal {
	switch {
	case !n.twins() || s == nil:
		return s
	case k == 0:
		return first{s}
	default:
		return second{s}
	}
}

// untag returns the index of the twin whose signal s is, and the signal as the twin knows it. k is -1 if
// s belongs to neither twin.
func untag(s sim.Signal) (k int, own sim.Signal) {
	switch s := s.(type) {
	case first:
		return 0, s.Signal
	case second:
		return 1, s.Signal
	}
	return -1, s
}

// cleared reports whether the twin waits to send to a peer, and ends that wait.
func (a *asked) cleared(peer sim.Addr) bool {
	k, waits := slices.BinarySearchFunc(a.clear, peer, sim.Addr.Compare)
	if waits {
		a.clear = slices.Delete(a.clear, k, k+1)
	}
	return waits
}

// asks records that the twin waits until it can send to a peer.
func (a *asked) asks(to sim.Addr) {
	if k, waits := slices.BinarySearchFunc(a.clear, to, sim.Addr.Compare); !waits {
		a.clear = slices.Insert(a.clear, k, to)
	}
}

// handedOver reports whether the twin waits for the signal Flushed (every buffer of its connections is
// empty), and ends that wait.
func (a *asked) handedOver() (waits bool) {
	waits, a.flushed = a.flushed, false
	return waits
}

// env is the Env of the code inside a Byzantine node. Facts that this code emits do not reach monitors.
type env struct {
	sim.Env
	of *node
	k  int
}

func (n *node) env(e sim.Env, k int) sim.Env { return &env{e, n, k} }

func (e *env) Emit(any) {}

func (e *env) After(d time.Duration, timer sim.Signal) { e.Env.After(d, e.of.tag(e.k, timer)) }
func (e *env) Cancel(timer sim.Signal)                 { e.Env.Cancel(e.of.tag(e.k, timer)) }
func (e *env) Scheduled(timer sim.Signal) bool         { return e.Env.Scheduled(e.of.tag(e.k, timer)) }
func (e *env) Post(task sim.Signal)                    { e.Env.Post(e.of.tag(e.k, task)) }

func (e *env) TCP() sim.Conn { return conn{e.port(e.Env.TCP(), sim.LinkTCP), e.Env.TCP()} }
func (e *env) UDP() sim.Port { return e.port(e.Env.UDP(), sim.LinkUDP) }
func (e *env) Set() sim.Port { return e.port(e.Env.Set(), sim.LinkSet) }
func (e *env) Bag() sim.Port { return e.port(e.Env.Bag(), sim.LinkBag) }

func (e *env) port(p sim.Port, by sim.Link) port { return port{p, e, by} }

// port is a port of the code inside a Byzantine node. It records what is sent.
type port struct {
	sim.Port
	env *env
	by  sim.Link
}

func (p port) Send(to sim.Addr, m sim.Message) bool {
	sent := p.Port.Send(to, m)
	if sent {
		p.env.of.heard(p.env.Env, p.env.Env.Self(), p.by, m)
	}
	return sent
}

// conn is the TCP port of the code inside a Byzantine node.
type conn struct {
	port
	below sim.Conn
}

func (c conn) RequestToSend(to sim.Addr) {
	if n := c.env.of; n.twins() {
		n.asked[c.env.k].asks(to)
	}
	c.below.RequestToSend(to)
}

func (c conn) NotifyFlushed() {
	if n := c.env.of; n.twins() {
		n.asked[c.env.k].flushed = true
	}
	c.below.NotifyFlushed()
}

func (c conn) Reset(to sim.Addr) { c.below.Reset(to) }

// Store returns a store of the k-th twin alone, since the twins stand for two machines.
func (e *env) Store() sim.Store {
	if !e.of.twins() {
		return e.Env.Store()
	}
	return store{e.Env.Store(), [...]string{"first.", "second."}[e.k]}
}

// store is the part of a store in which all names begin with a prefix. It is the store of one twin.
type store struct {
	sim.Store
	prefix string
}

func (s store) Get(key string) (string, bool) { return s.Store.Get(s.prefix + key) }
func (s store) Put(key, value string)         { s.Store.Put(s.prefix+key, value) }
func (s store) Delete(key string)             { s.Store.Delete(s.prefix + key) }
func (s store) Keys() []string                { return s.own(s.Store.Keys()) }
func (s store) File(name string) sim.File     { return s.Store.File(s.prefix + name) }
func (s store) Files() []string               { return s.own(s.Store.Files()) }

func (s store) own(all []string) (names []string) {
	for _, name := range all {
		if name, is := strings.CutPrefix(name, s.prefix); is {
			names = append(names, name)
		}
	}
	return names
}
