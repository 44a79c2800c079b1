//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bubble

import "errors"

var errNone = errors.New("this system has no memory that outlives a process")

// Map returns an error on this system.
func (r *Recorder) Map(string) error { return errNone }

// Mapped returns an error on this system.
func Mapped(string) ([]Draw, []uintptr, error) { return nil, nil, errNone }
