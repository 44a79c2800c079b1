//go:build unix

package search

import (
	"syscall"
	"time"
)

// Processor returns the processor time that the process has taken, all threads together:
// what a busy machine does not change. If it is 0, it is not known.
func Processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// userTime returns what of it was not spent in the kernel, which is busy when memory is
// short.
func userTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
