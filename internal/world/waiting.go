package world

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/sim"
)

// Waiting is what could wake somebody up in a state, faults apart.
type Waiting struct {
	Timers   []sim.Addr // nodes with a timer that is set
	Tasks    bool       // a task is to be done
	UnderWay bool       // a message is
}

// Waiting tells it of the state that the world is in.
func (st *State) Waiting() (out Waiting) {
	for i := range st.nodes.at {
		ns := &st.nodes.at[i]
		if len(ns.seen.Timers) > 0 {
			out.Timers = append(out.Timers, addrOf(i))
		}
		out.Tasks = out.Tasks || len(ns.tasks) > 0
		out.UnderWay = out.UnderWay || len(st.links.set.For(i)) > 0
	}
	for c := range st.n * st.n {
		out.UnderWay = out.UnderWay || len(st.links.tcp.Packets(c)) > 0 || len(st.links.udp.Packets(c)) > 0
	}
	return out
}

// SetAt reports whether a timer is set at a node.
func (s Waiting) SetAt(node sim.Addr) bool { return slices.Contains(s.Timers, node) }

// Kept is the identity of what a node keeps, without its timers, tasks and script.
func (st *State) Kept(a sim.Addr) canon.Hash { return st.sum(st.nodes.at[a.Index()].seen.Node) }

// Knows are the nodes whose addresses a node has in its fields, in their order.
func (st *State) Knows(a sim.Addr) (all []sim.Addr) {
	st.walker.Values(st.nodes.at[a.Index()].seen.Node, reflect.TypeFor[sim.Addr](), func(v any) {
		if of := v.(sim.Addr); !of.IsZero() && !slices.Contains(all, of) {
			all = append(all, of)
		}
	})
	slices.SortFunc(all, sim.Addr.Compare)
	return all
}
