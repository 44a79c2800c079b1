package world

// Bound returns why a node cannot be copied: of a function that it holds, whose variables a
// copy would share with it. Engines that copy are not for such nodes. If it is "", all can
// be, by the walk or by the system.
func (st *State) Bound() string {
	if st.sys.Clone != nil {
		return ""
	}
	for i := range st.nodes.at {
		if why := st.walker.Bound(st.nodes.at[i].node); why != "" {
			return why
		}
	}
	return ""
}
