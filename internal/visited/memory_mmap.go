//go:build !race && (darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package visited

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

var mapped atomic.Int64

// OffHeap returns the memory that all tables of the process have reserved outside of the
// heap, where the Go runtime does not count it.
func OffHeap() int { return int(mapped.Load()) }

// reserve maps memory for n empty slots outside of the heap, so that it does not affect the
// garbage collector.
func reserve(n int) (slots []uint64, release func() error, err error) {
	b, err := syscall.Mmap(-1, 0, 8*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	spread(b)
	// The map begins with a page, so slots are aligned.
	mapped.Add(int64(8 * n))
	release = func() error {
		mapped.Add(int64(-8 * n))
		return syscall.Munmap(b)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), n), release, nil
}
