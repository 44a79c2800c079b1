package transport

import "macemc/sim"

// The parameters.
var (
	Messages = &sim.Param{
		Name: "messages", Doc: "how many messages a sender sends to each peer",
		Range: sim.Range{Default: 3, Least: 1, Most: 9},
	}
	Senders = &sim.Param{
		Name: "senders", Doc: "how many nodes send, counted from the first",
		Range: sim.Range{Default: 8, Least: 1, Most: 8},
	}
	Fragments = &sim.Param{
		Name: "fragments", Doc: "how many datagrams a message takes",
		Range: sim.Range{Default: 1, Least: 1, Most: 9},
	}
	Buffer = &sim.Param{
		Name: "buffer", Doc: "how many messages to a peer the transport takes before the first is acknowledged",
		Range: sim.Range{Default: 3, Least: 1, Most: 20},
	}
	Window = &sim.Param{
		Name: "window", Doc: "how many datagrams to a peer may be in flight",
		Range: sim.Range{Default: 2, Least: 1, Most: 64},
	}
)

// Span is the distance between the first numbers of two connections.
var Span = &sim.Param{
	Name: "span", Doc: "how many numbers lie between the beginnings of two connections with neighbouring identifiers",
	Range: sim.Range{Default: 1_000_000, Least: 1, Most: 1_000_000},
}

// System is an application over the transport, which uses UDP.
var System = &sim.System{
	Name: "transport",
	Doc: "A reliable transport over UDP, without a handshake, below an application that sends messages. " +
		"Each message is delivered once, whole and in order, in the end.",
	Network:   func(sim.Params) sim.Network { return sim.Network{UDPCapacity: 2} },
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 8} },
	Params:    []*sim.Param{Messages, Senders, Fragments, Buffer, Window, Span},
	Bugs:      bugs,
	Tolerates: sim.Faults{Crash: 1, Loss: 1, Dup: 1, Reorder: 1, Partition: 1, Rare: 1, OneWay: 1, Pause: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		messages := p.Int(Messages)
		if self.Index() >= p.Int(Senders) {
			messages = 0
		}
		const letters = "abcdefghi"
		a := newApp(messages, letters[:p.Int(Fragments)])
		return Over(a, Options{Datagram: 1, Buffer: p.Int(Buffer), Window: p.Int(Window), Span: p.Int(Span), Bugs: true})
	},
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		return []sim.Signal{begin{life}}
	},
	Properties: properties(),
}
