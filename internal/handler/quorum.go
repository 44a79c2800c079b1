package handler

import (
	"fmt"
	"reflect"
	"slices"

	"macemc/internal/sight"
	"macemc/sim"
)

// quorums has the quorums that a node declares with sim.OnQuorum: sets of messages that it takes in one
// event.
type quorums struct {
	subject any
	rules   []sight.Quorum
}

// quorumsOf returns the quorums of a node. A node that a layer carries has none: see Validate.
func quorumsOf(n sim.Node) (q quorums) {
	if h, is := n.(sight.Handled); is {
		if q.rules = h.Handlers().Quorums; len(q.rules) > 0 {
			q.subject = h.Subject()
		}
	}
	return q
}

// Awaits reports whether the node takes the message m only together with others.
func (g *Guards) Awaits(m sim.Message) bool {
	for i := range g.quorums.rules {
		if r := &g.quorums.rules[i]; r.Only && reflect.TypeOf(m) == r.Of {
			return true
		}
	}
	return false
}

// Quorums finds the quorums among the pending messages of a node. It reuses its memory from call to call.
type Quorums struct {
	members []member
	kinds   []any
	line    []member // the members of one kind
	picked  []int32
}

// member is a pending message that may belong to a quorum. Only messages of one kind form a quorum.
type member struct {
	place   int32 // the index of the message among the pending ones
	from    sim.Addr
	kind    int // the index of its kind in Quorums.kinds
	senders int // the number of different senders in Quorums.line from this member on
}

// Find calls found with each set of pending messages that the node may take at once, in canonical order. A
// set is a list of indices in pending, whose messages are ordered by sender. found must not keep the list.
func (q *Quorums) Find(g *Guards, pending []sim.Sent[sim.Message], found func(places []int32)) {
	for i := range g.quorums.rules {
		r := &g.quorums.rules[i]
		size := r.Size(g.quorums.subject)
		if size < 1 {
			panic(fmt.Sprintf("the size of an OnQuorum of %s is %d; it is at least 1", r.Of, size))
		}
		q.match(r, g, pending)
		for kind := range q.kinds {
			q.align(kind)
			q.pick(0, size, found)
		}
	}
}

// match sets q.members to the pending messages that may belong to a quorum by the rule r, and q.kinds to
// their kinds.
func (q *Quorums) match(r *sight.Quorum, g *Guards, pending []sim.Sent[sim.Message]) {
	q.members, q.kinds = q.members[:0], q.kinds[:0]
	for place, t := range pending {
		if reflect.TypeOf(t.Message) != r.Of {
			continue
		}
		if kind, ok := r.Match(g.quorums.subject, t.From.Index(), t.Message); ok {
			q.members = append(q.members, member{place: int32(place), from: t.From, kind: q.kind(kind)})
		}
	}
}

// kind returns the index of a kind in q.kinds, to which it adds a new one.
func (q *Quorums) kind(of any) int {
	k := slices.Index(q.kinds, of)
	if k < 0 {
		k = len(q.kinds)
		q.kinds = append(q.kinds, of)
	}
	return k
}

// align sets q.line to the members of a kind.
func (q *Quorums) align(kind int) {
	q.line = q.line[:0]
	for _, m := range q.members {
		if m.kind == kind {
			q.line = append(q.line, m)
		}
	}
	senders := 0
	for i := len(q.line) - 1; i >= 0; i-- {
		if i+1 == len(q.line) || q.line[i].from != q.line[i+1].from {
			senders++
		}
		q.line[i].senders = senders
	}
	q.picked = q.picked[:0]
}

// pick completes the set q.picked in every possible way, and calls found with each result. It adds the
// number left of members of q.line, beginning at the index at. A set has at most one message of each
// sender.
func (q *Quorums) pick(at, left int, found func([]int32)) {
	if left == 0 {
		found(q.picked)
		return
	}
	for ; at < len(q.line) && q.line[at].senders >= left; at++ {
		next := at + 1
		for next < len(q.line) && q.line[next].from == q.line[at].from {
			next++
		}
		q.picked = append(q.picked, q.line[at].place)
		q.pick(next, left-1, found)
		q.picked = q.picked[:len(q.picked)-1]
	}
}
