package search

import "macemc/internal/canon"

// batch is steps of one or several states of a level, taken and not yet looked
// up among the states that are known: that is done for many at once, so that
// the memory which they need is fetched at once.
type batch struct {
	parents []parent
	recs    []uint64 // of the parents, packed
	next    []candidate
	changes []change
	seen    []seen // steps that are not looked up, in order
}

type parent struct {
	state uint32
	rec   int // where it begins in recs
	nodes canon.Hash
	fly   int
	acts  int32 // the node of the first event, plus one
	both  bool  // another node has an event, too: so something is possible after a step of any of them
}

// candidate is a state that a step leads to.
type candidate struct {
	sum         canon.Hash
	parent      int32
	first, last int32 // of its changes
	fly         int16
	event       uint16
	coins       uint16
	by          byNumber
}

type change struct {
	place int32
	id    uint32
}

// together is how many candidates are looked up at once.
const together = 96

func (b *batch) empty() {
	b.parents, b.recs, b.next, b.changes, b.seen = b.parents[:0], b.recs[:0], b.next[:0], b.changes[:0], b.seen[:0]
}

// recOf is a parent, packed.
func (m *memo) recOf(p int32) []uint64 {
	to := len(m.recs)
	if int(p)+1 < len(m.parents) {
		to = m.parents[p+1].rec
	}
	return m.recs[m.parents[p].rec:to]
}

// write packs a candidate.
func (m *memo) write(c *candidate) {
	m.x.start(m.recOf(c.parent))
	for _, ch := range m.changes[c.first:c.last] {
		m.x.put(int(ch.place), ch.id)
	}
}

// nodesOf is the share of the nodes in a candidate's identity.
func (m *memo) nodesOf(c *candidate) canon.Hash {
	nodes := m.parents[c.parent].nodes
	for _, ch := range m.changes[c.first:c.last] {
		if i := int(ch.place); i < m.n {
			was := m.x.lay.at(m.recOf(c.parent), i)
			nodes = nodes.Add(m.x.bank.Sum(i, ch.id)).Sub(m.x.bank.Sum(i, was))
		}
	}
	return nodes
}

// settle has the visitor look at all candidates at once.
func (m *memo) settle() error {
	defer m.batch.empty()
	return m.x.visitor.lookUp(m)
}

// touch fetches what looking the candidates up will need.
func (m *memo) touch() (loaded uint64) {
	for j := range m.next {
		loaded += m.x.touch(m.next[j].sum)
	}
	for j := range m.next {
		loaded += m.x.touchState(m.next[j].sum)
	}
	return loaded
}

// flush settles what waits, in the middle of a state: what comes now comes after
// it.
func (m *memo) flush(state uint32) error {
	if err := m.settle(); err != nil {
		return err
	}
	m.parents, m.recs = append(m.parents, parent{state: state, nodes: m.nodes, fly: m.fly}), append(m.recs, m.at...)
	m.x.current = state
	return nil
}
