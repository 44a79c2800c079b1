package f3

import (
	"fmt"

	"github.com/filecoin-project/go-f3/gpbft"
	"macemc/sim"
)

// Proposals selects the chains that the members propose.
var Proposals = &sim.Param{
	Name: "proposals", Doc: "what is proposed: one chain by all; another one by the last member; or by every second one",
	Words: []string{"one-differs", "same", "halves"},
}

func proposal(p sim.Params, self sim.Addr) *gpbft.ECChain {
	i := self.Index()
	if p.Word(Proposals) == "one-differs" && i == p.Nodes-1 || p.Word(Proposals) == "halves" && i%2 == 1 {
		return chainOf("other")
	}
	return chainOf("first")
}

// System is one instance of consensus.
var System = &sim.System{
	Name: "f3",
	Doc: "One instance of consensus about a chain, by Filecoin's gpbft: " +
		"all members that are up decide in the end, and the same.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 3, Most: 7} },
	Params:    []*sim.Param{Proposals},
	Tolerates: sim.Faults{Down: 1},
	New:       func(p sim.Params, self sim.Addr) sim.Node { return handlers.Node(newMember(p, self)) },
	Properties: []sim.Property{
		sim.Monitor("all decide the same", agree),
		sim.Eventually("all that are up have decided", allDecided, explain),
	},
	Weight: weight,
	Immutable: []string{
		"gpbft.GMessage", "gpbft.Justification", "gpbft.ECChain", "gpbft.Committee", "gpbft.PowerTable",
		"gpbft.options.rebroadcastAfter",
	},
	Opaque: []string{
		"gpbft.ECChain.key", "gpbft.ECChain.keyLazyLoader", // filled in when it is asked for
		"gpbft.cachingValidator", "caching.GroupedSet", // nothing is validated here
		"attribute.KeyValue", "gpbft.convergeState.attributes", // of metrics
	},
}

// weight makes alarms rarer than messages. In practice they are rarer too, since a message arrives
// long before an alarm is due.
func weight(e sim.Event) float64 {
	if _, is := e.Value.(alarm); is {
		return 0.1
	}
	return 1
}

type decision struct{ Head string }

func agree(first *string, at sim.Addr, fact any) error {
	d, is := fact.(decision)
	switch {
	case !is:
	case *first == "":
		*first = d.Head
	case *first != d.Head:
		return fmt.Errorf("%s decides %s, and another member %s", at, d.Head, *first)
	}
	return nil
}

func allDecided(v sim.View[*member]) bool {
	for _, m := range v.Nodes() {
		if m.host.decided == nil {
			return false
		}
	}
	return true
}

func explain(v sim.View[*member]) string {
	text := ""
	for at, m := range v.Nodes() {
		if m.host.decided == nil {
			p := m.participant.Progress()
			text += fmt.Sprintf("; %s is in round %d, %s", at, p.Round, p.Phase)
			if m.failed != "" {
				text += " (" + m.failed + ")"
			}
		}
	}
	return text[min(2, len(text)):]
}
