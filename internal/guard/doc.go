// Package guard calls functions that a service supplies outside of its handlers, turns
// their panics into errors, and cuts stacks down to the frames of the service. It knows the
// names of macemc's own frames, and nothing else about a run.
package guard
