//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trail

import (
	"os"
	"syscall"
	"unsafe"
)

// New returns a trail into which no process writes yet.
func New() (*Trail, error) {
	file, err := Memory("trail")
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(int64(size)); err != nil {
		return nil, err
	}
	return Open(file)
}

// Open returns the trail in a file.
func Open(file *os.File) (*Trail, error) {
	mem, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Trail{file: file, head: (*head)(unsafe.Pointer(&mem[0])), all: (*[slots]Slot)(unsafe.Pointer(&mem[headBytes]))}, nil
}
