package byzantine

import (
	"fmt"
	"iter"

	"macemc/internal/contract"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/sim"
)

// node is a Byzantine node. Inside, it runs a node of other code, or two twins: two copies of the correct
// node under one address. It passes messages and signals on to them.
type node struct {
	by    *conduct
	runs  []sim.Node // the node inside, or the two twins
	asked []asked    // for each twin, the signals for which it waits
	lying
}

// asked records the signals for which a twin waits: ClearToSend from peers, and Flushed.
type asked struct {
	clear   []sim.Addr // the peers to which the twin wants to send, in order
	flushed bool
}

// born makes a Byzantine node for its first life at the address self.
func born(c *conduct, self sim.Addr) sim.Node {
	runs := c.make(self)
	switch {
	case c.Seen:
		return runs
	case c.Twins:
		return &node{by: c, runs: []sim.Node{runs, c.make(self)}, asked: make([]asked, 2), lying: lying{left: c.Lies}}
	default:
		return &node{by: c, runs: []sim.Node{runs}, lying: lying{left: c.Lies}}
	}
}

// make makes a node that runs inside a Byzantine node.
func (c *conduct) make(self sim.Addr) sim.Node {
	if c.New != nil {
		return c.New(c.params, self)
	}
	return c.sys.New(c.params, self)
}

// reborn makes the Byzantine node of the next life. It keeps the messages that n has seen, and the number
// of lies that n may still send.
func (n *node) reborn(c *conduct, self sim.Addr) sim.Node {
	next := &node{by: c, asked: make([]asked, len(n.asked)), lying: n.lying}
	for _, dead := range n.runs {
		if c.New != nil {
			next.runs = append(next.runs, c.make(self))
		} else {
			next.runs = append(next.runs, crashed(c.sys, c.params, self, dead))
		}
	}
	return next
}

// clone returns a copy of the node, made by System.Clone if the system has it.
func (n *node) clone(self sim.Addr) sim.Node {
	c := &node{by: n.by, lying: n.lying.clone()}
	for _, one := range n.runs {
		c.runs = append(c.runs, n.by.clone(self, one))
	}
	for _, one := range n.asked {
		c.asked = append(c.asked, asked{append([]sim.Addr(nil), one.clear...), one.flushed})
	}
	return c
}

func (c *conduct) clone(self sim.Addr, n sim.Node) sim.Node {
	if c.New == nil {
		return c.sys.Clone(c.params, self, n)
	}
	walker, err := contract.Walker(c.sys)
	if err == nil {
		var same any
		if same, err = walker.Copy(n); err == nil {
			return same.(sim.Node)
		}
	}
	panic(fmt.Sprintf("macemc: the Byzantine node %s of %s cannot be copied: %v", self, c.sys.Name, err))
}

// Hidden says that properties do not see the node: see sight.Hidden.
func (n *node) Hidden() {}

var _ sight.Hidden = (*node)(nil)

func (n *node) twins() bool { return len(n.runs) == 2 }

// Init and the methods below implement sim.Node.
func (n *node) Init(env sim.Env) {
	for k := range n.runs {
		n.runs[k].Init(n.env(env, k))
	}
}

func (n *node) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	n.heard(env, from, 0, m)
	n.reach(env, "which twin gets the message",
		func(k int) bool { return n.guards(k).Accept(from, m) },
		func(k int) { n.runs[k].Deliver(n.env(env, k), from, m) })
}

func (n *node) Handle(env sim.Env, s sim.Signal) {
	if l, is := s.(lie); is {
		n.tell(env, l)
		return
	}
	if k, own := untag(s); k >= 0 {
		n.runs[k].Handle(n.env(env, k), own)
		return
	}
	if n.twins() {
		switch s := s.(type) {
		case sim.PeerError: // both twins share the connection
			n.signal(env, s, func(int) bool { return true })
			return
		case sim.ClearToSend:
			n.signal(env, s, func(k int) bool { return n.asked[k].cleared(s.Peer) })
			return
		case sim.Flushed:
			n.signal(env, s, func(k int) bool { return n.asked[k].handedOver() })
			return
		}
	}
	n.reach(env, "which twin gets the request",
		func(k int) bool { return n.guards(k).Opens(s) },
		func(k int) { n.runs[k].Handle(n.env(env, k), s) })
}

// signal passes a signal to the twins that wait for it; waits reports whether the k-th twin does.
func (n *node) signal(env sim.Env, s sim.Signal, waits func(k int) bool) {
	for k := range n.runs {
		if waits(k) {
			n.runs[k].Handle(n.env(env, k), s)
		}
	}
}

// reach passes an event to the first twin, to the second, or to both, as a choice of env decides; why is
// the text that describes the choice. hand passes the event to the k-th twin. takes reports whether the
// k-th twin can take it; only if both can, there is a choice.
func (n *node) reach(env sim.Env, why string, takes func(k int) bool, hand func(k int)) {
	if !n.twins() {
		hand(0)
		return
	}
	reaches := [2]bool{takes(0), takes(1)}
	if reaches[0] && reaches[1] {
		only := env.Choose(3, why+": the first, the second, both")
		reaches = [2]bool{only != 1, only != 0}
	}
	for k, is := range reaches {
		if is {
			hand(k)
		}
	}
}

func (n *node) guards(k int) *handler.Guards {
	g := handler.GuardsOf(n.runs[k])
	return &g
}

func (n *node) Offers(offer func(sim.Signal)) {
	for k := range n.runs {
		n.guards(k).Offer(func(s sim.Signal) { offer(n.tag(k, s)) })
	}
	n.offerLies(offer)
}

func (n *node) Gathers(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal)) {
	for k := range n.runs {
		n.guards(k).Gather(in, func(s sim.Signal) { offer(n.tag(k, s)) })
	}
}

func (n *node) Accepts(from sim.Addr, m sim.Message) bool {
	for k := range n.runs {
		if n.guards(k).Accept(from, m) {
			return true
		}
	}
	return false
}

func (n *node) Opens(s sim.Signal) bool {
	for k := range n.runs {
		if n.guards(k).Opens(s) {
			return true
		}
	}
	return false
}
