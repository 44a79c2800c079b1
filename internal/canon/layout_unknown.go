//go:build !go1.26 || go1.27 || !amd64 || canon_reflect

package canon

// layoutKnown says that nobody has looked at how this version of Go lays out
// maps and interfaces. When it is read anew, see also the self-test.
const layoutKnown = false
