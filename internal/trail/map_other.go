//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package trail

import (
	"errors"
	"os"
)

var errNone = errors.New("macemc cannot share memory between processes on this operating system")

// New returns an error, since processes cannot share memory on this operating system.
func New() (*Trail, error) { return nil, errNone }

// Open returns an error, since processes cannot share memory on this operating system.
func Open(*os.File) (*Trail, error) { return nil, errNone }

// Memory returns an error, since processes cannot share memory on this operating system.
func Memory(string) (*os.File, error) { return nil, errNone }
