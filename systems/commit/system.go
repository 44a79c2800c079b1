package commit

import (
	"fmt"

	"macemc/layers/machine"
	"macemc/sim"
)

// The known bugs: see System.
const (
	CM1 sim.BugID = "CM1"
	CM2 sim.BugID = "CM2"
	CM3 sim.BugID = "CM3"
	CM4 sim.BugID = "CM4"
	CM5 sim.BugID = "CM5"
	CM6 sim.BugID = "CM6"
	CM7 sim.BugID = "CM7"
)

// Transactions is the number of transactions.
var Transactions = &sim.Param{Name: "transactions", Doc: "how many transactions there are", Range: sim.Range{Default: 2, Least: 1, Most: 10}}

// System is the protocol.
var System = &sim.System{
	Name:      "commit",
	Doc:       "Two-phase commit of state machines. No node commits what another one aborts, and the coordinator makes progress.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 6} },
	Params:    []*sim.Param{Transactions},
	Tolerates: sim.Faults{Down: 1},
	Bugs: []sim.Bug{
		{ID: CM1, Story: "The coordinator commits with the votes of half. Another participant may have voted no."},
		{ID: CM2, Story: "The coordinator forgets about votes that come when it has decided. It had waited long enough, or one had voted no."},
		{ID: CM3, Story: "A participant that has voted no forgets that it is told the decision. The coordinator tells all."},
		{ID: CM4, Story: "The coordinator does not stop its timer. It fires when nobody waits for votes any more."},
		{ID: CM5, Story: "The coordinator waits for a participant that went down after the decision. It begins no other transaction."},
		{ID: CM6, Story: "A participant that has voted yes loses patience. It aborts what the coordinator may commit."},
		{ID: CM7, Story: "The coordinator forgets about transactions that begin while it decides. It has one at a time."},
	},
	New: newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		for k := range p.Int(Transactions) {
			if self == p.Addr(0) {
				script = append(script, begin{k + 1})
			}
		}
		return script
	},
	Properties: []sim.Property{
		sim.Monitor("atomicity", func(m *outcomes, at sim.Addr, fact any) error { return m.observe(at, fact) }),
		sim.Takes(sim.Eventually("the coordinator is through with every transaction, or down", progress),
			func(c *coordinator) any {
				if c.Is(free) {
					return c.tx
				}
				return nil
			}),
	},
}

var (
	hasty  = coordinators.Forget(deciding, machine.Messages(vote{})...)
	stern  = participants.Forget(working, machine.Messages(decision{})...)
	single = coordinators.Forget(deciding, machine.Signals(begin{})...)
)

func newNode(p sim.Params, self sim.Addr) (n sim.Node) {
	c := &coordinator{up: p.Addrs()[1:]}
	switch first := self == p.Addr(0); {
	case first && p.Bug(CM2):
		n = hasty.Node(c)
	case first && p.Bug(CM7):
		n = single.Node(c)
	case first:
		n = coordinators.Node(c)
	case p.Bug(CM3):
		n = stern.Node(&participant{})
	case p.Bug(CM6):
		n = impatients.Node(&participant{})
	default:
		n = participants.Node(&participant{})
	}
	return n
}

// outcomes is the memory of a monitor: the outcomes of the transactions so far.
type outcomes struct {
	of      map[int]bool // by transaction: whether it was committed
	refused map[int]bool
}

func (o *outcomes) Init() { *o = outcomes{map[int]bool{}, map[int]bool{}} }

func (o *outcomes) observe(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case Refused:
		o.refused[f.Tx] = true
	case Decided:
		if commit, known := o.of[f.Tx]; known && commit != f.Commit {
			return fmt.Errorf("of transaction %d %s decides committed=%t, and another one decided otherwise", f.Tx, at, f.Commit)
		}
		if f.Commit && o.refused[f.Tx] {
			return fmt.Errorf("%s commits transaction %d, and a participant voted no", at, f.Tx)
		}
		o.of[f.Tx] = f.Commit
	}
	return nil
}

// progress reports whether every transaction has ended. It is true if the coordinator is down,
// since participants then wait for ever, and nothing is promised.
func progress(v sim.View[*participant]) bool {
	for _, c := range sim.See[*coordinator](v).Nodes() {
		if !c.Is(free) || c.tx != v.Params().Int(Transactions) {
			return false
		}
	}
	return true
}
