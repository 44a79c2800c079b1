//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package trail

import "os"

// Memory returns a file without a name, which disappears with the last process that has it
// open.
func Memory(what string) (*os.File, error) { return unnamed(what) }
