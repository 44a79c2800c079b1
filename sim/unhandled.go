package sim

import "strings"

// Unhandled is the value with which a node panics if it does not expect an event. The
// finding has the verdict unhandled. Nodes made by Handlers and state machines panic so.
type Unhandled struct {
	Message string // the node, its state, and the event
}

// lacksHandler is the part of a message by which Unlisted recognizes a missing handler.
const lacksHandler = " has no handler of the "

// Unlisted reports whether the node's Handlers do not list the type of the event. Such a
// node fails whenever the event occurs, whatever its state.
func (f *Failure) Unlisted() bool {
	return f.Verdict == VerdictUnhandled && strings.Contains(f.Message, lacksHandler)
}

func (u Unhandled) Error() string { return u.Message }
