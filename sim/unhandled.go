package sim

// Unhandled is what a node panics with that is given an event which it does not expect.
// The finding has the verdict unhandled. Nodes that are made of Handlers, and machines, do so.
type Unhandled struct {
	Message string // who, in which state, and what came
}

func (u Unhandled) Error() string { return u.Message }
