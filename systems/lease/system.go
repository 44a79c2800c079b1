package lease

import (
	"fmt"

	"macemc/sim"
)

// The known bugs.
const (
	LE1 sim.BugID = "LE1"
	LE2 sim.BugID = "LE2"
	LE3 sim.BugID = "LE3"
)

var requests = &sim.Param{Name: "requests", Doc: "how many writes each node is asked for", Range: sim.Range{Default: 1, Least: 1, Most: 3}}

// System is a register on several nodes. The first node has the lease first.
var System = &sim.System{
	Name: "lease",
	Doc: "A register that only the holder of a lease writes. The holder hands the lease on when its clock says that it is over. " +
		"No two nodes write at once, though no node asks whether the previous holder has finished.",
	Clock:  func(sim.Params) *sim.Clock { return &sim.Clock{Drift: drift, Handlers: handlers} },
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 5} },
	Params: []*sim.Param{requests},
	Bugs: []sim.Bug{
		{ID: LE1, Story: "The lease is compared with a stale reading. A primary that is asked to write reads the clock then, " +
			"and compares that when it comes to write: the term may be over, and another node the primary."},
		{ID: LE2, Story: "The lease forgets drift. The timer that hands it on is set for the term, and for a handler that takes its time, " +
			"but not for a timer that runs faster than the clock: the lease is handed on while it lasts by the clock."},
		{ID: LE3, Story: "The lease forgets that handlers take time. The primary sets the timer first and reads the clock then, " +
			"which may show more: the timer may be due before the lease has ended."},
	},
	Tolerates: sim.Faults{Pause: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		all := p.Addrs()
		n := &node{first: self == all[0], requests: p.Int(requests)}
		for i, a := range all {
			if a == self {
				n.next = all[(i+1)%len(all)]
			}
		}
		return methods.Node(n)
	},
	Script: func(p sim.Params, _ sim.Addr, _ int) (all []sim.Signal) {
		for range p.Int(requests) {
			all = append(all, write{})
		}
		return all
	},
	Properties: []sim.Property{
		sim.Monitor("only the primary writes", observe),
		sim.Takes(sim.Eventually("all writes are done", func(v sim.View[*node]) bool { return open(v) == 0 },
			func(v sim.View[*node]) string { return fmt.Sprint(open(v), " to be done") }),
			func(n *node) any { return n.requests - n.done }),
	},
}

// primary is the memory of a monitor: the node that was last given the lease.
type primary struct{ Is sim.Addr }

func observe(p *primary, at sim.Addr, fact any) error {
	switch fact.(type) {
	case leads:
		p.Is = at
	case writes:
		if at != p.Is {
			return fmt.Errorf("%s writes, and has handed the lease on: the primary is %s", at, p.Is)
		}
	}
	return nil
}

// open returns the number of writes that are not done, including those that are not
// requested yet.
func open(v sim.View[*node]) (n int) {
	for _, node := range v.Nodes() {
		n += node.requests - node.done
	}
	return n
}
