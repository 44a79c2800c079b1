//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// columns is the width of the terminal that w is; 80 where it does not tell.
func columns(w io.Writer) int {
	const usual = 80
	file, ok := w.(*os.File)
	if !ok {
		return usual
	}
	var size struct{ rows, columns, x, y uint16 }
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if failed != 0 || size.columns == 0 {
		return usual
	}
	return int(size.columns)
}
