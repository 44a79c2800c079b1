package jointree

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// Ballast is the amount of additional state of a node.
var Ballast = &sim.Param{
	Name:  "ballast",
	Doc:   "how much state a node has besides its own, in maps, slices and strings",
	Words: []string{"none", "1KB", "20KB"},
}

// System is the service over TCP.
var System = &sim.System{
	Name: "jointree",
	Doc: "A random-tree join service for benchmarks: small nodes, many states, never at rest. " +
		"Every node can always find a parent; loops of parents are possible.",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 3, Most: 16} },
	Params: []*sim.Param{Ballast},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		n := &node{root: p.Addr(0), friend: friend(p, self), kids: map[sim.Addr]bool{}, silent: map[sim.Addr]bool{}}
		switch words := p.Word(Ballast); words {
		case "none":
		case "1KB":
			n.ballast = newBallast(p, self, 1)
		case "20KB":
			n.ballast = newBallast(p, self, 20)
		default:
			panic(fmt.Sprintf("jointree: no ballast %q", words))
		}
		return n
	},
	Properties: []sim.Property{
		sim.Always("one timer: join without a parent, recover with one", oneTimer),
		sim.Always("no more children than allowed, and never oneself", fewKids),
		sim.Eventually("all joined", allJoined),
	},
}

// friend returns the node after self, in a circle of all nodes but the root.
func friend(p sim.Params, self sim.Addr) sim.Addr {
	others := p.Addrs()[1:]
	return others[(slices.Index(others, self)+1)%len(others)]
}

type view = sim.View[*node]

func oneTimer(v view) bool {
	for a, n := range v.Nodes() {
		if joins := v.Scheduled(a, joinTimer{}); joins != n.papa.IsZero() || joins == v.Scheduled(a, recoverTimer{}) {
			return false
		}
	}
	return true
}

func fewKids(v view) bool {
	for a, n := range v.Nodes() {
		if len(n.kids) > most || n.kids[a] {
			return false
		}
	}
	return true
}

func allJoined(v view) bool {
	for _, n := range v.Nodes() {
		if n.papa.IsZero() {
			return false
		}
	}
	return true
}
