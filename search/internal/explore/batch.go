package explore

import "macemc/internal/canon"

// batch is steps of one or several states of a level, taken and not yet looked
// up among the states that are known: that is done for many at once, so that
// the memory which they need is fetched at once.
type batch struct {
	Parents []parent
	recs    []uint64 // of the parents, packed
	Next    []candidate
	changes []change
	seen    []seen // steps that are not looked up, in order
}

type parent struct {
	State uint32
	rec   int // where it begins in recs
	nodes canon.Hash
	Fly   int
	acts  int32 // the node of the first event, plus one
	both  bool  // another node has an event, too: so something is possible after a step of any of them
}

// candidate is a state that a step leads to.
type candidate struct {
	Sum         canon.Hash
	Parent      int32
	first, last int32 // of its changes
	Fly         int16
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
	b.Parents, b.recs, b.Next, b.changes, b.seen = b.Parents[:0], b.recs[:0], b.Next[:0], b.changes[:0], b.seen[:0]
}

// recOf is a parent, packed.
func (m *Memo) recOf(p int32) []uint64 {
	to := len(m.recs)
	if int(p)+1 < len(m.Parents) {
		to = m.Parents[p+1].rec
	}
	return m.recs[m.Parents[p].rec:to]
}

// Write packs a candidate.
func (m *Memo) Write(c *candidate) {
	m.x.start(m.recOf(c.Parent))
	for _, ch := range m.changes[c.first:c.last] {
		m.x.put(int(ch.place), ch.id)
	}
}

// NodesOf is the share of the nodes in a candidate's identity.
func (m *Memo) NodesOf(c *candidate) canon.Hash {
	nodes := m.Parents[c.Parent].nodes
	for _, ch := range m.changes[c.first:c.last] {
		if i := int(ch.place); i < m.n {
			was := m.x.lay.at(m.recOf(c.Parent), i)
			nodes = nodes.Add(m.x.Bank.Sum(i, ch.id)).Sub(m.x.Bank.Sum(i, was))
		}
	}
	return nodes
}

// Settle has the visitor look at all candidates at once.
func (m *Memo) Settle() error {
	defer m.batch.empty()
	return m.x.Visitor.LookUp(m)
}

// Touch fetches what looking the candidates up will need.
func (m *Memo) Touch() (loaded uint64) {
	for j := range m.Next {
		loaded += m.x.touch(m.Next[j].Sum)
	}
	for j := range m.Next {
		loaded += m.x.touchState(m.Next[j].Sum)
	}
	return loaded
}

// flush settles what waits, in the middle of a state: what comes now comes after
// it.
func (m *Memo) flush(state uint32) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.Parents, m.recs = append(m.Parents, parent{State: state, nodes: m.nodes, Fly: m.fly}), append(m.recs, m.at...)
	m.x.Current = state
	return nil
}
