package world

import (
	"macemc/internal/state"
)

// Bound returns why a node cannot be copied: of a function that it holds, whose variables a
// copy would share with it. Engines that copy are not for such nodes. If it is "", all can
// be, by the walk or by the system.
func (st *State) Bound() string {
	return st.bound(func(int) bool { return true })
}

// BoundNow returns Bound if that was "" before the last step, which has changed one node.
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
