//go:build go1.26 && !go1.27 && amd64 && !canon_reflect

package canon

// layoutKnown says that the memory of maps and interfaces was read in the
// sources of this version of Go, for a machine that stores the low byte first.
const layoutKnown = true
