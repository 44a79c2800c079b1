package flat

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Table is a hash table whose keys are numbers other than 0. It is at most half full. The zero Table is empty. A
// copy of the struct is a view: while one goroutine calls Put, others may call Get of their views without a lock. A
// view has all keys that were there when it was made, and perhaps more.
type Table[V any] struct {
	slots []slot[V]
	used  int
}

type slot[V any] struct {
	key   uint64 // 0 if the slot is free
	value V      // it is written before the key, and not changed after
}

const least = 256

func (t *Table[V]) home(key uint64) int {
	hi, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(t.slots)))
	return int(hi)
}

// Len returns the number of keys.
func (t *Table[V]) Len() int { return t.used }

// Bytes returns how many bytes of memory the table takes up.
func (t *Table[V]) Bytes() int { return len(t.slots) * int(unsafe.Sizeof(slot[V]{})) }

// Get returns the value of a key, if the key is in the table.
func (t *Table[V]) Get(key uint64) (value V, known bool) {
	if len(t.slots) == 0 {
		return value, false
	}
	for at := t.home(key); ; {
		s := &t.slots[at]
		switch atomic.LoadUint64(&s.key) {
		case key:
			return s.value, true
		case 0:
			return value, false
		}
		if at++; at == len(t.slots) {
			at = 0
		}
	}
}

// Put adds a key that is not in the table, with its value.
func (t *Table[V]) Put(key uint64, value V) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		*t = Table[V]{slots: make([]slot[V], max(least, 2*len(old)))}
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
	t.slots[at].value = value
	atomic.StoreUint64(&t.slots[at].key, key)
	t.used++
}
