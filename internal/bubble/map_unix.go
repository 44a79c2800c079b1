//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bubble

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"unsafe"
)

const (
	drawBytes  = int(unsafe.Sizeof(Draw{}))
	stackBytes = stackMost * int(unsafe.Sizeof(uintptr(0)))
	mapBytes   = stackBytes + logMost*drawBytes
)

// Map keeps the stack and the draws of the next runs in a file, where they outlive the
// process.
func (r *Recorder) Map(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(int64(mapBytes)); err != nil {
		return err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, mapBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping %s: %w", file, err)
	}
	r.stack = unsafe.Slice((*uintptr)(unsafe.Pointer(&mem[0])), stackMost)
	r.log = unsafe.Slice((*Draw)(unsafe.Pointer(&mem[stackBytes])), logMost)
	return nil
}

// Mapped returns the draws and the stack of the run whose process mapped them into a file.
func Mapped(file string) (draws []Draw, stack []uintptr, err error) {
	text, err := os.ReadFile(file)
	if err != nil || len(text) < mapBytes {
		return nil, nil, err
	}
	stack, draws = make([]uintptr, stackMost), make([]Draw, logMost)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&stack[0])), stackBytes), text)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&draws[0])), logMost*drawBytes), text[stackBytes:])
	n := slices.IndexFunc(draws, func(d Draw) bool { return d.Step == 0 })
	if n < 0 {
		n = logMost
	}
	return slices.Clone(draws[:n]), stack, nil
}
