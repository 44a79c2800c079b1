package kcp

import (
	"macemc/examples/kcp/core"
	"macemc/sim"
)

// Pattern selects the ends that write.
var Pattern = &sim.Param{
	Name: "pattern", Doc: "who writes: the first end; both; or the first, and when all is acknowledged it opens another connection, and writes again",
	Words: []string{"one-way", "both-ways", "reconnect"},
}

// Messages is the number of messages of each end that writes.
var Messages = &sim.Param{
	Name: "messages", Doc: "how many messages are written, over each connection, at each end that writes",
	Range: sim.Range{Default: 3, Least: 1, Most: 20},
}

// Parts is the number of segments that a message takes.
var Parts = &sim.Param{
	Name: "parts", Doc: "how many segments a message needs; more than fit into the receiver's window never arrive",
	Range: sim.Range{Default: 1, Least: 1, Most: 20},
}

// Send is the window of the sender.
var Send = &sim.Param{Name: "send", Doc: "how many segments may be under way", Range: sim.Range{Default: 2, Least: 1, Most: 32}}

// Receive is the window of the receiver.
var Receive = &sim.Param{Name: "receive", Doc: "how many segments may wait to be read", Range: sim.Range{Default: 2, Least: 1, Most: 32}}

// Resend selects when a segment counts as lost.
var Resend = &sim.Param{
	Name: "resend", Doc: "how many acknowledgements of later segments make one be sent again; 0: only time does",
	Range: sim.Range{Default: 0, Least: 0, Most: 5},
}

// Congestion switches the congestion window on.
var Congestion = &sim.Param{Name: "congestion", Doc: "whether there is a congestion window, besides that of the receiver", Words: []string{"off", "on"}}

// RoundTrips selects whether the library measures the times of round trips.
var RoundTrips = &sim.Param{
	Name: "roundtrips", Doc: "whether round trips are timed, so that timeouts depend on them and the state on how late it is; or all take no time",
	Words: []string{"untimed", "timed"},
}

// Wrap is the number of segments after which their numbers begin again at 0.
var Wrap = &sim.Param{
	Name: "wrap", Doc: "after how many segments their numbers, of 32 bits, begin again from 0; 0: they begin there",
	Range: sim.Range{Default: 0, Least: 0, Most: 20},
}

// System is KCP under a driver of its own.
var System = &sim.System{
	Name: "kcp",
	Doc: "A reliable connection over datagrams: KCP below a driver that has its clock go on, writes and reads. " +
		"What is written is read, once and in its order, and in the end all of it, " +
		"whatever is lost, doubled or reordered, and however slowly it is read.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	// Few, so that spaces are small: what does not fit in is lost, of which there is enough.
	Network:   func(sim.Params) sim.Network { return sim.Network{UDPCapacity: 2} },
	Params:    []*sim.Param{Pattern, Messages, Parts, Send, Receive, Resend, Congestion, RoundTrips, Wrap},
	Bugs:      Bugs,
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1, Partition: 1, OneWay: 1, Pause: 1},
	New:       func(p sim.Params, self sim.Addr) sim.Node { return newEnd(p, self) },
	Script:    script,
	Properties: []sim.Property{
		sim.Monitor("what is read was written, in its order", inOrder),
		sim.Each("no more is under way than the window", withinWindow, explainWindow),
		sim.Each("no more waits to be read than the window", bounded, explainBounds),
		sim.Always("what is acknowledged has come", hasCome, explainCome),
		sim.Eventually("all that is written was read", allRead, explainRead),
		sim.Eventually("all that is written is acknowledged", allAcknowledged, explainAcknowledged),
	},
	Weight: weight,
	Opaque: core.Opaque,
}

// writes returns the number of messages that an end writes.
func writes(p sim.Params, self sim.Addr) int {
	switch {
	case p.Word(Pattern) == "reconnect" && self.Index() == 0:
		return 2 * p.Int(Messages)
	case p.Word(Pattern) == "both-ways" || self.Index() == 0:
		return p.Int(Messages)
	default:
		return 0
	}
}

func script(p sim.Params, self sim.Addr, _ int) (all []sim.Signal) {
	for i := range writes(p, self) {
		all = append(all, write{i + 1})
	}
	return all
}

// weight makes timers rarer than packets, as they are in practice, where a packet takes
// less time than the interval of updates.
func weight(e sim.Event) float64 {
	switch e.Value.(type) {
	case update:
		return 0.2
	case again:
		return 0.05
	default:
		return 1
	}
}
