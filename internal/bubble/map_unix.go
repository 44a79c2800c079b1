//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bubble

import (
	"fmt"
	"io"
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

// Map makes the Recorder keep the draws and the stack of later runs in a file, which
// outlives the process.
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

// Mapped returns the draws and the stack of the last run of another process, which kept
// them in a file by Recorder.Map.
func Mapped(file string) (draws []Draw, stack []uintptr, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	stack = make([]uintptr, stackMost)
	if _, err := io.ReadFull(f, unsafe.Slice((*byte)(unsafe.Pointer(&stack[0])), stackBytes)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	some := make([]Draw, 1<<12)
	for len(draws) < logMost { // the file after the last draw is large and empty
		if _, err := io.ReadFull(f, unsafe.Slice((*byte)(unsafe.Pointer(&some[0])), len(some)*drawBytes)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		if n := slices.IndexFunc(some, func(d Draw) bool { return d.Step == 0 }); n >= 0 {
			return append(draws, some[:n]...), stack, nil
		}
		draws = append(draws, some...)
	}
	return draws, stack, nil
}
