package simtcp

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// The known bugs of the transport.
const (
	ST1 sim.BugID = "ST1"
	ST2 sim.BugID = "ST2"
	ST3 sim.BugID = "ST3"
)

// flaws has the names that the known bugs have in package netsim.
var flaws = []struct {
	id   sim.BugID
	flaw string
}{
	{ST1, "reset-falls-through"},
	{ST2, "wrong-index"},
	{ST3, "remote-stays"},
}

// Messages is the number of messages that a node sends to each peer.
var Messages = &sim.Param{
	Name:  "messages",
	Doc:   "how many messages a node sends to each peer",
	Range: sim.Range{Default: 3, Least: 1, Most: 1000},
}

// buffer is small, so that Send is refused.
const buffer = 2

// System is a service in which every node sends to every other.
var System = &sim.System{
	Name: "simtcp",
	Doc: "Numbered messages from every node to every other, over the simulated TCP. " +
		"They arrive in order, nothing is missing or twice within a connection, and in the end all have arrived.",
	Network: func(p sim.Params) sim.Network {
		net := sim.Network{TCPBuffer: buffer}
		for _, f := range flaws {
			if p.Bug(f.id) {
				net.Flaws = append(net.Flaws, f.flaw)
			}
		}
		return net
	},
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 8} },
	Params: []*sim.Param{Messages},
	Bugs: []sim.Bug{
		{ID: ST1, Story: "A reset is handled as two errors. For want of a break, the peer of a node that resets goes on from the case of " +
			"a reset into that of an error of both ends, and believes that it has an error to tell."},
		{ID: ST2, Story: "The flag of a local error is cleared at the wrong node. When an error was taken from the queue for a node, " +
			"the flag's value is used as the index instead of the node's number: node 1's flag is cleared, and the right one stays."},
		{ID: ST3, Story: "A remote error outlives a reset. A node that resets while both ends have yet to hear of an error " +
			"does not clear the flag that says that there is one for it."},
	},
	Tolerates: sim.Faults{Crash: 1, Reset: 1},
	New:       func(p sim.Params, _ sim.Addr) sim.Node { return newNode(p.Int(Messages), 1) },
	// The incarnation survives a crash, as if it were on disk.
	Crash: func(p sim.Params, _ sim.Addr, dead sim.Node) sim.Node {
		return newNode(p.Int(Messages), handlers.Of(dead).incarnation+1)
	},
	Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{start{}} },
	Properties: []sim.Property{
		sim.Always("nobody is ahead of what was sent", notAhead, explainNotAhead),
		sim.Eventually("all messages have arrived", allArrived, explainArrived),
		sim.Eventually("nobody waits for its buffers to be empty", nobodyWaits),
	},
}

type view = sim.View[*node]

func notAhead(v view) bool { return explainNotAhead(v) == "" }

func explainNotAhead(v view) string {
	for a, n := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if from == a {
				continue
			}
			i, o := n.in[from], sender.out[a]
			sent := attempt{sender.incarnation, o.errors}
			if i.after(sent) || i.attempt == sent && i.next > o.next {
				return fmt.Sprintf("%s expects message %d of %s, incarnation %d, %d errors, which is at message %d of incarnation %d, %d errors",
					a, i.next, from, i.incarnation, i.errors, o.next, sent.incarnation, sent.errors)
			}
		}
	}
	return ""
}

func allArrived(v view) bool {
	for a, n := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if from != a && (n.in[from].attempt != attempt{sender.incarnation, sender.out[a].errors} || n.in[from].next < n.messages) {
				return false
			}
		}
	}
	return true
}

// explainArrived describes the conversations of the nodes that are up.
func explainArrived(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		for from, sender := range v.Nodes() {
			if from == a {
				continue
			}
			i, sent := n.in[from], attempt{sender.incarnation, sender.out[a].errors}
			if i.attempt != sent {
				all = append(all, fmt.Sprintf("%s has nothing yet of %s's incarnation %d after %d errors", a, from, sent.incarnation, sent.errors))
			} else if i.next < n.messages {
				all = append(all, fmt.Sprintf("%s has %d of %d messages of %s", a, i.next, n.messages, from))
			}
		}
	}
	return strings.Join(all, "; ")
}

func nobodyWaits(v view) bool {
	for _, n := range v.Nodes() {
		if n.waits {
			return false
		}
	}
	return true
}
