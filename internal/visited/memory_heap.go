//go:build race || !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package visited

import "errors"

// OffHeap is the memory that all tables of the process have reserved outside
// the heap: none here.
func OffHeap() int { return 0 }

// The race detector does not see what is outside the heap, so it gets this one.

// reserve takes n empty slots from the heap, as a slice without pointers.
func reserve(n int) (slots []uint64, release func() error, err error) {
	if uint64(n) > 1<<40 {
		return nil, nil, errors.New("more than any memory")
	}
	return make([]uint64, n), func() error { return nil }, nil
}
