//go:build !race

package visited

import (
	"syscall"
	"unsafe"
)

// returns gives the memory of the slots back to the operating system. The slots must begin with a
// page, and are not read any more.
func returns(slots []uint64) {
	syscall.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&slots[0])), 8*len(slots)), syscall.MADV_DONTNEED)
}

// spread asks the operating system for large pages of memory for a table. The slots of a table are used in no order:
// with small pages, nearly each slot that is read is on a page whose address the processor has to look up in memory.
// A small table stays as it is, since a large page of it would be mostly empty.
func spread(b []byte) {
	const large = 1 << 21
	if len(b) >= 2*large {
		syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}
