package randtree

import (
	"macemc/sim"
	"macemc/systems/transport"
	"macemc/systems/tree"
)

// Children is the largest number of children of a node.
var Children = &sim.Param{
	Name:  "children",
	Doc:   "how many children a node takes",
	Range: sim.Range{Default: 2, Least: 1, Most: 12},
}

// Peers selects the nodes that a node may ask first.
var Peers = &sim.Param{
	Name:  "peers",
	Doc:   "whom the application names to a node: the next node (after the last comes the first), the first node, or all",
	Words: []string{"next", "first", "all"},
}

// Visitors is the number of nodes that leave and come back.
var Visitors = &sim.Param{
	Name:  "visitors",
	Doc:   "how many nodes, counted from the second, leave the overlay once in their first life, and come back",
	Range: sim.Range{Default: 0, Least: 0, Most: 7},
}

// Buffer is the number of messages that a connection queues.
var Buffer = &sim.Param{
	Name:  "buffer",
	Doc:   "how many messages a connection queues in each direction before it refuses to send",
	Range: sim.Range{Default: 20, Least: 1, Most: 20},
}

// Transport selects what carries the messages.
var Transport = &sim.Param{
	Name:  "transport",
	Doc:   "what carries messages: tcp, which is simulated, or udp, below the layer of systems/transport",
	Words: []string{"tcp", "udp"},
}

// System is the tree.
var System = &sim.System{
	Name: "randtree",
	Doc: "A random overlay tree with bounded out-degree, whose root has the lowest address of those that found each other. " +
		"It has no loops, and after crashes, resets and partitions the nodes become one tree again.",
	Network:   func(p sim.Params) sim.Network { return sim.Network{TCPBuffer: p.Int(Buffer)} },
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 8} },
	Params:    []*sim.Param{Children, Peers, Visitors, Buffer, Transport},
	Bugs:      bugs,
	Tolerates: sim.Faults{Crash: 1, Reset: 1, Partition: 1, OneWay: 1, Pause: 1},
	New:       func(p sim.Params, _ sim.Addr) sim.Node { return carried(p, newNode(p)) },
	Crash: func(p sim.Params, _ sim.Addr, dead sim.Node) sim.Node {
		n := newNode(p)
		if !p.Bug(RT28) {
			if l, is := dead.(*transport.Layer); is {
				dead = l.Upper()
			}
			n.attempt = handlers.Of(dead).attempt
			n.again()
		}
		return carried(p, n)
	},
	Script:     script,
	Properties: properties(),
	Within:     sim.While("three messages under way for each node, on average, and five attempts of each to find a parent", few),
}

// few reports whether few messages are under way, and no node has made many attempts to find a parent.
// Without it the states would be infinitely many, since a node that joins counts its attempts.
func few(v view) bool {
	for _, n := range v.Nodes() {
		if n.attempt > 5 {
			return false
		}
	}
	return tree.Few(v)
}

// carried returns node n, or the layer that carries its messages with n above it if there is
// such a layer.
func carried(p sim.Params, n *node) sim.Node {
	switch w := p.Word(Transport); w {
	case "tcp":
		return handlers.Node(n)
	case "udp":
		return transport.Over(handlers.Node(n), transport.Options{Buffer: p.Int(Buffer), Paired: true})
	default:
		panic("randtree: no case for the transport " + w)
	}
}

func newNode(p sim.Params) *node {
	return &node{most: p.Int(Children), silent: p.Bug(RT2), state: initial}
}

// script returns the requests of the application to node self in one of its lives.
func script(p sim.Params, self sim.Addr, life int) []sim.Signal {
	var peers []sim.Addr
	all := p.Addrs()
	at := 0
	for all[at] != self {
		at++
	}
	switch w := p.Word(Peers); w {
	case "next":
		peers = []sim.Addr{all[(at+1)%len(all)]}
	case "first":
		peers = all[:1]
	case "all":
		peers = all
	default:
		panic("randtree: no case for the peers " + w)
	}
	return []sim.Signal{joinOverlay{peers: peers, visit: life == 0 && 1 <= at && at <= p.Int(Visitors)}}
}
