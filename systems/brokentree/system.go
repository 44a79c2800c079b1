package brokentree

import (
	"macemc/sim"
	"macemc/systems/tree"
)

// Children is the largest number of children of a node.
var Children = &sim.Param{
	Name: "children",
	Doc: "how many children a node takes; 2 is the least with siblings, which BT2 needs, " +
		"and fills the root as soon as there are four nodes; with 1, three nodes already send joins on",
	Range: sim.Range{Default: 2, Least: 1, Most: 12},
}

// The known bugs.
const (
	BT1 sim.BugID = "BT1"
	BT2 sim.BugID = "BT2"
)

// System is the tree over TCP.
var System = &sim.System{
	Name: "brokentree",
	Doc: "A tree that nodes join at the root and that reorganises itself at random. " +
		"With three nodes it has no loops and can always form one tree; with more, loops are possible (see the package).",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 8} },
	Params: []*sim.Param{Children},
	Bugs: []sim.Bug{
		{ID: BT1, Story: "A node becomes its own child. The forward handler runs on the source of a join too, " +
			"and does not see that the join is its own: it takes itself as a child, every node is a loop of one, and no tree ever forms."},
		{ID: BT2, Story: "Two siblings become each other's parent. When both are told to reorganise and ask each other, " +
			"each takes the other, although it has itself asked to leave: the two are a loop, cut off from the root."},
	},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		return handlers.Node(&node{
			root: p.Addr(0), most: p.Int(Children), everyone: p.Nodes,
			kids: map[sim.Addr]bool{}, heard: map[sim.Addr]bool{},
		})
	},
	Script:     func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{joinOverlay{}} },
	Properties: tree.Properties(),
	Within:     tree.FewMessages,
	Network:    func(sim.Params) sim.Network { return sim.Network{TCPBuffer: buffer} },
}

// buffer is a number of messages that no random walk reaches. The original loses messages that a full buffer refuses,
// but that error is not among the known bugs above.
const buffer = 10_000
