package echomulticast

import (
	"fmt"
	"iter"
	"slices"

	"macemc/sim"
)

// A badReceiver is a Byzantine receiver. It signs every message of a Byzantine initiator. To an honest
// initiator it sends a signature of a text that this initiator has not sent.
type badReceiver struct{ *rules }

var badReceivers = sim.Handle(sim.OnMessage((*badReceiver).initial), sim.OnMessage((*badReceiver).commit))

func (r *badReceiver) initial(env sim.Env, from sim.Addr, m initial) {
	if !slices.Contains(r.bad, from) {
		m.text = two
	}
	env.Bag().Send(from, echo(m))
}

func (r *badReceiver) commit(sim.Env, sim.Addr, commit) {}

// A badInitiator is a Byzantine initiator, which sends different texts to the two halves of the
// honest receivers.
type badInitiator struct {
	*rules
	signed    signatures
	committed [two + 1]bool
}

var badInitiators = sim.Handle(sim.OnSignal((*badInitiator).multicast), sim.OnMessage((*badInitiator).echo))

// quorumBadInitiators are the handlers of a badInitiator that takes the signatures of a quorum in
// one event, as quorumInitiators do.
var quorumBadInitiators = sim.Handle(
	sim.OnSignal((*badInitiator).multicast), sim.OnMessage((*badInitiator).echo),
	sim.OnQuorum((*badInitiator).enough, (*badInitiator).matches, (*badInitiator).certified),
)

// matches reports whether a signature may be taken as a part of a quorum, and of which text it is.
// Only signatures of one text are taken together.
func (i *badInitiator) matches(_ sim.Addr, m echo) (text int, ok bool) {
	return m.text, !i.committed[m.text]
}

func (i *badInitiator) certified(env sim.Env, of []sim.Sent[echo]) {
	for _, m := range of {
		i.echo(env, m.From, m.Message)
	}
}

// gets reports whether the initiator sends a text to the k-th receiver.
func (i *badInitiator) gets(k, text int) bool {
	half := one + k%2
	return i.both || k >= i.honest || half == text
}

func (i *badInitiator) multicast(env sim.Env, _ multicast) {
	for text := one; text <= two; text++ {
		for k, r := range i.receivers {
			if i.gets(k, text) {
				env.Bag().Send(r, initial{text})
			}
		}
	}
}

// Accepts reports whether a signature may be handled by itself. That is false if it is late and late
// ones stay under way, or if the signatures of a quorum are handled in one event.
func (i *badInitiator) Accepts(_ sim.Addr, m sim.Message) bool {
	if i.committed[m.(echo).text] {
		return !i.stay
	}
	return !i.together
}

func (i *badInitiator) echo(env sim.Env, from sim.Addr, m echo) {
	if i.committed[m.text] {
		return
	}
	i.signed.add(from, m.text)
	if i.signed.of(m.text) < i.quorum {
		return
	}
	var signed signatures
	signed[m.text] = i.signed[m.text]
	i.committed[m.text], i.signed[m.text] = true, 0
	for k, r := range i.receivers[:i.honest] {
		if i.gets(k, m.text) {
			env.Bag().Send(r, commit{m.text, signed})
		}
	}
}

// forge calls lie for each message that a Byzantine node can make up, given the messages that it
// has seen. An initiator can make up either text, and a commit with the signatures that it has; a
// receiver can make up a signature of either text. Nobody can forge the signature of another node.
func forge(p sim.Params, self sim.Addr, seen iter.Seq2[sim.Addr, sim.Message], lie func(sim.Addr, sim.Link, sim.Message)) {
	all := rulesOf(p)
	var signed signatures
	for from, m := range seen {
		switch m := m.(type) {
		case initial:
			if from != self {
				lie(from, sim.LinkBag, echo{one})
				lie(from, sim.LinkBag, echo{two})
			}
		case echo:
			if from != self {
				signed.add(from, m.text)
			}
		case commit: // what it signs is known from its echoes
		default:
			panic(fmt.Sprintf("echomulticast: no case for the message %T", m))
		}
	}
	if slices.Contains(all.receivers, self) {
		return
	}
	for _, r := range all.receivers {
		for text := one; text <= two; text++ {
			lie(r, sim.LinkBag, initial{text})
			if signed.of(text) > 0 {
				lie(r, sim.LinkBag, commit{text, signed})
			}
		}
	}
}
