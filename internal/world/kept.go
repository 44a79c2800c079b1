package world

import (
	"macemc/internal/canon"
	"macemc/sim"
)

// Kept returns the identity of a node's own value, without its timers, tasks and script.
func (st *State) Kept(a sim.Addr) canon.Hash { return st.sum(st.nodes.at[a.Index()].seen.Node) }
