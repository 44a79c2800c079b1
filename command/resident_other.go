//go:build !linux

package command

// residentBytes returns 0: this system has no file with the number, so a handler that takes
// all memory is left to the system.
func residentBytes(int) int { return 0 }

// isStopped returns false, since no file of this system says whether a process is stopped.
func isStopped(int) bool { return false }
