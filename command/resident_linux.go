package command

import (
	"bytes"
	"fmt"
	"os"
)

// residentBytes returns the memory that a process uses, in bytes, or 0 if it is not known.
func residentBytes(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var all, resident, shared int
	if err == nil {
		_, err = fmt.Sscan(string(text), &all, &resident, &shared)
	}
	if err != nil {
		return 0
	}
	return (resident - shared) * os.Getpagesize()
}

// isStopped reports whether a process was stopped by a signal such as SIGSTOP. It is false
// for a process that a debugger has stopped.
func isStopped(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	at := bytes.LastIndexByte(text, ')') // the end of the program's name
	return at >= 0 && bytes.HasPrefix(text[at+1:], []byte(" T "))
}
