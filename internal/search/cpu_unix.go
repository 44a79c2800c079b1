//go:build unix

package search

import (
	"syscall"
	"time"
)

// Processor returns the processor time that all threads of the process have taken together, which
// does not depend on how busy the machine is. It returns 0 if the time is not known.
func Processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// userTime returns the processor time that the process took, without the kernel's, which grows when
// memory is short.
func userTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
