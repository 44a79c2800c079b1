// Package observe looks at a run from outside: no step depends on it.
//
//	Coverage    counts what runs exercised, and says what they never did
//	Audit       checks that a handler changes nothing but its own node
//	Goroutines  notices goroutines that a handler starts
//	Difference  a line in which two states differ; Place says whose a line is
//
// A runtime passes facts in: an event that became possible or happened, an answer to a coin, the
// value of a property. Nothing here holds a runtime, so that the fields of each observer are
// written here alone.
package observe
