package explore

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

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
	part  int32 // its place among the states of a Reduction that are expanded in part, or none
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
	naps        int32 // what sleeps along the step: see sleep.go
}

type change struct {
	place int32
	id    uint32
}

// together is the number of candidates that are looked up at once.
const together = 96

func (b *batch) empty() {
	b.Parents, b.recs = b.Parents[:0], b.recs[:0]
	b.cut(batchSize{})
}

// A batchSize has the lengths of the lists of a batch, except that of its parents.
type batchSize struct{ next, changes, seen int }

func (b *batch) size() batchSize { return batchSize{len(b.Next), len(b.changes), len(b.seen)} }

// cut removes everything that was added to the batch since it had the size to.
func (b *batch) cut(to batchSize) {
	b.Next, b.changes, b.seen = b.Next[:to.next], b.changes[:to.changes], b.seen[:to.seen]
}

// stands makes a position the parent of the steps that are added next.
func (b *batch) stands(state uint32, p *position) {
	b.Parents = append(b.Parents, parent{State: state, rec: len(b.recs), nodes: p.nodes, Fly: p.fly, part: p.part()})
	b.recs = append(b.recs, p.at...)
}

// candidate adds the last parent, whose identity is total, before its k-th event
// changes anything. The candidate holds until the next one is added.
func (b *batch) candidate(total canon.Hash, k int, step byNumber) *candidate {
	first := int32(len(b.changes))
	b.Next = append(b.Next, candidate{Sum: total, Parent: int32(len(b.Parents) - 1), first: first, last: first, event: uint16(k), by: step})
	return &b.Next[len(b.Next)-1]
}

// set gives a place of the last candidate another part.
func (b *batch) set(place int32, id uint32) { b.changes = append(b.changes, change{place, id}) }

// changing returns a candidate's change of a place. If there is none yet, it adds one that leaves the
// part of v there.
func (b *batch) changing(c *candidate, place int32, v world.Vector) *change {
	for k := int(c.first); k < len(b.changes); k++ {
		if b.changes[k].place == place {
			return &b.changes[k]
		}
	}
	b.set(place, v[place])
	return &b.changes[len(b.changes)-1]
}

// become changes the part to which a change of a candidate leads, and updates the candidate's sum.
func (b *batch) become(bank *world.Bank, c *candidate, at *change, to uint32) {
	c.replace(bank.Sum(int(at.place), at.id), bank.Sum(int(at.place), to))
	*at = change{at.place, to}
}

// skip adds the results of a step that is not looked up: the k-th event of the last
// parent, on a node.
func (b *batch) skip(k, node int, o *footprint) {
	for j := o.first; j < o.last; j++ {
		b.seen = append(b.seen, seen{next: int32(len(b.Next)), parent: int32(len(b.Parents) - 1), result: j, event: uint16(k), node: uint16(node)})
	}
}

// act records that a node has an event.
func (p *parent) act(node int) {
	if p.acts == 0 {
		p.acts = int32(node + 1)
	} else if p.acts != int32(node+1) {
		p.both = true
	}
}

// take adds the effect of a result on the candidate as a whole: on its sum and its counts.
func (c *candidate) take(r *result) {
	c.Sum = c.Sum.Add(r.delta)
	c.Fly += r.fly
	c.coins = r.coins
}

// replace takes a part with the sum was for one with the sum now.
func (c *candidate) replace(was, now canon.Hash) { c.Sum = c.Sum.Add(now).Sub(was) }

// end ends the candidate's changes before the n-th of the batch.
func (c *candidate) end(n int) { c.last = int32(n) }

// recOf returns a parent, packed.
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

// NodesOf returns the share of the nodes in a candidate's identity.
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

// Settle passes all candidates to the visitor at once.
func (m *Memo) Settle() error {
	defer m.batch.empty()
	return m.x.Visitor.LookUp(m)
}

// Touch loads the memory that looking the candidates up will need, so that it is in the processor's
// cache then.
func (m *Memo) Touch() (loaded uint64) {
	for j := range m.Next {
		loaded += m.x.touch(m.Next[j].Sum)
	}
	for j := range m.Next {
		loaded += m.x.touchState(m.Next[j].Sum)
	}
	return loaded
}

// flush looks up the candidates of the batch in the middle of a state, before its next steps are
// added.
func (m *Memo) flush(state uint32) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.stands(state, &m.position)
	m.x.Spot = Spot{Current: state, LastEvent: noEvent}
	return nil
}
