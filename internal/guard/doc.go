// Package guard calls what a service supplies outside of its handlers, makes
// errors of its panics, and tells stacks by the frames of the service alone.
//
// In goes a function of a service, or a stack; out comes an error or a text. It
// knows how the frames of a run are called, and nothing else of one.
package guard
