package wal

import (
	"fmt"

	"macemc/sim"
)

// The known bugs.
const (
	WL1 sim.BugID = "WL1"
	WL2 sim.BugID = "WL2"
	WL3 sim.BugID = "WL3"
	WL4 sim.BugID = "WL4"
	WL5 sim.BugID = "WL5"
)

// writes is the number of writes of the client. A record has one digit.
var writes = &sim.Param{Name: "writes", Doc: "how many numbers the client writes", Range: sim.Range{Default: 4, Least: 1, Most: 9}}

// System is one server and one client.
var System = &sim.System{
	Name: "wal",
	Doc: "A register over a write-ahead log on stable storage, which is shortened now and then. " +
		"No acknowledged write is lost, whatever crashes when.",
	Network: func(sim.Params) sim.Network { return sim.Network{UDPCapacity: 1} },
	Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	Params:  []*sim.Param{writes},
	Bugs: []sim.Bug{
		{ID: WL1, Story: "A write is acknowledged before it is synced. The server sends the answer between the append and the sync of its log: " +
			"if it crashes there, the client knows of a write that nobody has."},
		{ID: WL2, Story: "The new log is not synced before the switch. The key that names the log is on the disk, and what it names is not: " +
			"after a crash the server reads an empty log, and everything is lost."},
		{ID: WL3, Story: "A torn record is replayed. The server takes the first half of the last append for a record, and leaves it in the log: " +
			"what it appends from then on stands behind a record without an end, and the next replay does not come so far."},
		{ID: WL4, Story: "The old log is emptied before the switch is synced. A crash between the two comes back to the old log, which has nothing in it."},
		{ID: WL5, Story: "The end of a record is taken for a sign that the record is there. The server appends the two one after the other, before one sync: " +
			"a disk that writes them in another order, and a crash between, leave an end behind a hole, and the hole is read for a number."},
	},
	Tolerates: sim.Faults{Crash: 2, Loss: 1, Dup: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		if self == p.Addr(0) {
			return servers.Node(&server{})
		}
		return clients.Node(&client{server: p.Addr(0), writes: p.Int(writes)})
	},
	Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
		if self == p.Addr(1) {
			return []sim.Signal{begin{}}
		}
		return nil
	},
	Properties: []sim.Property{
		sim.Always("what is acknowledged is there", durable, explain),
		sim.Always("what is there was written", written, explain),
		sim.Eventually("all is acknowledged", done, explain),
	},
}

type view = sim.View[*server]

// ends returns the server and the client. A node that is not running is nil.
func ends(v view) (s *server, c *client) {
	for _, s = range v.Nodes() {
	}
	for _, c = range sim.See[*client](v).Nodes() {
	}
	return s, c
}

func durable(v view) bool {
	s, c := ends(v)
	return s == nil || c == nil || s.log == "" || c.acked <= s.value
}

func written(v view) bool {
	s, c := ends(v)
	return s == nil || c == nil || s.value <= c.writes
}

func done(v view) bool {
	s, c := ends(v)
	return s != nil && c != nil && c.acked == c.writes
}

func explain(v view) string {
	s, c := ends(v)
	switch {
	case s == nil:
		return "the server is down"
	case c == nil:
		return fmt.Sprintf("the server has %d, and the client is down", s.value)
	}
	return fmt.Sprintf("the server has %d, and the client knows that %d of %d is written", s.value, c.acked, c.writes)
}
