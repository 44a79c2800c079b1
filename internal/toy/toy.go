package toy

import (
	"fmt"

	"macemc/sim"
)

// The events. An event has the name of the vertex to which it leads; a toss has the names of the vertices of
// all its answers.
type (
	to   string
	rare string
	toss string
)

// graph is the graph that one node walks.
type graph struct {
	start string
	edges map[string][]edge
	live  map[string]bool // the live vertices; nil if the node is live at each vertex
	bad   map[string]bool
}

// edge is one event, with the vertex to which each of its answers leads.
type edge struct {
	event   sim.Signal
	targets []string
	weights []int // nil means that all weights are equal
}

// node is a node of the system. It stands at a vertex of its graph.
type node struct {
	at    string
	graph *graph `mc:"-"` // the same in every state
}

func (n *node) Init(sim.Env) {}

func (n *node) Deliver(_ sim.Env, _ sim.Addr, m sim.Message) {
	panic(fmt.Sprintf("toy: nobody sends anything, but %T came", m))
}

// Offers offers an action for each edge that leaves the node's vertex.
func (n *node) Offers(offer func(sim.Signal)) {
	for _, e := range n.graph.edges[n.at] {
		offer(e.event)
	}
}

func (n *node) Handle(env sim.Env, s sim.Signal) {
	for _, e := range n.graph.edges[n.at] {
		if e.event == s {
			n.at = e.targets[e.pick(env)]
			return
		}
	}
	panic(fmt.Sprintf("toy: no edge leaves %s by the event %#v", n.at, s))
}

func (e *edge) pick(env sim.Env) int {
	if e.weights != nil {
		return env.Weighted(e.weights, "where to")
	}
	return env.Choose(len(e.targets), "where to")
}

// system returns a system with one node for each graph.
func system(graphs []*graph) *sim.System {
	sys := &sim.System{
		Name: "toy",
		Doc:  fmt.Sprintf("A toy of %d nodes. It walks graphs that were written as text.", len(graphs)),
		Nodes: func(sim.Params) sim.Range {
			return sim.Range{Default: len(graphs), Least: len(graphs), Most: len(graphs)}
		},
		New: func(p sim.Params, self sim.Addr) sim.Node {
			for i, a := range p.Addrs() {
				if a == self {
					return &node{at: graphs[i].start, graph: graphs[i]}
				}
			}
			panic("macemc bug: toy: " + self.String() + " is none of its nodes")
		},
		Weight: func(e sim.Event) float64 {
			if _, is := e.Value.(rare); is {
				return 0
			}
			return 1
		},
	}
	for _, g := range graphs {
		if g.bad != nil {
			sys.Properties = append(sys.Properties, sim.Always("no node is at a bad vertex", noneBad, explainBad))
			break
		}
	}
	for _, g := range graphs {
		if g.live != nil {
			sys.Properties = append(sys.Properties, sim.Eventually("every node is at a live vertex", allLive, explainLive))
			break
		}
	}
	return sys
}

type view = sim.View[*node]

func noneBad(v view) bool { return explainBad(v) == "" }

func explainBad(v view) string {
	for a, n := range v.Nodes() {
		if n.graph.bad[n.at] {
			return fmt.Sprintf("%s is at %s", a, n.at)
		}
	}
	return ""
}

func allLive(v view) bool { return explainLive(v) == "" }

func explainLive(v view) string {
	for a, n := range v.Nodes() {
		if n.graph.live != nil && !n.graph.live[n.at] {
			return fmt.Sprintf("%s is at %s", a, n.at)
		}
	}
	return ""
}
