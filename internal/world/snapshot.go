package world

import (
	"macemc/internal/canon"
	"macemc/netsim"
)

// Snapshot is a state of one run as it was, with what does not belong to the
// state but to the run: the number of the step, and which steps sent, scheduled
// and posted what is under way. A Bank takes two nodes of one identity for one;
// a Snapshot does not. It is immutable: the world that goes on copies a node
// before it lets a handler run on it.
type Snapshot struct {
	step  int
	parts []any // as in a Bank; nil: nothing
	sums  []canon.Hash
	total canon.Hash
}

// Steps is the number of steps that led to the state.
func (s *Snapshot) Steps() int { return s.step }

// Hash is the identity of the state.
func (s *Snapshot) Hash() canon.Hash { return s.total }

// Snapshot keeps the state, between two steps. It shares with before what has
// not changed since: before is the last that this world took or restored, or
// nil. The world must track what changes, and save nothing to a bank: see Track.
// Nodes that cannot be copied must not be kept: see Bound.
func (w *World) Snapshot(before *Snapshot) *Snapshot {
	total := w.State.Hash()
	s := &w.sums
	out := &Snapshot{step: w.Run.step, parts: make([]any, len(s.part)), sums: clone(s.part), total: total}
	for p := range out.parts {
		switch {
		case s.part[p] == (canon.Hash{}):
		case before != nil && !s.moved[p]:
			out.parts[p] = before.parts[p]
		default:
			out.parts[p] = w.State.part(p)
		}
		s.moved[p] = false
	}
	s.movedList = s.movedList[:0]
	return out
}

// Restore makes the world be where a snapshot was taken, of this world or of
// one of an equal system. The trace begins anew.
func (w *World) Restore(from *Snapshot) {
	w.Run.forget()
	w.Run.stand(from.step)
	s := &w.sums
	for p, of := range from.parts {
		if of == nil && p < w.n {
			panic("macemc bug: sim: a snapshot without a node, and every node has an identity")
		}
		w.State.place(p, of)
		s.part[p], s.stale[p] = from.sums[p], false
		s.moved[p] = false
	}
	s.total, s.list, s.movedList = from.total, s.list[:0], s.movedList[:0]
	if w.auditing {
		w.audit.resume()
	}
}

// resume takes what is there for what was there.
func (a *auditor) resume() {
	if len(a.kept) != a.n {
		a.kept, a.lines = make([]canon.Hash, a.n), make([][]canon.Line, a.n)
	}
	a.run.gave(netsim.Packet{})
	for k := range a.nodes.at {
		a.keep(k)
	}
	for k := range a.judge.monitors {
		a.remember(k)
	}
}
