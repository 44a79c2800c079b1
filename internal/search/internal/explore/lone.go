package explore

import (
	"sync"
	"sync/atomic"
)

// lone takes the place of a ledger's set for most states of a system with one node. Such a state differs from the
// first one only in the node, so the number of the node's part (its state, as numbered by the bank) identifies it.
// Other states stay in the set. The parts that one goroutine adds are numbered one after another. If the states of
// a whole block have such parts, they are in a row: once they are expanded, only the number of the first part is
// kept.
type lone struct {
	mu     sync.Mutex // guards writes of home and chunks
	home   atomic.Pointer[[]uint64]
	chunks atomic.Pointer[[]*loneStates]
	used   atomic.Int64 // number of states
}

// loneStates maps a range of parts, by number, to states: the state's number plus one, or 0 if there is none.
type loneStates [1 << 12]atomic.Uint32

// alone reports whether the packed state differs from the first one only in the node, so that lone finds it, and
// returns the number of the node's part.
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

// knows reports whether lone has the state that is packed in rec with the part id in place of its node. It always
// returns false if the ledger keeps one of several states that differ only in names.
func (e *Entry) knows(rec []uint64, id uint32) bool {
	if e.lone == nil || e.fold != nil {
		return false
	}
	home := e.lone.home.Load()
	return home != nil && e.layout.Load().besides(rec, *home) && e.lone.slot(id).Load() != 0
}

// besides reports whether packed states rec and home are equal except for the node.
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

// row returns the number of the first part if the states of block b, which is full, are in a row. Otherwise it
// returns 0.
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

// inRow records that the block's states are in a row that begins with part first. It returns the packed states, whose
// memory is not needed any more.
func (b *block) inRow(first uint32) (recs []uint64) {
	recs, b.recs, b.row = b.recs, nil, first
	return recs
}

// rec returns state s, packed. The result is valid until the next call.
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

// without returns the packed state with zeros in place of its node.
func (e *Entry) without() []uint64 {
	home := make([]uint64, len(e.packed))
	for i, word := range e.packed {
		home[i] = word &^ e.lay.first[i]
	}
	return home
}

// settles sets l.home, unless another goroutine has set it, and returns it. It is the packed form that the states
// of lone share, with zeros in place of the node.
func (l *lone) settles(home []uint64) *[]uint64 {
	l.home.CompareAndSwap(nil, &home)
	return l.home.Load()
}

// slot returns the slot for the state whose node's part has the number id.
func (l *lone) slot(id uint32) *atomic.Uint32 {
	chunks := l.chunks.Load()
	if chunks == nil || int(id) >= len(*chunks)*len(loneStates{}) {
		chunks = l.grow(int(id))
	}
	return &(*chunks)[id/uint32(len(loneStates{}))][id%uint32(len(loneStates{}))]
}

// grow adds chunks until there is one for the part with number id.
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

// addAlone adds the packed state, which belongs in this slot of lone, unless it is known. It reports whether it was
// new.
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

// Kept returns the number of states that are in the set in memory, or in lone. If states are on disk, that is less
// than all.
func (l *Ledger) Kept() int {
	n := l.Set.Len()
	if l.lone != nil {
		n += int(l.lone.used.Load())
	}
	return n
}
