//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bubble

import "errors"

var errNone = errors.New("this system has no memory that outlives a process")

// Map returns an error, since this system has no memory that outlives a process.
func (r *Recorder) Map(string) error { return errNone }

// Mapped returns an error, since this system has no memory that outlives a process.
func Mapped(string) ([]Draw, []uintptr, error) { return nil, nil, errNone }
