package reliable

import (
	"fmt"

	"macemc/layers/machine"
	"macemc/sim"
)

// The known bugs: see System.
const (
	RL1 sim.BugID = "RL1"
	RL2 sim.BugID = "RL2"
	RL3 sim.BugID = "RL3"
	RL4 sim.BugID = "RL4"
	RL5 sim.BugID = "RL5"
	RL6 sim.BugID = "RL6"
	RL7 sim.BugID = "RL7"
)

// Values is the number of values that each sender sends.
var Values = &sim.Param{Name: "values", Doc: "how many values each sender sends", Range: sim.Range{Default: 2, Least: 1, Most: 1000}}

// System is the protocol: the first node receives, the others send.
var System = &sim.System{
	Name:   "reliable",
	Doc:    "A reliable channel over datagrams, of state machines. Each value that is sent comes once, in order.",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 4} },
	Params: []*sim.Param{Values},
	Bugs: []sim.Bug{
		{ID: RL1, Story: "The sender forgets about late acknowledgements. One that comes twice comes when nothing is under way."},
		{ID: RL2, Story: "The receiver compares the wrong way round, as Listing 4 of the P report prints it. It ignores all values but the first."},
		{ID: RL3, Story: "The sender takes any acknowledgement. One that comes twice is taken for that of the next value, which may be lost."},
		{ID: RL4, Story: "The sender does not send again. It waits for ever for what was lost."},
		{ID: RL5, Story: "The receiver acknowledges only what is new. If that acknowledgement is lost, the sender waits for ever."},
		{ID: RL6, Story: "The receiver delivers whatever comes. A value that was sent again is delivered twice."},
		{ID: RL7, Story: "The sender forgets about requests that come while it waits. It says nothing about them."},
	},
	Tolerates: sim.Faults{Loss: 2, Dup: 1, Reorder: 1},
	New:       newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		for k := range p.Int(Values) {
			if self != p.Addr(0) {
				script = append(script, send{k + 1})
			}
		}
		return script
	},
	Properties: []sim.Property{
		sim.Monitor("each value comes once and in order", func(next *order, at sim.Addr, fact any) error { return next.observe(at, fact) }),
		sim.Takes(sim.Eventually("every value is acknowledged", func(v sim.View[*sender]) bool {
			for _, s := range v.Nodes() {
				if s.State() != idle || s.last.Value != v.Params().Int(Values) {
					return false
				}
			}
			return true
		}), func(s *sender) any {
			return struct {
				idle bool
				last int
			}{s.State() == idle, s.last.Value}
		}),
		sim.Takes(sim.Eventually("every value is delivered", func(v sim.View[*receiver]) bool {
			for _, r := range v.Nodes() {
				for _, s := range v.Params().Addrs()[1:] {
					if r.last[s] != v.Params().Int(Values) {
						return false
					}
				}
			}
			return true
		}), func(r *receiver) any { return r.last }),
	},
}

var (
	unaware   = senders.Forget(idle, machine.Messages(ack{})...)
	impatient = senders.Forget(waiting, machine.Signals(send{})...)
)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	s := &sender{receiver: p.Addr(0)}
	switch {
	case self == p.Addr(0):
		return receivers.Node(&receiver{last: map[sim.Addr]int{}})
	case p.Bug(RL1):
		return unaware.Node(s)
	case p.Bug(RL7):
		return impatient.Node(s)
	default:
		return senders.Node(s)
	}
}

// order is the memory of a monitor, SendRecvSpec in the paper: by sender, the values that were sent
// and not delivered yet.
type order struct{ pending map[sim.Addr][]int }

// Init makes an empty memory.
func (o *order) Init() { o.pending = map[sim.Addr][]int{} }

func (o *order) observe(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case Sent:
		o.pending[at] = append(o.pending[at], f.Value)
	case Delivered:
		all := o.pending[f.From]
		if len(all) == 0 || all[0] != f.Value {
			return fmt.Errorf("%s delivers %d of %s, of which %v are pending", at, f.Value, f.From, all)
		}
		o.pending[f.From] = append([]int(nil), all[1:]...)
	}
	return nil
}
