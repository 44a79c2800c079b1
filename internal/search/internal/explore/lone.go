package explore

import (
	"sync"
	"sync/atomic"
)

// lone finds states without the set of a ledger, where a system has one node. Most states of such a system
// differ from the first one in the node alone, so the number of the node's part says which state it is. The
// other states stay in the set. The parts of the states that one goroutine adds are numbered one after another. If
// this is so in a whole block, only the number of its first part is kept once its states are expanded.
type lone struct {
	mu     sync.Mutex // guards writes of home and chunks
	home   atomic.Pointer[[]uint64]
	chunks atomic.Pointer[[]*loneStates]
	used   atomic.Int64 // the number of states
}

// loneStates has the states of some parts, by number: the number of the state plus one; 0 means none.
type loneStates [1 << 12]atomic.Uint32

// alone reports whether lone has the packed state, if it is known, and returns the number of its node's part.
func (e *Entry) alone() (id uint32, is bool) {
	if e.lone == nil {
		return 0, false
	}
	home := e.lone.home.Load()
	if home == nil {
		home = e.lone.settles(e.without())
	}
	return e.lay.at(e.packed, 0), e.lay.besides(e.packed, *home)
}

// knows reports whether lone has a state that is packed in rec but for its node, whose part is given. If states of different
// names are one, it reports false.
func (e *Entry) knows(rec []uint64, id uint32) bool {
	if e.lone == nil || e.fold != nil {
		return false
	}
	home := e.lone.home.Load()
	return home != nil && e.layout.Load().besides(rec, *home) && e.lone.slot(id).Load() != 0
}

// besides reports whether two packed states are equal except for the node.
func (l *layout) besides(rec, home []uint64) bool {
	// Layouts only grow, so a word that one of the two lacks is zero in it.
	for i, word := range rec {
		besides := word &^ l.first[i]
		if i < len(home) && besides != home[i] || i >= len(home) && besides != 0 {
			return false
		}
	}
	for i := len(rec); i < len(home); i++ {
		if home[i] != 0 {
			return false
		}
	}
	return true
}

// row returns the number of the first node's part if the states of a full block are in a row, else 0.
func (l *lone) row(lay *layout, b *block) (first uint32) {
	home := l.home.Load()
	for i := range uint32(blockStates) {
		rec := b.recs[int(i)*b.words:][:b.words]
		id := lay.at(rec, 0)
		if i == 0 {
			first = id
		}
		if home == nil || id != first+i || !lay.besides(rec, *home) {
			return 0
		}
	}
	return first
}

// inRow replaces the states of a block, which are in a row, and returns them.
func (b *block) inRow(first uint32) (recs []uint64) {
	recs, b.recs, b.row = b.recs, nil, first
	return recs
}

// rec returns state s, packed, until the next call.
func (e *Entry) rec(s uint32) []uint64 {
	b := e.Block(s)
	if b.row == 0 {
		return e.Ledger.rec(s)
	}
	lay := e.layout.Load()
	e.room = append(e.room[:0], *e.lone.home.Load()...)
	for len(e.room) < lay.words() {
		e.room = append(e.room, 0)
	}
	lay.put(e.room, 0, b.row+s%blockStates)
	return e.room
}

// without returns the packed state without its node.
func (e *Entry) without() []uint64 {
	home := make([]uint64, len(e.packed))
	for i, word := range e.packed {
		home[i] = word &^ e.lay.first[i]
	}
	return home
}

// settles sets the part of the states that they all share, unless another goroutine was faster.
func (l *lone) settles(home []uint64) *[]uint64 {
	l.home.CompareAndSwap(nil, &home)
	return l.home.Load()
}

// slot returns the slot for the state that has a part.
func (l *lone) slot(id uint32) *atomic.Uint32 {
	chunks := l.chunks.Load()
	if chunks == nil || int(id) >= len(*chunks)*len(loneStates{}) {
		chunks = l.grow(int(id))
	}
	return &(*chunks)[id/uint32(len(loneStates{}))][id%uint32(len(loneStates{}))]
}

// grow extends the chunks up to the one that holds a part.
func (l *lone) grow(id int) *[]*loneStates {
	l.mu.Lock()
	defer l.mu.Unlock()
	var chunks []*loneStates
	if now := l.chunks.Load(); now != nil {
		chunks = *now
	}
	for id >= len(chunks)*len(loneStates{}) {
		chunks = append(chunks, new(loneStates)) // holders of the shorter list do not see it
	}
	l.chunks.Store(&chunks)
	return &chunks
}

// addAlone is add for a state that lone finds in a slot.
func (e *Entry) addAlone(slot *atomic.Uint32, from Origin) bool {
	if slot.Load() != 0 {
		return false
	}
	e.write(from)
	if !slot.CompareAndSwap(0, e.Next+1) {
		return false // another goroutine was faster
	}
	e.apart++
	e.keep()
	return true
}

// Kept returns the number of states that can be found in memory.
func (l *Ledger) Kept() int {
	n := l.Set.Len()
	if l.lone != nil {
		n += int(l.lone.used.Load())
	}
	return n
}
