package sim

import "strings"

// Unhandled is what a node panics with that is given an event which it does not expect.
// The finding has the verdict unhandled. Nodes that are made of Handlers, and machines, do so.
type Unhandled struct {
	Message string // who, in which state, and what came
}

// lacksHandler is said of a node whose Handlers have nothing for an event's type.
const lacksHandler = " has no handler of the "

// Unlisted reports whether the failure is an event whose type no Handlers of the node
// list: it fails whenever such an event comes.
func (f *Failure) Unlisted() bool {
	return f.Verdict == VerdictUnhandled && strings.Contains(f.Message, lacksHandler)
}

func (u Unhandled) Error() string { return u.Message }
