package dispatcher

import (
	"fmt"
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
)

// The known bugs: see System.
const (
	DP1 sim.BugID = "DP1"
	DP2 sim.BugID = "DP2"
	DP3 sim.BugID = "DP3"
	DP4 sim.BugID = "DP4"
	DP5 sim.BugID = "DP5"
	DP6 sim.BugID = "DP6"
	DP7 sim.BugID = "DP7"
	DP8 sim.BugID = "DP8"
)

// Requests is the number of requests.
var Requests = &sim.Param{Name: "requests", Doc: "how many requests the dispatcher has", Range: sim.Range{Default: 2, Least: 1, Most: 5}}

// System is the protocol.
var System = &sim.System{
	Name:      "dispatcher",
	Doc:       "The front end of a replicated service. Each request is applied once, by the head, and every fair run answers it.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
	Network:   func(sim.Params) sim.Network { return sim.Network{UDPCapacity: 2} },
	Params:    []*sim.Param{Requests},
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1},
	Bugs: []sim.Bug{
		{ID: DP1, Story: "The dispatcher does not send the membership that it knows. Two replicas send it to and fro, and its timer, by which it would tell them, never comes to fire."},
		{ID: DP2, Story: "The head applies what it has applied. The dispatcher asks again where an answer is lost."},
		{ID: DP3, Story: "A replica that hands over remains the head. So are then both."},
		{ID: DP4, Story: "The dispatcher takes any answer for that of its request. An answer may come twice."},
		{ID: DP5, Story: "A replica takes an older membership. The datagram that made it the head came twice."},
		{ID: DP6, Story: "The dispatcher sets no timer where it follows a replica. What it sends then may be lost."},
		{ID: DP7, Story: "The dispatcher forgets about answers that come twice. It waits for none any more."},
		{ID: DP8, Story: "The dispatcher forgets about answers while it moves. It had asked twice."},
	},
	New: newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		if self != p.Addr(0) {
			return []sim.Signal{handover{}}
		}
		for k := range p.Int(Requests) {
			script = append(script, ask{k + 1})
		}
		return script
	},
	Properties: []sim.Property{
		sim.Always("at most one replica is the head", oneHead),
		sim.Monitor("a request is applied once, and before it is answered", (*effects).observe),
		sim.Eventually("the dispatcher has no request under way", func(v sim.View[*dispatcher]) bool {
			for _, d := range v.Nodes() {
				return d.Is(idle)
			}
			return true
		}),
		sim.Cools("every request is answered", (*open).observe, (*open).hot, (*open).String),
	},
}

var (
	curt  = dispatchers.Forget(idle, machine.Messages(reply{})...)
	hasty = dispatchers.Forget(moving, machine.Messages(reply{})...)
)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	all := p.Addrs()[1:]
	first := view{Version: 1, Head: all[0]}
	switch i := self.Index(); {
	case i > 0:
		return replicas.Node(&replica{peer: all[2-i], view: first})
	case p.Bug(DP7):
		return curt.Node(&dispatcher{replicas: all, view: first})
	case p.Bug(DP8):
		return hasty.Node(&dispatcher{replicas: all, view: first})
	default:
		return dispatchers.Node(&dispatcher{replicas: all, view: first})
	}
}

func oneHead(v sim.View[*replica]) bool {
	heads := 0
	for _, r := range v.Nodes() {
		if r.Is(head) {
			heads++
		}
	}
	return heads <= 1
}

// effects is the memory of a monitor: the requests that were applied.
type effects struct{ applied []int }

func (e *effects) observe(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case Applied:
		if slices.Contains(e.applied, f.ID) {
			return fmt.Errorf("%s applies request %d, which was applied before", at, f.ID)
		}
		e.applied = append(e.applied, f.ID)
	case Answered:
		if !slices.Contains(e.applied, f.ID) {
			return fmt.Errorf("request %d is answered, and was never applied", f.ID)
		}
	}
	return nil
}

// open is the memory of a monitor: the request that has no answer yet, or 0.
type open struct{ id int }

func (o *open) observe(_ sim.Addr, fact any) {
	switch f := fact.(type) {
	case Asked:
		o.id = f.ID
	case Answered:
		o.id = 0
	}
}

func (o *open) hot() bool      { return o.id > 0 }
func (o *open) String() string { return fmt.Sprintf("request %d is not answered", o.id) }
