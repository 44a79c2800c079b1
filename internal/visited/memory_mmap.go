//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package visited

import (
	"syscall"
	"unsafe"
)

// reserve maps memory for n empty slots outside the heap, where the collector
// neither looks at it nor paces itself by it.
func reserve(n int) (slots []uint64, release func() error, err error) {
	b, err := syscall.Mmap(-1, 0, 8*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	// The map begins with a page, so slots are aligned.
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), n), func() error { return syscall.Munmap(b) }, nil
}
