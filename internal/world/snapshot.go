package world

import (
	"macemc/internal/canon"
	"macemc/netsim"
)

// Snapshot is a state of one run, with facts about the run that are not part of the state: the number of the
// step, and the steps that sent, scheduled and posted the pending events. A Bank keeps one node for all nodes
// with the same identity; a Snapshot keeps its own. It is immutable: a world copies a node before a handler
// runs on it.
type Snapshot struct {
	step  int
	sent  int32 // the number of messages sent so far
	equal [][]netsim.Equal
	parts []any // the parts, in the form of a Bank; nil means empty
	sums  []canon.Hash
	total canon.Hash
}

// Steps returns the number of steps that led to the state.
func (s *Snapshot) Steps() int { return s.step }

// Hash returns the identity of the state.
func (s *Snapshot) Hash() canon.Hash { return s.total }

// Snapshot returns the present state. It must be called between two steps. before is the last snapshot that
// this world took or restored, or nil; the new one shares with it the parts that have not changed since. The
// world must track its changes (see Track) and must not save states to a bank. Its nodes must be copyable
// (see Bound).
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
	return &Snapshot{step: w.Run.step, sent: w.Links.Sent(), equal: w.Links.Equal(), parts: parts, sums: clone(sums), total: total}
}

// Restore sets the world to the state of a snapshot, which may come from another world of an equal system.
// The trace begins again.
func (w *World) Restore(from *Snapshot) {
	w.Run.stand(from.step)
	w.Links.Resume(from.sent)
	for p, of := range from.parts {
		if of == nil && p < w.n {
			panic("macemc bug: sim: a snapshot without a node, and every node has an identity")
		}
		w.State.place(p, of)
	}
	w.Links.PlaceEqual(from.equal)
	w.sums.Stand(from.sums, from.total)
	if w.audit != nil {
		w.audit.Resume()
	}
}
