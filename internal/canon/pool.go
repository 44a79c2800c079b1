package canon

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Pool keeps what packed values have in common and refer to by number: values that copies share, types, and
// short strings. Several goroutines may use one Pool, each with a Walker of its own.
type Pool struct {
	mu      sync.Mutex
	numbers map[constant]uint32
	named   map[string]uint32
	all     atomic.Pointer[[]constant]
	strings atomic.Pointer[[]string]
}

// constant is what a Pool keeps under a number: up to two pointers, as in an interface, or the header of a
// slice.
type constant struct {
	a, b     unsafe.Pointer
	len, cap int
}

const (
	poolMost   = 1 << 22 // constants
	pooledMost = 1 << 16 // strings
	pooledLong = 64      // bytes of one of them
)

// NewPool returns an empty Pool. Number 0 stands for nil.
func NewPool() *Pool {
	p := &Pool{numbers: map[constant]uint32{{}: 0}, named: map[string]uint32{}}
	p.all.Store(&[]constant{{}})
	p.strings.Store(new([]string))
	return p
}

// number returns the number of a constant, which it adds if it is new. It returns false if the Pool is full.
func (p *Pool) number(c constant) (uint32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.numbers[c]
	if !known {
		all := append(*p.all.Load(), c) // readers of the shorter list do not see the new element
		if n = uint32(len(all) - 1); n >= poolMost {
			return 0, false
		}
		p.numbers[c] = n
		p.all.Store(&all)
	}
	return n, true
}

func (p *Pool) constant(n uint32) constant { return (*p.all.Load())[n] }

// pooled returns the number of a string, which it adds if it is new. It returns false if the string is too
// long or the Pool is full.
func (p *Pool) pooled(s string) (uint32, bool) {
	if len(s) > pooledLong {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.named[s]
	if !known {
		all := append(*p.strings.Load(), s)
		if n = uint32(len(all) - 1); n >= pooledMost {
			return 0, false
		}
		p.named[s] = n
		p.strings.Store(&all)
	}
	return n, true
}

func (p *Pool) stringOf(n uint32) string { return (*p.strings.Load())[n] }
