//go:build !race

package visited

import (
	"syscall"
	"unsafe"
)

// returns gives back the memory of slots that begin with a page and are not read any more.
func returns(slots []uint64) {
	syscall.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&slots[0])), 8*len(slots)), syscall.MADV_DONTNEED)
}
