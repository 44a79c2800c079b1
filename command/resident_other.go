//go:build !linux

package command

// residentBytes returns 0, since this operating system does not say in a file how much
// memory a process uses. So a handler that takes all memory is left to the system.
func residentBytes(int) int { return 0 }

// isStopped returns false, since this operating system does not say in a file whether a
// process is stopped.
func isStopped(int) bool { return false }
