//go:build unix

package live

import (
	"os"
	"syscall"
)

// pause stops a process by a signal if on is true, and else lets it continue.
func pause(p *os.Process, on bool) error {
	if on {
		return p.Signal(syscall.SIGSTOP)
	}
	return p.Signal(syscall.SIGCONT)
}
