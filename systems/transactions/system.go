package transactions

import (
	"fmt"
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/replicated"
	"macemc/systems/service"
)

// The known bugs: see System.
const (
	TX1 sim.BugID = "TX1"
	TX2 sim.BugID = "TX2"
	TX3 sim.BugID = "TX3"
	TX4 sim.BugID = "TX4"
	TX5 sim.BugID = "TX5"
	TX6 sim.BugID = "TX6"
	TX7 sim.BugID = "TX7"
)

// The parameters, besides those of package replicated.
var (
	Participants = &sim.Param{Name: "participants", Doc: "how many participants there are", Range: sim.Range{Default: 2, Least: 1, Most: 4}}
	Transactions = &sim.Param{Name: "transactions", Doc: "how many transactions there are", Range: sim.Range{Default: 2, Least: 1, Most: 1_000_000}}
)

// System is the protocol over its participants.
var System = &sim.System{
	Name: "transactions",
	Doc:  "Two-phase commit over replicated participants. No participant commits what another one aborts, and every transaction comes to its end.",
	Nodes: func(p sim.Params) sim.Range {
		n := 1 + p.Int(Participants)*replicated.Nodes(p)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Network: service.Network,
	Params:  append(replicated.Params[:len(replicated.Params):len(replicated.Params)], Participants, Transactions),
	Bugs: []sim.Bug{
		{ID: TX1, Story: "The coordinator does not look at the votes on every second transaction. A participant may have voted no."},
		{ID: TX2, Story: "The coordinator commits when the first participant has voted yes. Another may vote no."},
		{ID: TX3, Story: "The coordinator does not ask the next replica. It waits for ever for one that is down."},
		{ID: TX4, Story: "The coordinator forgets that a replica may fail while it is free. Its connection breaks."},
		{ID: TX5, Story: "The coordinator forgets about answers that come twice. It had asked twice."},
		{ID: TX6, Story: "The coordinator counts answers, whoever sent them. One that comes twice counts for another participant."},
		{ID: TX7, Story: "The coordinator forgets about transactions that begin while it decides. It has one at a time."},
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
		sim.Monitor("the coordinator commits what all agree to, and nothing else", decisions),
		sim.Always("no participant commits what another one aborts", atomic),
		sim.Eventually("the coordinator is through with every transaction", func(v sim.View[*coordinator]) bool {
			for _, c := range v.Nodes() {
				return c.Is(free) && c.tx == v.Params().Int(Transactions)
			}
			return true
		}),
		sim.Cools("every transaction that began ends", func(m *under, at sim.Addr, fact any) { m.observe(fact) }, func(m *under) bool { return m.Tx > 0 }),
	},
}

var (
	deaf = coordinators.Forget(free, machine.Signals(sim.PeerError{})...)
	curt = coordinators.Forget(free, machine.Messages(service.Reply{})...)
	busy = coordinators.Forget(deciding, machine.Signals(begin{})...)
)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	if k := self.Index() - 1; k >= 0 {
		of, n := k/replicated.Nodes(p), k%replicated.Nodes(p)
		return replicated.Node(p, nodes(p, of), n, &participant{of, map[int]bool{}}, replicated.Bugs{})
	}
	c := &coordinator{}
	for k := range p.Int(Participants) {
		c.services = append(c.services, replicated.Entrance(p, nodes(p, k)))
	}
	switch {
	case p.Bug(TX4):
		return deaf.Node(c)
	case p.Bug(TX5):
		return curt.Node(c)
	case p.Bug(TX7):
		return busy.Node(c)
	default:
		return coordinators.Node(c)
	}
}

// nodes returns the nodes of the k-th participant.
func nodes(p sim.Params, k int) []sim.Addr {
	n := replicated.Nodes(p)
	return slices.Clone(p.Addrs()[1+k*n : 1+(k+1)*n])
}

// made is the memory of a monitor: the decisions so far.
type made struct{ participants int }

func (m *made) Init(p sim.Params) { m.participants = p.Int(Participants) }

func decisions(m *made, at sim.Addr, fact any) error {
	d, is := fact.(Decided)
	if !is {
		return nil
	}
	agree := true
	for k := range m.participants {
		agree = agree && agrees(k, d.Tx)
	}
	if d.Commit != agree {
		return fmt.Errorf("%s decides commit=%t of transaction %d, to which all participants agree=%t", at, d.Commit, d.Tx, agree)
	}
	return nil
}

// atomic reports whether, for each transaction, the participants have taken equal decisions.
func atomic(v sim.View[service.Server]) bool {
	of := map[int]bool{}
	for _, s := range v.Nodes() {
		for tx, commit := range s.Learned().(*participant).decisions { // in any order: they are only compared
			if other, known := of[tx]; known && commit != other {
				return false
			}
			of[tx] = commit
		}
	}
	return true
}

// under is the memory of a monitor: the transaction under way, or 0.
type under struct{ Tx int }

func (u *under) observe(fact any) {
	switch f := fact.(type) {
	case Began:
		u.Tx = f.Tx
	case Ended:
		u.Tx = 0
	}
}
