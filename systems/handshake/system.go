package handshake

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// HS1 is the known bug.
const HS1 sim.BugID = "HS1"

// System is one client and one server.
var System = &sim.System{
	Name: "handshake",
	Doc: "A connection made by three datagrams between a client and a server. " +
		"Both are connected in the end, whatever datagram is lost.",
	// With room for two, a datagram that is sent again can meet the first one.
	Network: func(sim.Params) sim.Network { return sim.Network{UDPCapacity: 2} },
	Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	Bugs: []sim.Bug{
		{ID: HS1, Story: "Nobody sends the last datagram again. The server sets no timer when it answers: the client's covers the " +
			"first two datagrams, but it is stopped by the welcome. If the confirm is lost, the client is connected and silent, and the server waits for ever."},
	},
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		if self == p.Addr(0) {
			return clients.Node(&client{state: closed, server: p.Addr(1)})
		}
		return servers.Node(&server{state: listening})
	},
	Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
		if self == p.Addr(0) {
			return []sim.Signal{connect{}}
		}
		return nil
	},
	Properties: []sim.Property{
		sim.Always("the server is connected only if the client is", clientFirst),
		sim.Eventually("both are connected", bothConnected, explainConnected),
	},
}

type view = sim.View[end]

func clientFirst(v view) bool {
	all := true // of the ends so far, in order: the client comes first
	for _, e := range v.Nodes() {
		if e.is() == connected && !all {
			return false
		}
		all = all && e.is() == connected
	}
	return true
}

func bothConnected(v view) bool {
	for _, e := range v.Nodes() {
		if e.is() != connected {
			return false
		}
	}
	return true
}

func explainConnected(v view) string {
	var all []string
	for a, e := range v.Nodes() {
		all = append(all, fmt.Sprintf("%s is %s", a, e.is()))
	}
	return strings.Join(all, ", ")
}
