package world

// Bound says why a node cannot be copied: of a function that it holds, whose variables a
// copy would share with it. Engines that copy are not for such nodes. "": all can be, by
// the walk or by the system.
func (w *World) Bound() string {
	if w.sys.Clone != nil {
		return ""
	}
	for i := range w.nodes {
		if why := w.walker.Bound(w.nodes[i].node); why != "" {
			return why
		}
	}
	return ""
}
