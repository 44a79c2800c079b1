package world

import (
	"macemc/internal/state"
)

// Bound returns the reason why a node cannot be copied: a function that the node holds has variables, which a
// copy would share. Engines that copy nodes must not be used then. It returns "" if all nodes can be copied,
// by the walker or by System.Clone.
func (st *State) Bound() string {
	return st.bound(func(int) bool { return true })
}

// BoundNow returns the reason why the node of the last step cannot be copied, or "". It is a faster
// form of Bound for a caller that knows two things: Bound returned "" before the last step, and
// that step changed no other node.
func (st *State) BoundNow() string {
	return st.bound(func(i int) bool { return state.AddrOf(i) == st.run.LastEvent().Node })
}

func (st *State) bound(changed func(i int) bool) string {
	for i := range st.nodes.at {
		if st.sys.Clone == nil && changed(i) {
			if why := st.walker.Bound(st.nodes.at[i].node); why != "" {
				return why
			}
		}
	}
	return ""
}
