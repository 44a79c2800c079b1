//go:build !unix

package live

import (
	"errors"
	"os"
)

// pause returns an error if on is true, since this system has no signal that stops a
// process.
func pause(_ *os.Process, on bool) error {
	if on {
		return errors.New("this system cannot pause a process; leave pauses out, or run the nodes in one process")
	}
	return nil
}
