package overcast

import (
	"macemc/sim"
	"macemc/systems/tree"
)

// The known bugs: OV1 is the original's. The others were mistakes in this version, which the
// checker found.
const (
	OV1 sim.BugID = "OV1"
	OV2 sim.BugID = "OV2"
)

// Children is the largest number of children of a node.
var Children = &sim.Param{
	Name:  "children",
	Doc:   "how many children a node takes; with as many as there are other nodes, joiners are never sent on",
	Range: sim.Range{Default: 2, Least: 1, Most: 12},
}

// buffer is small, so that a burst fills it.
const buffer = burst

// System is the tree over TCP.
var System = &sim.System{
	Name: "overcast",
	Doc: "A tree that nodes join at the root. A node moves below another one after it has measured it, and locks it meanwhile. " +
		"It never has loops, and can always form again.",
	Network: func(sim.Params) sim.Network { return sim.Network{TCPBuffer: buffer} },
	Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 8} },
	Params:  []*sim.Param{Children},
	Bugs: []sim.Bug{
		{ID: OV1, Story: "A lock is never let go of but by its holder. The lock has no time-out, and neither an error of the connection " +
			"to its holder nor an unlock that the full buffer refuses has any consequence: where the unlock is lost, or the holder dies, " +
			"a node is locked for ever. If it then loses its parent it may not join again, and the tree never forms."},
		{ID: OV2, Story: "One answer to two questions. A node that is not locked for who probes it refuses with the message that refuses a join. " +
			"It comes late to one that has given up measuring and has since asked to join, and is taken for the answer to that; the node asks again, " +
			"is taken as a child twice, and tells its own parent that it is not its child."},
	},
	Tolerates: sim.Faults{Crash: 1, Reset: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		return &node{root: p.Addr(0), most: p.Int(Children), kids: map[sim.Addr]bool{}}
	},
	Script:     func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{joinOverlay{}} },
	Properties: tree.Properties(),
}
