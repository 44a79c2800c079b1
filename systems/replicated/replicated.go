package replicated

import (
	"macemc/sim"
	"macemc/systems/chain"
	"macemc/systems/dispatcher"
	"macemc/systems/multipaxos"
	"macemc/systems/service"
)

// The parameters.
var (
	Over = &sim.Param{
		Name: "over", Doc: "what a service stands on: a single node, or the chain replication or Multi-Paxos that it stands for",
		Words: []string{"single", "chain", "multipaxos"}, Runs: "chain",
	}
	Through = &sim.Param{
		Name: "through", Doc: "whom clients ask: the replicas, or a dispatcher that asks these",
		Words: []string{"direct", "dispatcher"}, Runs: "dispatcher",
	}
	Faults = &sim.Param{Name: "faults", Doc: "how many replicas of a service may fail: chain has one replica more, multipaxos twice as many and one", Range: sim.Range{Default: 1, Least: 0, Most: 3}}
)

// Params are the parameters of a system with replicated services.
var Params = []*sim.Param{Over, Through, Faults}

// Nodes returns the number of nodes of one service.
func Nodes(p sim.Params) int { return fronts(p) + replicas(p) }

func fronts(p sim.Params) int {
	if p.Word(Through) == "direct" {
		return 0
	}
	return 1
}

func replicas(p sim.Params) int {
	switch p.Word(Over) {
	case "single":
		return 1
	case "chain":
		return p.Int(Faults) + 1
	default:
		return 2*p.Int(Faults) + 1
	}
}

// Entrance returns the nodes of a service to which its clients send requests, in the order in
// which they try them.
func Entrance(p sim.Params, nodes []sim.Addr) []sim.Addr {
	if fronts(p) == 0 {
		return nodes
	}
	return nodes[:1]
}

// Bugs switches on known bugs of the parts of a service. They are bugs of the systems that are
// composed of the parts.
type Bugs struct {
	Deaf, Curt, Forgets, Mixes bool // of the dispatcher: see dispatcher.Front
	Mute                       bool // of Multi-Paxos: see multipaxos.NewReplica
}

// Node returns the k-th of the nodes of a service, which applies the commands to learner l.
func Node(p sim.Params, nodes []sim.Addr, k int, l service.Learner, b Bugs) sim.Node {
	of := nodes[fronts(p):]
	if k -= fronts(p); k < 0 {
		f := (&dispatcher.Front{Forgets: b.Forgets, Mixes: b.Mixes}).Over(of)
		switch {
		case b.Deaf:
			return dispatcher.Deaf.Node(f)
		case b.Curt:
			return dispatcher.Curt.Node(f)
		default:
			return dispatcher.Fronts.Node(f)
		}
	}
	switch p.Word(Over) {
	case "single":
		return service.NewSingle(l)
	case "chain":
		return chain.NewReplica(of, k, l)
	default:
		return multipaxos.NewReplica(of, k, l, b.Mute)
	}
}
