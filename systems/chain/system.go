package chain

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

// The known bugs: see System.
const (
	CH1 sim.BugID = "CH1"
	CH2 sim.BugID = "CH2"
	CH3 sim.BugID = "CH3"
	CH4 sim.BugID = "CH4"
	CH5 sim.BugID = "CH5"
	CH6 sim.BugID = "CH6"
	CH7 sim.BugID = "CH7"
	CH8 sim.BugID = "CH8"
)

// Commands is the number of commands of the client.
var Commands = &sim.Param{Name: "commands", Doc: "how many commands the client has", Range: sim.Range{Default: 2, Least: 1, Most: 10}}

// System is the protocol.
var System = &sim.System{
	Name:      "chain",
	Doc:       "Chain replication of state machines. Histories are prefixes of one another, and every command is answered.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 8} },
	Network:   service.Network,
	Params:    []*sim.Param{Commands},
	Tolerates: sim.Faults{Down: 2, Only: "down@n1+n2+n3"},
	Bugs: []sim.Bug{
		{ID: CH1, Story: "A replica does not send again what its successor has lost. The next one never has it."},
		{ID: CH2, Story: "A replica acknowledges what it has sent on. Only the tail knows that all have it."},
		{ID: CH3, Story: "The head takes a command that it has. The client asks again when it does not know."},
		{ID: CH4, Story: "A replica takes what it has as new. A predecessor sends again what was not acknowledged."},
		{ID: CH5, Story: "A replica that becomes the tail does not answer for what is under way. The client waits for ever."},
		{ID: CH6, Story: "A replica forgets that it may be asked before it is the head. The client has heard first that the head is down."},
		{ID: CH7, Story: "A client forgets that it may be answered twice. It had asked twice."},
		{ID: CH8, Story: "A replica that becomes the tail does not answer for what is acknowledged. The answer may be lost with the tail before."},
	},
	New: newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		for k := range p.Int(Commands) {
			if self == p.Addr(0) {
				script = append(script, service.Ask(k+1, nil))
			}
		}
		return script
	},
	Properties: []sim.Property{
		sim.Takes(sim.Always("a history is a prefix of its predecessor's", updatePropagation), (*replica).taken),
		sim.Takes(sim.Always("what is known to be acknowledged all have", inprocess), (*replica).taken),
		sim.Takes(sim.Always("no command is in a history twice", once), (*replica).taken),
		service.Finished("every command is answered", func(p sim.Params) int { return p.Int(Commands) }),
	},
}

var modest = replicas.Forget(middle, machine.Messages(service.Request{})...)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	all, i := p.Addrs()[1:], self.Index()-1
	switch {
	case i < 0 && p.Bug(CH7):
		return service.Curt.Node(service.NewClient("", all))
	case i < 0:
		return service.Clients.Node(service.NewClient("", all))
	}
	r := newReplica(all, i, &service.Log{})
	r.checked = true
	if p.Bug(CH6) {
		return modest.Node(r)
	}
	return replicas.Node(r)
}

// history returns the commands of a replica.
func (r *replica) history() []service.Command { return r.learner.(*service.Log).Commands }

// pairs reports whether holds returns true for each pair of replicas that are up, where a is
// nearer to the head than b.
func pairs(v sim.View[*replica], holds func(a, b *replica) bool) bool {
	for at, a := range v.Nodes() {
		for bt, b := range v.Nodes() {
			if at.Index() < bt.Index() && !holds(a, b) {
				return false
			}
		}
	}
	return true
}

// taken returns the part of a replica's state on which the properties depend.
func (r *replica) taken() any {
	return struct {
		history []service.Command
		acked   int
	}{r.history(), r.acked}
}

func updatePropagation(v sim.View[*replica]) bool {
	return pairs(v, func(a, b *replica) bool {
		x, y := a.history(), b.history()
		return len(y) <= len(x) && slices.Equal(y, x[:len(y)])
	})
}

func inprocess(v sim.View[*replica]) bool {
	return pairs(v, func(a, b *replica) bool { return a.acked <= b.length && a.acked <= a.length && b.acked <= b.length })
}

func once(v sim.View[*replica]) bool {
	for _, r := range v.Nodes() {
		for k, c := range r.history() {
			if slices.ContainsFunc(r.history()[:k], c.Same) {
				return false
			}
		}
	}
	return true
}
