//go:build race || !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package visited

import "errors"

// OffHeap returns the memory that all tables of the process have reserved outside of the
// heap, which is none here.
func OffHeap() int { return 0 }

// The race detector does not see memory outside of the heap, so it gets this
// implementation.

// reserve allocates n empty slots on the heap.
func reserve(n int) (slots []uint64, release func() error, err error) {
	if uint64(n) > 1<<40 {
		return nil, nil, errors.New("more than any memory")
	}
	return make([]uint64, n), func() error { return nil }, nil
}
