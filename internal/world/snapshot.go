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
	sent  int32 // messages, so far
	equal [][]netsim.Equal
	parts []any // as in a Bank; nil means nothing
	sums  []canon.Hash
	total canon.Hash
}

// Steps returns the number of steps that led to the state.
func (s *Snapshot) Steps() int { return s.step }

// Hash returns the identity of the state.
func (s *Snapshot) Hash() canon.Hash { return s.total }

// Snapshot keeps the state, between two steps. It shares with before what has
// not changed since: before is the last that this world took or restored, or
// nil. The world must track what changes, and save nothing to a bank: see Track.
// Nodes that cannot be copied must not be kept: see Bound.
func (w *World) Snapshot(before *Snapshot) *Snapshot {
	total := w.State.Hash()
	sums := w.sums.Parts()
	parts := make([]any, len(sums))
	for p := range parts {
		switch {
		case sums[p] == (canon.Hash{}):
		case before != nil && !w.sums.HasMoved(p):
			parts[p] = before.parts[p]
		default:
			parts[p] = w.State.part(p)
		}
	}
	w.sums.Settle()
	return &Snapshot{step: w.Run.step, sent: w.Run.sent, equal: w.Links.equal(), parts: parts, sums: clone(sums), total: total}
}

// Restore makes the world be where a snapshot was taken, of this world or of
// one of an equal system. The trace begins anew.
func (w *World) Restore(from *Snapshot) {
	w.Run.stand(from.step, from.sent)
	for p, of := range from.parts {
		if of == nil && p < w.n {
			panic("macemc bug: sim: a snapshot without a node, and every node has an identity")
		}
		w.State.place(p, of)
	}
	w.Links.placeEqual(from.equal)
	w.sums.Stand(from.sums, from.total)
	if w.auditing {
		w.audit.resume()
	}
}

// resume takes the current values as the unchanged ones.
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
