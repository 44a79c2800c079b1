package neo

import (
	"fmt"

	"macemc/sim"
)

// Proposals selects the blocks that a validator proposes.
var Proposals = &sim.Param{
	Name: "proposals", Doc: "which block a validator proposes: always the same, or either of two, so that twins propose different ones",
	Words: []string{"one", "either"},
}

// System is one height of a chain.
var System = &sim.System{
	Name:      "neo",
	Doc:       "One height of a chain, by dBFT of Neo: all validators that are up accept a block in the end, and the same.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 7} },
	Params:    []*sim.Param{Proposals},
	Tolerates: sim.Faults{Down: 1},
	New:       func(p sim.Params, self sim.Addr) sim.Node { return handlers.Node(newNode(p, self)) },
	Properties: []sim.Property{
		sim.Monitor("all accept the same block", agree),
		sim.Eventually("all that are up have a block", allAccepted, explain),
	},
	Weight:    weight,
	Immutable: []string{"dbft.Config.func", "neo.payload"},
	Opaque: []string{
		"dbft.Context.Nonce", // random
		"dbft.rtt",           // by the clock of the process
	},
}

// weight makes timeouts rarer than messages, as they are in practice.
func weight(e sim.Event) float64 {
	if _, is := e.Value.(timeout); is {
		return 0.1
	}
	return 1
}

type accepted struct{ Block hash }

func agree(first *hash, at sim.Addr, fact any) error {
	f, is := fact.(accepted)
	switch {
	case !is:
	case *first == "":
		*first = f.Block
	case *first != f.Block:
		return fmt.Errorf("%s accepts %s, but another validator accepted %s", at, f.Block, *first)
	}
	return nil
}

func allAccepted(v sim.View[*node]) bool {
	for _, n := range v.Nodes() {
		if n.host.accepted == "" {
			return false
		}
	}
	return true
}

func explain(v sim.View[*node]) string {
	text := ""
	for at, n := range v.Nodes() {
		if n.host.accepted == "" {
			text += fmt.Sprintf("; %s is in view %d", at, n.dbft.ViewNumber)
			if n.dbft.CommitSent() {
				text += ", committed"
			}
			if n.dbft.ViewChanging() {
				text += ", asking for another"
			}
		}
	}
	return text[min(2, len(text)):]
}
