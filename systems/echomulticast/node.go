package echomulticast

import (
	"math/bits"

	"macemc/sim"
)

type ( // messages
	initial struct{ text int }
	echo    struct{ text int } // a signature of the receiver
	commit  struct {
		text int
		by   signatures
	}
)

// signatures has, for each text, the nodes that have signed it: bit k stands for the node with index k.
type signatures [two + 1]uint64

func (s *signatures) add(from sim.Addr, text int) { s[text] |= 1 << from.Index() }

// of returns the number of signatures of a text.
func (s *signatures) of(text int) int { return bits.OnesCount64(s[text]) }

// multicast is the request of the application to an initiator.
type multicast struct{}

// The texts of initiators. An honest initiator sends the first one; a Byzantine one sends both.
const (
	one = iota + 1
	two
)

// rules are the parameters, in the form in which all nodes need them.
type rules struct {
	receivers []sim.Addr // the honest ones first
	honest    int
	quorum    int
	bad       []sim.Addr // Byzantine initiators
	both      bool       // a Byzantine initiator sends both texts to every node
	stay      bool       // late signatures are declined
	together  bool       // the signatures of a quorum are taken in one event, and none before
}

// A receiver is an honest receiver.
type receiver struct {
	*rules
	signed    map[sim.Addr]int // by initiator: the text that this receiver has signed
	delivered map[sim.Addr]int // by initiator: the text that it has delivered
}

var receivers = sim.Handle(sim.OnMessage((*receiver).initial), sim.OnMessage((*receiver).commit))

func (r *receiver) initial(env sim.Env, from sim.Addr, m initial) {
	if r.signed[from] != 0 && !env.Bug(EM4) {
		return
	}
	r.signed[from] = m.text
	env.Bag().Send(from, echo(m))
}

func (r *receiver) commit(env sim.Env, from sim.Addr, m commit) {
	if r.delivered[from] == 0 && m.by.of(m.text) >= r.quorum {
		r.delivered[from] = m.text
	}
}

// An initiator is an honest initiator.
type initiator struct {
	*rules
	sent      bool
	signed    signatures
	committed bool
}

var initiators = sim.Handle(sim.OnSignal((*initiator).multicast), sim.OnMessage((*initiator).echo))

func (i *initiator) multicast(env sim.Env, _ multicast) {
	i.sent = true
	for _, r := range i.receivers {
		env.Bag().Send(r, initial{one})
	}
}

// quorumInitiators are the handlers of an honest initiator that takes the signatures of a quorum
// in one event. The known bug EM3 does not apply to it.
var quorumInitiators = sim.Handle(
	sim.OnSignal((*initiator).multicast), sim.OnMessage((*initiator).echo),
	sim.OnQuorum((*initiator).enough, (*initiator).matches, (*initiator).certified),
)

// Accepts reports whether a signature may be handled by itself. That is false if it is late and late
// ones stay under way, or if it belongs to a quorum whose signatures are handled in one event.
func (i *initiator) Accepts(_ sim.Addr, m sim.Message) bool {
	if i.committed {
		return !i.stay
	}
	return !i.together || m.(echo).text != one
}

func (r *rules) enough() int { return r.quorum }

// matches reports whether a signature may be taken as a part of a quorum.
func (i *initiator) matches(_ sim.Addr, m echo) (all struct{}, ok bool) {
	return all, !i.committed && m.text == one
}

func (i *initiator) certified(env sim.Env, of []sim.Sent[echo]) {
	for _, m := range of {
		i.echo(env, m.From, m.Message)
	}
}

func (i *initiator) echo(env sim.Env, from sim.Addr, m echo) {
	if i.committed || m.text != one && !env.Bug(EM3) {
		return // late, or a signature of something else
	}
	i.signed.add(from, m.text)
	if i.signed.of(one)+i.signed.of(two) < i.quorum {
		return
	}
	signed := i.signed
	i.committed, i.signed = true, signatures{}
	for _, r := range i.receivers {
		env.Bag().Send(r, commit{one, signed})
	}
}
