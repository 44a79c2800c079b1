package explore

import (
	"reflect"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/sim"
	"macemc/trace"
)

// begin records the state of the event's node before the world of t takes the event.
func (r *Reduction) begin(t *Taker, event int) {
	t.World.Events.Count() // count again: a step may have been taken and undone since the events were counted
	e := t.World.Events.Look(event)
	i := e.Node.Index()
	r.before, r.emits = nil, false
	r.turns(e.Kind.Fault())
	if r.acting = r.kinds(r.acting[:0], e); len(r.acting) > 0 {
		r.before = r.awaiting(t, i, t.From[i])
		r.taking = r.takes(t, i, t.From[i])
	}
}

// awaiting returns the kinds of events that node i has pending by itself, without a message, when its
// state is the part with number id.
func (r *Reduction) awaiting(t *Taker, i int, id uint32) stubborn.Set {
	return r.pending(t.Bank, i, id).classes
}

// takes returns a hash of the values of node i on which properties depend, as sim.Takes declares
// them. The node's part has the number id.
func (r *Reduction) takes(t *Taker, i int, id uint32) canon.Hash {
	for int(id) >= len(r.taken[i]) {
		r.taken[i], r.known[i] = append(r.taken[i], canon.Hash{}), append(r.known[i], false)
	}
	if !r.known[i][id] {
		r.taken[i][id], r.known[i][id] = t.World.Judge.Taken(i), true
	}
	return r.taken[i][id]
}

// differ reports whether the values of node i on which properties depend (as sim.Takes declares)
// may differ between the parts with the numbers was and is.
func (r *Reduction) differ(i int, was, is uint32) bool {
	known := func(id uint32) bool { return int(id) < len(r.known[i]) && r.known[i][id] }
	return was != is && (!known(was) || !known(is) || r.taken[i][was] != r.taken[i][is])
}

// observe records facts about the kinds of the event that the world of t has just taken: which kinds it
// made pending, whether it changed its node, and whether it was barred or visible (see Reduction).
func (r *Reduction) observe(t *Taker) {
	if len(r.acting) == 0 {
		return
	}
	w := t.World
	e := w.Run.LastEvent()
	i := e.Node.Index()
	for _, f := range w.Run.Effects() {
		switch f.Kind {
		case trace.EffectSend:
			to := f.To.Index()
			r.facts.Brings(r.acting, r.class(kind{to, i, sim.KindMessage, f.Link, reflect.TypeOf(f.Value)}))
			if r.loses && f.Link == sim.LinkUDP {
				r.facts.Brings(r.acting, r.losing(to, i))
			}
			if f.Lost || w.Links.Full(f.Link, i, to) {
				r.facts.Bar(r.acting)
			}
		case trace.EffectAfter, trace.EffectCancel, trace.EffectPost, trace.EffectLog, trace.EffectWrite, trace.EffectSync, trace.EffectEmit:
		default:
			r.facts.Bar(r.acting)
		}
	}
	id := w.State.SavePart(t.Bank, i)
	for c := range r.awaiting(t, i, id).Each {
		if !r.before.Has(c) {
			r.facts.Brings(r.acting, c)
		}
	}
	if !e.Kind.Fault() && !t.Bank.Local(i, id).Up {
		r.facts.Bar(r.acting)
	}
	if id != t.From[i] {
		r.facts.Changes(r.acting)
	}
	if r.takes(t, i, id) != r.taking {
		r.shown()
	}
	touched := w.State.Touched()
	for place, why := range touched.Read() {
		if why&state.Asked != 0 && place != i && !r.fell(t, &e, place) {
			r.facts.Bar(r.acting)
		}
	}
	for place := range touched.Written() {
		if !r.fell(t, &e, place) {
			r.wrote(i, place, touched.Why(place))
		}
	}
}

// fell reports whether e is a fault, and the part at a place is its budget or the set of paused nodes.
// Every failure of a node changes these two, so such a change shows nothing about the kind of the
// event. If e is a fault that touched a TCP connection which was or is open, fell bars the kinds of
// e, so that they are never put off.
func (r *Reduction) fell(t *Taker, e *sim.Event, place int) bool {
	if !e.Kind.Fault() {
		return false
	}
	if sort, _ := r.at.At(place); sort == state.TCP && (t.From[place] != 0 || t.World.State.At()[place] != 0) {
		r.facts.Bar(r.acting)
	}
	return place == r.at.Budget(e.Kind.Budget()) || place == r.at.Pauses()
}

// wrote records that a step of node i changed the part at a place; why says how the step touched it.
func (r *Reduction) wrote(i, place int, why state.Why) {
	switch sort, at := r.at.At(place); sort {
	case state.Node:
		if at == i {
			return
		}
	case state.TCP, state.UDP:
		if at/r.n == i || at%r.n == i {
			return
		}
	case state.Set:
		if at == i || why&state.Sent != 0 {
			return
		}
	case state.Monitor:
		r.shown()
		return
	}
	r.facts.Bar(r.acting)
}

// shown records that the step just taken is visible: it may change the value of a property.
func (r *Reduction) shown() {
	r.facts.See(r.acting)
	r.emits = true
}
