//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package trail

import (
	"errors"
	"os"
)

var errNone = errors.New("this system has no memory that two processes share")

// New is an error here.
func New() (*Trail, error) { return nil, errNone }

// Open is an error here.
func Open(*os.File) (*Trail, error) { return nil, errNone }

// Memory is an error here.
func Memory(string) (*os.File, error) { return nil, errNone }
