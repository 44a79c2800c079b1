//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package command

// residentBytes returns 0: this system has no file with the number, so a handler that takes
// all memory is left to the system.
func residentBytes(int) int { return 0 }

// isStopped is false: this system does not tell it in a file.
func isStopped(int) bool { return false }
