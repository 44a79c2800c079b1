//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package finding

import (
	"os"
	"syscall"
)

// lock locks a folder, unless another process has locked it: then ours is false. The lock ends when release
// is called, or with the process.
func lock(folder string) (release func(), ours bool) {
	f, err := os.Open(folder)
	if err != nil {
		return func() {}, false
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return func() {}, false
	}
	return func() { f.Close() }, true
}
