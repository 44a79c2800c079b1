package jointree

import "macemc/sim"

// ballast is state that a node carries besides its own, of the kinds that real services have. A
// part of it never changes, but is hashed and copied like the rest; the other part is a function
// of the node's neighbours.
type ballast struct {
	peers   map[sim.Addr]*record // this part changes
	history []uint64             // the slots of the records change
	table   map[uint32]uint64
	names   []string
}

// record is the part of a ballast about one peer.
type record struct {
	slot     int // index in history
	relation string
}

const (
	historyWords = 44 // 8 bytes each
	tableEntries = 24 // 12 bytes each
	nameCount    = 14 // 24 bytes each
	nameBytes    = 24
)

// text is the text from which names are cut. Cutting copies nothing.
const text = "nodes join at the root, and who has no room sends them on to a child; " +
	"a neighbour that is silent is given up, and comes back by the root when it can; so it goes on for ever"

// newBallast returns a ballast of about this size in kilobytes.
func newBallast(p sim.Params, self sim.Addr, kilobytes int) *ballast {
	b := &ballast{
		peers:   make(map[sim.Addr]*record, p.Nodes),
		history: make([]uint64, historyWords*kilobytes),
		table:   make(map[uint32]uint64, tableEntries*kilobytes),
		names:   make([]string, nameCount*kilobytes),
	}
	for i := range b.history {
		b.history[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	for i := range tableEntries * kilobytes {
		b.table[uint32(i)*2654435761] = uint64(i)
	}
	for i := range b.names {
		at := i * 7 % (len(text) - nameBytes)
		b.names[i] = text[at : at+nameBytes]
	}
	for i, a := range p.Addrs() {
		if a != self {
			slot := i * len(b.history) / p.Nodes
			b.peers[a] = &record{slot: slot, relation: stranger}
			b.history[slot] = 0
		}
	}
	return b
}

// These are the relations of a node to a peer.
const (
	stranger = "a stranger"
	child    = "a child"
	parent   = "the parent"
	both     = "a child and the parent"
)

// note copies into the ballast what node a is to n: a child, the parent, both or neither.
func (b *ballast) note(n *node, a sim.Addr) {
	if b == nil {
		return
	}
	r := b.peers[a]
	switch {
	case n.kids[a] && n.papa == a:
		r.relation, b.history[r.slot] = both, 3
	case n.kids[a]:
		r.relation, b.history[r.slot] = child, 2
	case n.papa == a:
		r.relation, b.history[r.slot] = parent, 1
	default:
		r.relation, b.history[r.slot] = stranger, 0
	}
}
