package explore

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

// A ledger that keeps fingerprints has two things for a state whose level is expanded: its origin, mostly of 3 bytes, and a
// word in the set, which is between five and six eighths full: 14 to 16 bytes, all in all. If the steps of all nodes are
// taken in the world, as happens when one node has all the state, most parts belong to one state alone, and they are freed
// too. The states of the next level then get a bank of their own, which gives their parts new numbers.

// forgetful reports whether only the states of the next level refer to parts by number, so that other parts can be
// freed.
func (x *Explorer) forgetful() bool {
	if x.Prints == nil || x.Reduction != nil || x.Sleeping() != nil || x.fold != nil {
		return false
	}
	m := x.Memo()
	return m == nil || m.allDear()
}

// met reports whether the fingerprint of a state with identity h is known.
func (e *Entry) met(h canon.Hash) bool {
	e.hold()
	defer e.letGo()
	return e.Set.Has(e.word(h))
}

// Frees frees the parts that no state of the next level has, and reports whether it did. It does nothing unless only
// the states of the next level refer to parts by number (see forgetful). It also does nothing if the bank has fewer
// than least parts, or fewer than two for each state of the next level; if least is negative, the size of the bank
// does not matter. The other explorers expand levels together with x.
func (x *Explorer) Frees(next Frontier, least int, others ...*Explorer) bool {
	for _, other := range others {
		if !other.forgetful() {
			return false
		}
	}
	if !x.forgetful() || least >= 0 && x.Bank.Len() < max(least, 2*next.Len()) {
		return false
	}
	bank, last := x.Bank.Afresh(), make(world.Vector, len(x.To))
	next.Some(0, next.Len(), func(_ int, s uint32) bool {
		x.Get(s, x.To)
		bank.Move(x.Bank, x.To, last)
		copy(last, x.To)
		x.Pack(x.To)
		x.Block(s).replace(s, x.packed)
		return true
	})
	for _, other := range others {
		other.numbers(bank.Share(), x.Lists)
	}
	x.numbers(bank, x.Lists)
	return true
}

// replace overwrites state s by a packed state.
func (b *block) replace(s uint32, packed []uint64) {
	if len(packed) > b.words {
		recs := make([]uint64, len(packed)*blockStates)
		for i := range b.n {
			copy(recs[i*len(packed):], b.recs[i*b.words:(i+1)*b.words])
		}
		b.recs, b.words = recs, len(packed)
	}
	at := b.recs[int(s%blockStates)*b.words:][:b.words]
	clear(at[copy(at, packed):])
}
