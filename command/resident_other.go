//go:build !linux

package command

// residentBytes returns 0, since this operating system has no file with the memory of a process. So the keeper
// does not kill a child whose handler takes all memory; only the operating system may.
func residentBytes(int) int { return 0 }

// isStopped returns false, since this operating system has no file with the state of a process.
func isStopped(int) bool { return false }
