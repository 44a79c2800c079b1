//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package command

import "io"

// columns is the width of a terminal, which this system does not tell.
func columns(io.Writer) int { return 80 }
