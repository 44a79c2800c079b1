//go:build unix

package live

import (
	"os"
	"syscall"
)

// pause stops a process, or lets it go on.
func pause(p *os.Process, on bool) error {
	if on {
		return p.Signal(syscall.SIGSTOP)
	}
	return p.Signal(syscall.SIGCONT)
}
