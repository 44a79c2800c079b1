package explore

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
)

// kind identifies a kind of events: see Reduction.
type kind struct {
	node, from int
	kind       sim.Kind
	link       sim.Link
	of         reflect.Type
}

// pending describes a part of a state for the reduction: which kinds of events are pending because of it.
type pending struct {
	classes stubborn.Set
	head    stubborn.Class // for a channel in order: the kind of its first message
	sum     canon.Hash     // its share of the identity of a situation
	calm    bool           // steps of a state with this part may be left out
	away    bool           // the part is a node that failed
}

// nothing describes a place that has no part.
var nothing = pending{head: none, calm: true}

// like returns the identity of state v's situation: the kinds of its pending events. If no step of the state may be
// left out, why is the reason, otherwise "".
func (r *Reduction) like(b *world.Bank, v world.Vector) (sum canon.Hash, why string) {
	if sum, why = r.weather(b, v); why != "" {
		return sum, why
	}
	away := false
	for place, id := range v[:r.at.Rest()] {
		if id != 0 {
			of := r.pending(b, place, id)
			if !of.calm {
				return sum, whyUnsettled
			}
			sum, away = sum.Add(of.sum), away || of.away
		}
	}
	if away && !r.apart(b, v) {
		return sum, whyFailed
	}
	return sum, ""
}

// failing lists the faults by which a node fails.
var failing = [...]sim.Kind{sim.KindCrash, sim.KindDown, sim.KindWipe}

// spendable lists the faults whose budget need not be spent before steps of a state may be left
// out.
var spendable = append(failing[:], sim.KindLose)

// weather returns the part of the situation's identity that depends on the environment of state v. If the environment
// does not allow leaving out steps of the state, why is the reason, for example a budget for faults other than
// failures of nodes and losses. Otherwise why is "".
func (r *Reduction) weather(b *world.Bank, v world.Vector) (sum canon.Hash, why string) {
	switch calm, faults := b.Calm(v); {
	case !calm:
		return sum, whyForced
	case !faults:
		return sum, ""
	}
	left := 0
	for _, id := range v[r.at.Rest():r.at.Cut()] {
		left += count(id != 0)
	}
	for _, kind := range spendable {
		if v[r.at.Budget(kind.Budget())] != 0 {
			sum, left = sum.Then(canon.Hash{Hi: uint64(kind), Lo: 1}), left-1
		}
	}
	if left > 0 {
		return sum, whyBudget
	}
	return sum, ""
}

// apart reports whether, in state v, all connections with failed nodes are closed, and no datagram is under way to a
// failed node.
func (r *Reduction) apart(b *world.Bank, v world.Vector) bool {
	for place := r.at.TCP(0); place < r.at.Set(0); place++ {
		sort, channel := r.at.At(place)
		to, from := channel/r.n, channel%r.n
		if v[place] != 0 && (r.pending(b, to, v[to]).away || sort == state.TCP && r.pending(b, from, v[from]).away) {
			return false
		}
	}
	return true
}

// situation returns the kinds of events that are pending in state v. The result is valid until the next call.
func (r *Reduction) situation(b *world.Bank, v world.Vector) *stubborn.Situation {
	s := r.here.Empty()
	for place, id := range v[:r.at.Rest()] {
		if id == 0 {
			continue
		}
		of := r.pending(b, place, id)
		if s.Has(place, of.classes, of.head); of.away {
			s.Fails(place)
		}
	}
	if r.Static {
		for _, c := range r.classes {
			s.Pending.Add(c)
		}
	}
	for _, kind := range failing {
		if v[r.at.Budget(kind.Budget())] != 0 {
			for i := range r.n {
				s.Pending.Add(r.fails(i, kind))
				s.Fails(i)
			}
		}
	}
	if v[r.at.Budget(sim.KindLose.Budget())] != 0 {
		for c := range r.n * r.n {
			if v[r.at.UDP(c)] != 0 {
				s.Pending.Add(r.losing(c/r.n, c%r.n))
			}
		}
	}
	return s
}

// pending describes the part with number id at a place.
func (r *Reduction) pending(b *world.Bank, place int, id uint32) *pending {
	if id == 0 {
		return &nothing
	}
	for int(id) >= len(r.parts[place]) {
		r.parts[place] = append(r.parts[place], nil)
	}
	if of := r.parts[place][id]; of != nil {
		return of
	}
	sort, at := r.at.At(place)
	node, calm, away := at, true, false
	var classes stubborn.Set
	switch sort {
	case state.Node:
		l := b.Local(place, id)
		calm, away = l.Up || l.Absent, l.Absent
		if l.Up && !l.Plain {
			r.facts.Whole(at)
		}
		if away && !l.Gone {
			classes.Add(r.restart(at))
		}
	case state.TCP, state.UDP:
		calm = b.Queue(place, id).Plain
		node = at / r.n
	}
	head := -1
	b.Awaits(place, id, func(k sim.Kind, link sim.Link, from int, value any) {
		c := r.class(kind{node, from, k, link, reflect.TypeOf(value)})
		if classes.Add(c); head < 0 && (sort == state.TCP || sort == state.UDP) {
			head = c
		}
	})
	sum := canon.Hash{Hi: uint64(head+1)<<1 | uint64(count(away)), Lo: uint64(place + 1)}
	for c := range classes.Each {
		sum = sum.Then(canon.Hash{Hi: uint64(c) + 1, Lo: uint64(place)})
	}
	of := &pending{classes, head, sum, calm, away}
	r.parts[place][id] = of
	return of
}

// restart returns the kind of the event by which node i starts again. All events of the node depend
// on it.
func (r *Reduction) restart(i int) stubborn.Class {
	c := r.class(kind{node: i, from: i, kind: sim.KindRestart})
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// fails returns the kind of the event by which node i fails.
func (r *Reduction) fails(i int, by sim.Kind) stubborn.Class {
	c := r.class(kind{node: i, from: i, kind: by})
	r.failures.Add(c)
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// losing returns the kind of event by which a datagram from node from to node i is lost.
func (r *Reduction) losing(i, from int) stubborn.Class {
	c := r.class(kind{node: i, from: from, kind: sim.KindLose})
	r.failures.Add(c)
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// class returns the number of a kind of event.
func (r *Reduction) class(k kind) stubborn.Class {
	if r.Merge != nil && k.kind == sim.KindMessage && (k.link == sim.LinkSet || k.link == sim.LinkBag) && r.Merge(k.of) {
		k.from = none
	}
	c, known := r.classes[k]
	if !known {
		channel := -1
		if k.kind == sim.KindMessage && k.link == sim.LinkTCP {
			channel = world.TCPPlace(r.n, k.node*r.n+k.from)
		} else if k.kind == sim.KindMessage && k.link == sim.LinkUDP {
			channel = world.UDPPlace(r.n, k.node*r.n+k.from)
		}
		c = r.facts.NewClass(k.node, channel)
		r.classes[k] = c
	}
	return c
}

// kinds appends to list the kinds of event e.
func (r *Reduction) kinds(list []stubborn.Class, e *sim.Event) []stubborn.Class {
	i := e.Node.Index()
	if i < 0 {
		return list
	}
	switch e.Kind {
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
		list = append(list, r.class(kind{i, i, e.Kind, 0, reflect.TypeOf(e.Value)}))
	case sim.KindRestart:
		list = append(list, r.restart(i))
	case sim.KindCrash, sim.KindDown, sim.KindWipe:
		list = append(list, r.fails(i, e.Kind))
	case sim.KindLose:
		list = append(list, r.losing(i, e.From.Index()))
	case sim.KindMessage:
		list = append(list, r.class(kind{i, e.From.Index(), e.Kind, e.Link, reflect.TypeOf(e.Value)}))
	case sim.KindQuorum:
		for _, m := range e.Value.(sim.Quorum) {
			list = append(list, r.class(kind{i, m.From.Index(), sim.KindMessage, m.Link, reflect.TypeOf(m.Message)}))
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

// kind returns the kind of event e, which takes no message, or none if the event has no kind.
func (r *Reduction) kind(e *sim.Event) stubborn.Class {
	if r != nil {
		for _, c := range r.kinds(nil, e) {
			return c
		}
	}
	return none
}
