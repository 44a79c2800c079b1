// Package overlay writes the overlay by which macemc builds programs that have
// goroutines: a copy of some files of the user's own GOROOT, in which the draws
// that Go's runtime makes for a testing/synctest bubble are answered by a tape.
//
// The overlay is a file of JSON for the flag -overlay of go build and go test. It
// names the files that it replaces, and one that it adds to package runtime. Nothing
// in GOROOT changes. Programs that are built with it behave as others do, except in
// the bubble that [macemc/internal/bubble] runs, and except that the keys of Go's hash
// functions are fixed.
//
// The changes are a list of hunks, each of which replaces one piece of a source file.
// Write returns an error for a release of Go whose sources nobody has read, and for a
// source in which the piece of a hunk does not occur exactly once. That error names
// the hunk, the file, the release and the file's hash.
package overlay
