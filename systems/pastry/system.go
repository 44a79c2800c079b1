package pastry

import "macemc/sim"

// The known bugs: PA1 to PA5 are historical. PA6 and PA7 are corrections of PA5 that seem right at
// first and are not.
const (
	PA1 sim.BugID = "PA1"
	PA2 sim.BugID = "PA2"
	PA3 sim.BugID = "PA3"
	PA4 sim.BugID = "PA4"
	PA5 sim.BugID = "PA5"
	PA6 sim.BugID = "PA6"
	PA7 sim.BugID = "PA7"
)

var bugs = []sim.Bug{
	{ID: PA1, Story: "A join is sent on with the wrong first row. Whoever sends it on asks for all rows but the first, and not for those that the joiner still needs. " +
		"There are 40 rows, and a connection queues 20 messages: the last node on the way never gets beyond row 20, and the joiner asks for ever."},
	{ID: PA2, Story: "Rings that were cut apart stay apart. When all connections between two groups break, each forgets the other completely, " +
		"and no maintenance finds it again."},
	{ID: PA3, Story: "Half of the ring is taken for an overflow. Where two distances are compared to find the farthest leaf of a half, and one is more by over half of the ring, it is taken for less. " +
		"Of a near leaf and such a far one the near one is the bound; the far one is never replaced, and leaf sets are not symmetric."},
	{ID: PA4, Story: "A join is sent back to the joiner. A node fails, another one forgets it, and is told of it again by a third that has not noticed. The node restarts, and its join comes to the second, " +
		"which knows nobody who is closer to its key than itself. It is alive, so that no error tells, and it cannot let itself in."},
	{ID: PA5, Story: "Two joins are sent to each other's joiners. As PA4, but a join is not sent to the node that it is of. Two nodes fail together, both come back into the table of a third, " +
		"and each one's join is sent to the other. Neither is a member, and cannot serve it."},
	{ID: PA6, Story: "Two joiners wait for each other. As PA5, mended so that a node which is joining keeps the join that was sent on to it until it is a member, as it does with joins that come from the joiner."},
	{ID: PA7, Story: "Who is alive is taken for a member. As PA5, mended so that joins are only sent to candidates which answered a probe. Who restarted and has not joined yet answers, too."},
}

// Leaves is the number of leaves of a node.
var Leaves = &sim.Param{
	Name:  "leaves",
	Doc:   "how many leaves a node has, half of them on each side of it; an odd number is rounded up",
	Range: sim.Range{Default: 16, Least: 2, Most: 32},
}

// Keys selects how keys are chosen.
var Keys = &sim.Param{
	Name:  "keys",
	Doc:   "the keys of nodes: sha1, of their addresses, has 40 digits, and a routing table as many rows; small has two, spread evenly",
	Words: []string{"sha1", "small"},
}

// Peers selects which nodes a node may ask to join.
var Peers = &sim.Param{
	Name:  "peers",
	Doc:   "whom the application names to a node: the first node, or all earlier ones; the first node begins the ring",
	Words: []string{"first", "earlier"},
}

// App selects the application on the ring.
var App = &sim.Param{
	Name:  "app",
	Doc:   "what stands on the ring: nothing, or an application in which every node looks up which node a name belongs to",
	Words: []string{"none", "lookup"},
}

// System is the ring, over TCP, with probes by UDP.
var System = &sim.System{
	Name: "pastry",
	Doc: "A ring of nodes that finds, for any key, the node whose own key is closest, in a few hops. " +
		"After crashes, resets and partitions all nodes that were restarted are in one ring again. None may be down for good.",
	Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 1, Most: most} },
	Params:     []*sim.Param{Leaves, Keys, Peers, App},
	Bugs:       bugs,
	Tolerates:  sim.Faults{Crash: 1, Reset: 1, Loss: 1, Dup: 1, Reorder: 1, Partition: 1, OneWay: 1, Pause: 1},
	New:        func(p sim.Params, self sim.Addr) sim.Node { return newNode(p, self) },
	Script:     script,
	Properties: properties(),
}

func newNode(p sim.Params, self sim.Addr) *node {
	n := &node{self: self, keys: keysetOf(p), most: (p.Int(Leaves) + 1) / 2, state: initial}
	if p.Word(App) == "lookup" {
		n.upper = &seeker{}
	}
	return n
}

func keysetOf(p sim.Params) keyset {
	switch w := p.Word(Keys); w {
	case "sha1":
		return hashed
	case "small":
		return small
	default:
		panic("pastry: no case for the keys " + w)
	}
}

// script returns the requests of the application to a node. They are the same in each of its lives.
func script(p sim.Params, self sim.Addr, _ int) []sim.Signal {
	var peers []sim.Addr
	for _, a := range p.Addrs() {
		if a.Less(self) && (len(peers) == 0 || p.Word(Peers) == "earlier") {
			peers = append(peers, a)
		}
	}
	wants := []sim.Signal{joinOverlay{peers}}
	if p.Word(App) == "lookup" {
		wants = append(wants, seek{"from " + self.String()})
	}
	return wants
}
