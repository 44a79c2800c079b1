package visited

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"macemc/internal/canon"
)

// Options are the size of a table and the layout of its words.
type Options struct {
	Bytes     int // memory of the table; at least 128
	DepthBits int // bits of a word that hold the depth, from 2 to 32; 0: 8
	HashBits  int // how much of a hash counts: its so many lowest bits; 0: all 128. For trials of weak hashes
}

const (
	bytesLeast     = 128
	depthBitsLeast = 2
	depthBitsMost  = 32
)

func (o Options) filled() (Options, error) {
	if o.DepthBits == 0 {
		o.DepthBits = 8
	}
	switch {
	case o.Bytes < bytesLeast:
		return o, fmt.Errorf("a table of visited states in %d bytes; it needs at least %d", o.Bytes, bytesLeast)
	case o.DepthBits < depthBitsLeast || o.DepthBits > depthBitsMost:
		return o, fmt.Errorf("a table of visited states with %d bits for the depth; it takes from %d to %d", o.DepthBits, depthBitsLeast, depthBitsMost)
	case o.HashBits < 0 || o.HashBits > 64-o.DepthBits:
		return o, fmt.Errorf("a table of visited states with %d bits of the hash; beside %d for the depth it takes up to %d, or 0 for all",
			o.HashBits, o.DepthBits, 64-o.DepthBits)
	}
	return o, nil
}

// DepthBits is the number of bits that tell depths from 0 to most apart. It is
// in the range of Options for every bound that a search can come to.
func DepthBits(most int) int {
	return min(max(bits.Len64(uint64(max(0, most))+2), depthBitsLeast), depthBitsMost)
}

// Outcome is what the table says of a state.
type Outcome uint8

// The outcomes. On New and Shallower, expand the state.
const (
	New       Outcome = 1 + iota // it was not there, and is now
	Shallower                    // it was there, deeper, and is at this depth now; or both are too deep to tell
	Known                        // it was there, no deeper
	Full                         // it was not there, and there is no room: the search is incomplete
)

func (o Outcome) String() string {
	switch o {
	case New:
		return "new"
	case Shallower:
		return "shallower"
	case Known:
		return "known"
	case Full:
		return "full"
	default:
		return fmt.Sprintf("outcome %d", uint8(o))
	}
}

// Table is a set of visited states. All methods but Close may be called by
// several goroutines at once.
type Table struct {
	slots    []uint64 // 0 is empty
	release  func() error
	depths   uint64 // mask of a word's depth; a depth of all ones is deep
	hashBits int    // 0: all

	limit uint64      // states at which the table is full
	full  atomic.Bool // it is

	// New states are counted in stripes, which workers seldom share; a stripe
	// adds to counted when it has got batch of them.
	counted atomic.Uint64
	batch   uint64 // a power of 2
	stripes [stripes]stripe
}

const stripes = 32

// stripe is a counter with a cache line of its own.
type stripe struct {
	n atomic.Uint64
	_ [56]byte
}

// Make makes an empty table, and reserves its memory.
func Make(o Options) (*Table, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	slots, release, err := reserve(o.Bytes / 8)
	if err != nil {
		return nil, fmt.Errorf("a table of visited states in %d bytes: %w; give it less memory", o.Bytes, err)
	}
	return over(slots, release, o), nil
}

// over makes a table of empty slots.
func over(slots []uint64, release func() error, o Options) *Table {
	t := &Table{
		slots: slots, release: release,
		depths: 1<<o.DepthBits - 1, hashBits: o.HashBits,
		limit: uint64(len(slots)) * 9 / 10,
		batch: 1,
	}
	for t.batch*stripes*64 <= t.limit {
		t.batch *= 2
	}
	return t
}

// Insert says whether a state that was reached at a depth is to be expanded,
// and remembers it.
func (t *Table) Insert(h canon.Hash, depth int) Outcome {
	if t.hashBits != 0 {
		h = t.weaken(h)
	}
	word := h.Lo&^t.depths | min(uint64(depth), t.depths-1) + 1
	deep := h.Lo | t.depths // the greatest word of this tag
	i := t.home(h)
	for range len(t.slots) {
		slot := &t.slots[i]
		old := atomic.LoadUint64(slot)
		if old == 0 {
			if t.full.Load() {
				return Full
			}
			if atomic.CompareAndSwapUint64(slot, 0, word) {
				t.count(h)
				return New
			}
			old = atomic.LoadUint64(slot) // another was faster, perhaps with this state
		}
		if old|t.depths == deep {
			return t.again(slot, old, word)
		}
		if i++; i == uint64(len(t.slots)) {
			i = 0
		}
	}
	return Full
}

// Has reports whether a state is in the table, at whatever depth.
func (t *Table) Has(h canon.Hash) bool {
	if t.hashBits != 0 {
		h = t.weaken(h)
	}
	deep := h.Lo | t.depths
	i := t.home(h)
	for range len(t.slots) {
		switch old := atomic.LoadUint64(&t.slots[i]); {
		case old == 0:
			return false
		case old|t.depths == deep:
			return true
		}
		if i++; i == uint64(len(t.slots)) {
			i = 0
		}
	}
	return false
}

// home is the slot at which the search for a state begins.
func (t *Table) home(h canon.Hash) uint64 {
	i, _ := bits.Mul64(h.Hi, uint64(len(t.slots)))
	return i
}

// again is Insert of a state whose slot is found. The tag of a slot stays, its
// depth only falls.
func (t *Table) again(slot *uint64, old, word uint64) Outcome {
	for word < old {
		if atomic.CompareAndSwapUint64(slot, old, word) {
			return Shallower
		}
		old = atomic.LoadUint64(slot)
	}
	if old&t.depths == t.depths {
		return Shallower // both are deep: which is deeper was not stored
	}
	return Known
}

// count counts a new state, and declares the table full at its limit, or up to
// 1/64 of it later.
func (t *Table) count(h canon.Hash) {
	if n := t.stripes[h.Hi%stripes].n.Add(1); n&(t.batch-1) == 0 && t.counted.Add(t.batch) >= t.limit {
		t.full.Store(true)
	}
}

// weaken makes a whole hash of the bits that count: the tag is those bits, so
// that equal tags are equal bits.
func (t *Table) weaken(h canon.Hash) canon.Hash {
	x := h.Lo & (1<<t.hashBits - 1)
	return canon.Hash{Hi: mix(x), Lo: x * (t.depths + 1)}
}

// mix is the finalizer of MurmurHash3, a bijection.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Touch loads the home slot of a state, so that an Insert that follows soon
// finds it in the cache. What it returns is of no use; the load is atomic, and
// so it is not optimised away.
func (t *Table) Touch(h canon.Hash) uint64 {
	if t.hashBits != 0 {
		h = t.weaken(h)
	}
	return atomic.LoadUint64(&t.slots[t.home(h)])
}

// together is how many slots InsertAll touches before it inserts.
const together = 16

// InsertAll is Insert of each of the states, in order, which were all reached
// at one depth: the same outcomes in less time. There must be room for as many
// outcomes as there are states.
func (t *Table) InsertAll(states []canon.Hash, depth int, outcomes []Outcome) {
	outcomes = outcomes[:len(states)]
	for len(states) > 0 {
		n := min(len(states), together)
		for _, h := range states[:n] {
			t.Touch(h)
		}
		for i, h := range states[:n] {
			outcomes[i] = t.Insert(h, depth)
		}
		states, outcomes = states[n:], outcomes[n:]
	}
}

// Len is the number of states in the table.
func (t *Table) Len() int {
	var n uint64
	for i := range t.stripes {
		n += t.stripes[i].n.Load()
	}
	return int(n)
}

// Cap is the number of states, nine tenths of the slots, at which the table is
// full; many workers, and stripes of a large table, may go up to 1/64 beyond.
func (t *Table) Cap() int { return int(t.limit) }

// Bytes is the memory that the table has reserved.
func (t *Table) Bytes() int { return 8 * len(t.slots) }

// Close gives the memory back. The table must not be used any more.
func (t *Table) Close() error {
	release := t.release
	if release == nil {
		return nil
	}
	t.slots, t.release = nil, nil
	return release()
}
