//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bubble

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

const drawBytes = int(unsafe.Sizeof(Draw{}))

// Map keeps the draws of the next runs in a file, where they outlive the process.
func (r *Recorder) Map(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(int64(logMost * drawBytes)); err != nil {
		return err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, logMost*drawBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping %s: %w", file, err)
	}
	r.log = unsafe.Slice((*Draw)(unsafe.Pointer(&mem[0])), logMost)
	return nil
}

// Mapped returns the draws of the run whose process mapped them into a file.
func Mapped(file string) ([]Draw, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := make([]Draw, len(text)/drawBytes)
	if len(out) == 0 {
		return nil, nil
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), len(out)*drawBytes), text)
	for i, d := range out {
		if d.Step == 0 {
			return out[:i], nil
		}
	}
	return out, nil
}
