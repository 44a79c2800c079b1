package command

import (
	"fmt"
	"os"
)

// residentBytes returns the memory of a process, as the system counts it, or 0 if it is not
// known.
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
