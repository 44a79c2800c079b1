package merge

import (
	"macemc/internal/record"
	"macemc/sim"
)

// refusal is a step in which a send was refused, since the connection had no room, with the number of
// messages that the sender knew to be delivered.
type refusal struct {
	at    int // the index of the step among the node's entries
	life  uint64
	peer  int
	acked uint64
	sends uint64 // the number of sends before the step
}

// nodeRecord is the record of one node, over all its lives, and how far it was merged.
type nodeRecord struct {
	entries  []*record.Entry
	at       int
	life     uint64            // the life that runs in the World
	sends    map[uint64]uint64 // by life, the number of messages sent in the simulation
	refusals []refusal
	node     sim.Node // the node in the World
	dead     bool
}

// pass moves on to the next entry.
func (n *nodeRecord) pass() { n.at++ }

// send counts a message that the node sends, and returns its number in the life that runs.
func (n *nodeRecord) send() uint64 {
	n.sends[n.life]++
	return n.sends[n.life]
}

// left returns the number of recorded steps that were not taken.
func (n *nodeRecord) left() (steps int) {
	for _, e := range n.entries[min(n.at, len(n.entries)):] {
		if e.Kind == record.EntryStep {
			steps++
		}
	}
	return steps
}

func (n *nodeRecord) next() *record.Entry {
	if n.at >= len(n.entries) {
		return nil
	}
	return n.entries[n.at]
}
