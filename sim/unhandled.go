package sim

// Unhandled is the value with which a node panics if it does not expect an event. The finding then
// has the verdict unhandled. Nodes made by Handlers and state machines panic with it.
type Unhandled struct {
	Message string // the node, its state, and the event
}

func (u Unhandled) Error() string { return u.Message }
