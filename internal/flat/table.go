package flat

import (
	"math/bits"
	"unsafe"
)

// Table maps keys, which must not be 0, to numbers. It is at most half full. The zero Table
// is empty.
type Table struct {
	slots []slot
	used  int
}

type slot struct {
	key   uint64 // 0 if the slot is free
	value uint32
}

const least = 256

func (t *Table) home(key uint64) int {
	hi, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(t.slots)))
	return int(hi)
}

// Len returns the number of keys.
func (t *Table) Len() int { return t.used }

// Bytes returns the memory of the table.
func (t *Table) Bytes() int { return len(t.slots) * int(unsafe.Sizeof(slot{})) }

// Get returns the number of a key, if the key is in the table.
func (t *Table) Get(key uint64) (uint32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	for at := t.home(key); ; {
		s := &t.slots[at]
		switch s.key {
		case key:
			return s.value, true
		case 0:
			return 0, false
		}
		if at++; at == len(t.slots) {
			at = 0
		}
	}
}

// Put adds a key that is not in the table, with its number.
func (t *Table) Put(key uint64, value uint32) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		*t = Table{slots: make([]slot, max(least, 2*len(old)))}
		for _, s := range old {
			if s.key != 0 {
				t.Put(s.key, s.value)
			}
		}
	}
	at := t.home(key)
	for t.slots[at].key != 0 {
		if at++; at == len(t.slots) {
			at = 0
		}
	}
	t.slots[at] = slot{key, value}
	t.used++
}
