package world

// frozen is a list that is never written after it was made. Banks and snapshots have such lists, and every
// world that is in the same state reads them. A world that takes a step copies the list with thaw, or freezes
// a list of its own.
type frozen[T any] struct{ items []T }

// freeze returns a frozen copy of items. The caller may still write items.
func freeze[T any](items []T) frozen[T] { return frozen[T]{clone(items)} }

func (f frozen[T]) len() int { return len(f.items) }

// thaw copies the list into the memory of another list, and returns the copy, which may be written.
func (f frozen[T]) thaw(into []T) []T { return append(into[:0], f.items...) }
