package election

import (
	"fmt"

	"macemc/layers/machine"
	"macemc/sim"
)

// The known bugs: see System.
const (
	EL1 sim.BugID = "EL1"
	EL2 sim.BugID = "EL2"
	EL3 sim.BugID = "EL3"
	EL4 sim.BugID = "EL4"
	EL5 sim.BugID = "EL5"
	EL6 sim.BugID = "EL6"
	EL7 sim.BugID = "EL7"
)

// Asks is the number of times that a node asks again if it gets no answer.
var Asks = &sim.Param{Name: "asks", Doc: "how often a node asks again before it has an answer", Range: sim.Range{Default: 1, Least: 0, Most: 3}}

// System is the election.
var System = &sim.System{
	Name:      "election",
	Doc:       "Leader election over a failure detector, of state machines. No two nodes lead, and all that are up agree on the leader.",
	Params:    []*sim.Param{Asks},
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 6} },
	Tolerates: sim.Faults{Down: 1},
	Bugs: []sim.Bug{
		{ID: EL1, Story: "A node leads without asking. It does not know whether those below it are up."},
		{ID: EL2, Story: "A node answers only while it leads, and does not announce that it does. Who asked it before waits for ever."},
		{ID: EL3, Story: "The failure detector forgets. A node that is down is asked again and again."},
		{ID: EL4, Story: "A follower does not care about its leader. When that goes down, it follows nobody."},
		{ID: EL5, Story: "A follower forgets that another node may lead. It hears of that before it hears that its leader is down."},
		{ID: EL6, Story: "A follower forgets about late answers. It had asked twice."},
		{ID: EL7, Story: "A leader forgets about connections that fail. It ends when a follower does."},
	},
	New: newNode,
	Properties: []sim.Property{
		sim.Takes(sim.Always("at most one node leads", func(v sim.View[*member]) bool { return leaders(v) <= 1 },
			func(v sim.View[*member]) string { return fmt.Sprint(leaders(v), " lead") }),
			func(m *member) any { return m.Is(leading) }),
		sim.Takes(sim.Eventually("all agree on a leader that is up", agreed), func(m *member) any {
			return struct {
				of    sim.Addr
				leads bool
			}{m.leader, m.Is(leading)}
		}),
	},
}

var (
	late  = members.Forget(following, machine.Messages(alive{})...)
	loyal = members.Forget(following, machine.Messages(lead{})...)
	deaf  = members.Forget(leading, machine.Signals(sim.PeerError{})...)
)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	all := p.Addrs()
	m := &member{below: all[:self.Index()], above: all[self.Index()+1:], asks: p.Int(Asks)}
	switch {
	case p.Bug(EL6):
		return late.Node(m)
	case p.Bug(EL5):
		return loyal.Node(m)
	case p.Bug(EL7):
		return deaf.Node(m)
	default:
		return members.Node(m)
	}
}

func leaders(v sim.View[*member]) (n int) {
	for _, m := range v.Nodes() {
		if m.Is(leading) {
			n++
		}
	}
	return n
}

func agreed(v sim.View[*member]) bool {
	for _, m := range v.Nodes() {
		of, up := v.At(m.leader)
		if !up || !of.Is(leading) {
			return false
		}
	}
	return true
}
