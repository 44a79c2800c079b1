package world

// frozen is a list that is never written after it was made. Parts of banks and snapshots have such
// lists, and every world in that state reads them. A world that takes a step makes a list of its own,
// by thaw or by freezing another one.
type frozen[T any] struct{ items []T }

// freeze makes one of a list that its owner may go on writing.
func freeze[T any](items []T) frozen[T] { return frozen[T]{clone(items)} }

func (f frozen[T]) len() int { return len(f.items) }

// thaw returns the same list in the place of another, which its owner may write.
func (f frozen[T]) thaw(into []T) []T { return append(into[:0], f.items...) }
