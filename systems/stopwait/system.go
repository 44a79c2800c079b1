package stopwait

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// Increments is the number of increments that a node sends to each peer.
var Increments = &sim.Param{
	Name:  "increments",
	Doc:   "how many increments a node sends to each peer",
	Range: sim.Range{Default: 2, Least: 1, Most: 100},
}

// System is the counter over the layer, which uses UDP.
var System = &sim.System{
	Name: "stopwait",
	Doc: "A stop-and-wait link below a service that counts. " +
		"What is sent is counted exactly once, in order, and all of it in the end.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 8} },
	Params:    []*sim.Param{Increments},
	Bugs:      Bugs,
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1},
	New:       func(p sim.Params, _ sim.Addr) sim.Node { return Over(newCounter(p.Int(Increments))) },
	Script:    func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{start{}} },
	Properties: []sim.Property{
		sim.Always("no more is counted than was sent", atMostSent, explainAtMostSent),
		sim.Monitor("increments are counted once each, in order", (*ledger).inOrder),
		sim.Eventually("all increments are counted", allCounted, explainCounted),
	},
	Within: sim.While("two datagrams under way for each pair of nodes, one way, on average", fewDatagrams),
}

type view = sim.View[*counter]

func atMostSent(v view) bool { return explainAtMostSent(v) == "" }

func explainAtMostSent(v view) string {
	for a, c := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if c.got[from] > sender.sent[a] {
				return fmt.Sprintf("%s sent %d increments to %s, which counted %d", from, sender.sent[a], a, c.got[from])
			}
		}
	}
	return ""
}

func allCounted(v view) bool {
	for _, c := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if sender != c && c.got[from] < sender.increments {
				return false
			}
		}
	}
	return true
}

func explainCounted(v view) string {
	var all []string
	for a, c := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if sender != c && c.got[from] < sender.increments {
				all = append(all, fmt.Sprintf("%s counted %d of %d increments of %s", a, c.got[from], sender.increments, from))
			}
		}
	}
	return strings.Join(all, "; ")
}

// ledger is the memory of a monitor: the number of the last increment that each node has counted
// from each other node.
type ledger struct{ last map[direction]int }

type direction struct{ from, to sim.Addr }

// Init makes an empty memory.
func (l *ledger) Init() { l.last = map[direction]int{} }

func (l *ledger) inOrder(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case counted:
		d := direction{f.from, at}
		if f.number != l.last[d]+1 {
			return fmt.Errorf("%s counted increment %d of %s after %d", at, f.number, f.from, l.last[d])
		}
		l.last[d] = f.number
		return nil
	default:
		panic(fmt.Sprintf("stopwait: no case for the fact %T", f))
	}
}

func fewDatagrams(v view) bool { return v.InFlight() <= 2*v.Len()*(v.Len()-1) }
