package explore

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/internal/world"
)

// Two steps that touch no part in common lead to one state in either order. So memo does
// not look up a step from a state that could have been taken before the step which led
// there: if b leads from s to t, and a is possible in s, comes before b there and touches
// nothing that b touches, then a leads from t to where b leads from the state after a. The
// step is counted, and its state is known, or will be when the level has been expanded.
//
// Why no state is lost: let all states of a level be known, and u be one step beyond them.
// If the step a from t is not looked up though it leads to u, then the step b leads there,
// too, from a state of the same level, and comes after a in the order of events. If b is
// not looked up either, there is another step, which comes after b, and so on; since events
// are finite, this ends. It does not matter by which step a state was reached first. But
// all states of the level must be expanded as a whole: otherwise every step is looked up.
//
// If several steps lead to a state, the first in the order of events is never skipped, by the
// same argument. So one worker meets the states in the same order as if every step were
// looked up.
//
// This assumes what memo assumes anyway: that a step is the arithmetic of the bank on the
// parts that it touches. No part is touched by both steps, except sets, which are the same
// whatever is added first.

// by describes the step by which a state was reached: what kind of event at which node (its ordinal),
// the node from whose channel it took a message, the nodes to which it sent, and whether it emitted
// facts. 0 means that the step may have touched anything.
type by uint64

// byNumber is the number of a step's description in bys. 0 means that the step may have touched
// anything.
type byNumber uint16

// bys numbers the distinct descriptions of steps by which states were reached.
type bys struct {
	mu  sync.Mutex
	of  map[by]byNumber
	all atomic.Pointer[[]by]
}

// number returns the number of a description, or 0 if all numbers are in use.
func (b *bys) number(step by) byNumber {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n, known := b.of[step]; known {
		return n
	}
	if b.of == nil {
		b.of = map[by]byNumber{}
		b.all.Store(&[]by{0})
	}
	all := *b.all.Load()
	if len(all) > math.MaxUint16 {
		return 0
	}
	n := byNumber(len(all))
	all = append(all, step) // a copy, so that holders of the shorter list do not see it
	b.of[step] = n
	b.all.Store(&all)
	return n
}

// numbersAs makes ledger l, which has not numbered any step yet, share the numbers of ledger o.
func (l *Ledger) numbersAs(o *Ledger) {
	if l.bys.all.Load() != nil && l.bys != o.bys {
		panic("macemc bug: search: a ledger whose steps have numbers is to take over others")
	}
	l.bys = o.bys
}

// seen is a result of a step that is counted without looking up the state to which it leads, since that state is
// also reached by the same steps in another order.
type seen struct {
	next   int32 // the index of the candidate that was added to the batch after it
	parent int32
	result *result
	event  uint16
	node   uint16
}

// begin makes s a new entry of the list batch.seen, for the result r of event number k on a node.
// It sets the fields one by one for the reason given at candidate.begin.
func (s *seen) begin(b *batch, r *result, k, node int) {
	s.next, s.parent, s.result, s.event, s.node = int32(len(b.Next)), int32(len(b.Parents)-1), r, uint16(k), uint16(node)
}

const (
	byFrom = 9  // the sender's lowest bit; below it are the kind and the node of the ordinal
	byTo   = 14 // the receivers' lowest bit, one bit for each node
	byMost = 30
	byTold = 32 // it emitted facts

	mostTold = 3 // stands for this many messages or more

	byNodes = 16 // in systems of more nodes, steps are not described
)

// Ordinals order events of different nodes by kind, then by node: the order in which the events of a
// state are numbered.
const (
	ordinalScript = iota + 1
	ordinalOffer
	ordinalTask
	ordinalTCP
	ordinalUDP
	ordinalSet
	ordinalTimer

	ordinalNodes = 256
)

func ordinal(kind, node int) int { return kind*ordinalNodes + node }

func nodeOf(ordinal int) int { return ordinal % ordinalNodes }

// name sets o.by to the number of the description of event e, which the function number returns. The
// result of e must follow from the node's part alone.
func (o *footprint) name(number func(by) byNumber, e occurrence, nodes int) {
	if nodes > byNodes {
		return
	}
	from := e.from
	if e.pops == none {
		from = none
	}
	o.by = number(by(e.ordinal/ordinalNodes*byNodes+nodeOf(e.ordinal)) | by(from+1)<<byFrom | by(o.to)<<byTo | by(o.most)<<byMost | by(count(o.facts))<<byTold)
}

// reach records in o to which nodes the step sends, whether a channel may be full, and whether the step
// emits facts.
func (o *footprint) reach(effects []effect, nodes int) {
	for k, s := range effects {
		o.facts = o.facts || s.does == effectTell
		if s.does != effectPush && s.does != effectPut {
			continue
		}
		most := uint8(1)
		for _, before := range effects[:k] {
			most += uint8(count((before.does == effectPush || before.does == effectPut) && before.place == s.place && most < mostTold))
		}
		o.most = max(o.most, most)
		to := int(s.place) - world.SetPlace(nodes, 0)
		if s.room > 0 {
			o.rooms = true
			if to = int(s.place) - world.UDPPlace(nodes, 0); to < 0 {
				to = int(s.place) - world.TCPPlace(nodes, 0)
			}
			to /= nodes
		}
		if to < byNodes { // steps are described only for systems with at most byNodes nodes
			o.to |= 1 << to
		}
	}
}

// hasRoom reports whether the channels of state v have room for all messages that the step of
// footprint o may send.
func (c *cache) hasRoom(o *footprint, v world.Vector) bool {
	for j := range o.results {
		r := &o.results[j]
		sends := r.effects[len(r.effects)-int(r.sends):]
		for k := range sends {
			place := int(sends[k].place)
			if room := int(sends[k].room); room > 0 && int(c.queue(place, v[place]).len)+len(sends) > room {
				return false
			}
		}
	}
	return true
}

// lastStep describes the step by which the state of the position was reached.
type lastStep struct {
	ordinal    int // of the event; 0 if the step may have touched anything
	node, from int
	to, most   uint32
	facts      bool
}

// came records, for the state that was added last, the step by which it was reached.
func (x *Explorer) came(step byNumber) {
	s := x.Next - 1
	x.Block(s).reachedBy(s, step)
}

// lastStep describes the step by which state s was reached. It returns the zero value if no step of s
// may be skipped.
func (m *Memo) lastStep(s uint32) lastStep {
	x := m.x
	b := x.Block(s)
	if m.all || b.by == nil || b.by[s%blockStates] == 0 || x.gaps.Load() || x.Owner.Several {
		return lastStep{}
	}
	step := (*x.bys.all.Load())[b.by[s%blockStates]]
	at := int(step & (1<<byFrom - 1))
	return lastStep{
		ordinal: ordinal(at/byNodes, at%byNodes), node: at % byNodes, from: int(step>>byFrom&(1<<(byTo-byFrom)-1)) - 1,
		to: uint32(step >> byTo & (1<<(byMost-byTo) - 1)), most: uint32(step >> byMost & (1<<(byTold-byMost) - 1)), facts: step>>byTold != 0,
	}
}

// commutes reports whether the step of event e, with footprint o, comes before the last step in the
// order of events, was possible before it, and touches nothing that the last step touches. If so, the
// result of e need not be looked up: taking the two steps in the other order leads to the same state. A
// step touches its node, the channel from which it takes a message, the channels on which it
// sends, and the monitors if it emits facts. Two steps may open the same connection: its directions are open then in either order. Two
// steps may put messages into the same set or bag, since the order does not matter there; but a step
// that takes a message which the last step has put there does not commute with it.
func (m *Memo) commutes(e occurrence, o *footprint) bool {
	b, i := &m.behind, nodeOf(e.ordinal)
	switch {
	case e.ordinal >= b.ordinal || i == b.node:
		return false
	case b.facts && o.facts: // both may change the memory of a monitor
		return false
	case b.from == i && o.to>>b.node&1 != 0: // the last step took a message from the channel into which e sends
		return false
	case e.from == b.node && b.to>>i&1 != 0: // the last step sent into the channel from which e takes: the message of e must be older
		if e.pops == none || e.pops >= world.SetPlace(m.n, 0) || b.most == mostTold || uint32(m.queues[e.pops][m.v[e.pops]].len) <= b.most {
			return false
		}
	}
	return !o.rooms || m.hasRoom(o, m.v)
}

// pass counts a step whose result is not looked up, since another order of the steps leads to the same
// state. For a sample of these steps it computes the state, and checks that it is known.
func (x *Explorer) pass(m *Memo, s *seen) error {
	m.Unasked++
	x.Owner.Counts.transition()
	if !x.pairs.Due() || x.Prints != nil && m.Unasked%sampleEvery != 0 { // with fingerprints, most states are not in the sample
		x.Owner.Counts.duplicate()
		x.pairs.Took(1, false)
		return nil
	}
	here := slices.Clone(m.at)
	m.goTo(m.x.layout.Load(), m.recOf(s.parent))
	c := candidate{Sum: m.total, Parent: s.parent, first: int32(len(m.changes)), event: s.event}
	if !m.apply(&c, s.result, int(s.node)) {
		panic("macemc bug: search: a step that is not looked up has no room")
	}
	m.goTo(m.x.layout.Load(), here)
	if m.Write(&c); x.Prints == nil {
		if _, known := x.Find(c.Sum); !known && !x.Joint { // with Joint, another worker may be about to add the state
			panic("macemc bug: search: a step that is not looked up leads to a new state, though the other order of it and the one before has been taken")
		}
	}
	return x.again(m, &c)
}
