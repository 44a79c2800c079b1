package flat

import (
	"sync/atomic"

	"macemc/internal/canon"
)

// Index finds the position of a hash in a list of distinct hashes, which the caller keeps in a Hashes: the
// Index itself has only positions and a few bits of each hash. The zero Index belongs to the empty list. A
// copy of the struct is a view: while one goroutine calls Add, others may call Find of their views, with
// views of the list.
type Index struct {
	slots []uint32 // in the low bits a position plus one, in the others bits of the hash; 0 if free
	used  int
}

func (x *Index) home(h canon.Hash) int { return int(h.Lo & uint64(len(x.slots)-1)) }

// tag returns the bits of a hash that are in its slot besides the position. If a slot has other bits, Find
// need not read the list, which is mostly not in the processor's cache.
func (x *Index) tag(h canon.Hash) uint32 { return uint32(h.Hi>>32) &^ uint32(len(x.slots)-1) }

// Find returns the position of h in the list. It ignores hashes that this view of the list does not have.
func (x *Index) Find(list *Hashes, h canon.Hash) (uint32, bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	most, tag := len(x.slots)-1, x.tag(h)
	for at := x.home(h); ; at = (at + 1) & most {
		switch word := atomic.LoadUint32(&x.slots[at]); {
		case word == 0:
			return 0, false
		case word&^uint32(most) == tag:
			if n := word & uint32(most); int(n) <= list.Len() && list.At(n-1) == h {
				return n - 1, true
			}
		}
	}
}

// Touch reads the slot that Find will read first, so that it is in the processor's cache by then.
func (x *Index) Touch(h canon.Hash) {
	if len(x.slots) > 0 {
		atomic.LoadUint32(&x.slots[x.home(h)])
	}
}

// Add adds the hash at position place of the list to the index. The positions must be added in
// order.
func (x *Index) Add(list *Hashes, place uint32) {
	if 4*(x.used+1) > 3*len(x.slots) {
		slots := make([]uint32, max(8, 2*len(x.slots)))
		x.slots, x.used = slots, 0
		for n := range place {
			x.put(list, n)
		}
	}
	x.put(list, place)
}

func (x *Index) put(list *Hashes, place uint32) {
	h := list.At(place)
	at := x.home(h)
	for x.slots[at] != 0 {
		at = (at + 1) & (len(x.slots) - 1)
	}
	atomic.StoreUint32(&x.slots[at], x.tag(h)|(place+1))
	x.used++
}
