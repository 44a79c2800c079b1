package explore

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

// batch collects the steps of one or several states of a level before the states that they lead to
// are looked up in the ledger. Many are looked up together, so that the processor fetches the
// memory for all of them at the same time.
type batch struct {
	Parents []parent
	recs    []uint64 // the parents, packed
	Next    []candidate
	changes []change
	seen    []seen // steps that are not looked up, in order
}

type parent struct {
	State uint32
	rec   int // where the parent begins in recs
	nodes canon.Hash
	Fly   int
	part  int32 // its index in Reduction.part if the state is expanded in part, or none
	acts  int32 // the node of the first event, plus one; 0 means that there is no event yet
	both  bool  // a second node has an event: then something is still possible after any one step
}

// candidate is a state that a step leads to, as its parent and the changes of the step. It is not
// yet looked up.
type candidate struct {
	Sum         canon.Hash
	Parent      int32
	first, last int32 // its range in batch.changes
	Fly         int16
	event       uint16
	coins       uint16
	by          byNumber
	naps        int32 // the number of the set of steps that sleep after this step: see sleep.go
}

type change struct {
	place int32
	id    uint32
}

// together is the number of candidates that are collected before they are looked up.
const together = 96

func (b *batch) empty() {
	b.Parents, b.recs = b.Parents[:0], b.recs[:0]
	b.cut(batchSize{})
}

// batchSize holds the lengths of a batch's lists, except the list of parents, so that the batch can
// be cut back to them.
type batchSize struct{ next, changes, seen int }

func (b *batch) size() batchSize { return batchSize{len(b.Next), len(b.changes), len(b.seen)} }

// cut removes everything that was added to the batch since its size was to.
func (b *batch) cut(to batchSize) {
	b.Next, b.changes, b.seen = b.Next[:to.next], b.changes[:to.changes], b.seen[:to.seen]
}

// stands adds position p as a parent. Candidates that are added after this belong to it.
func (b *batch) stands(state uint32, p *position) {
	b.Parents = append(b.Parents, parent{State: state, rec: len(b.recs), nodes: p.nodes, Fly: p.fly, part: p.part()})
	b.recs = append(b.recs, p.at...)
}

// candidate adds a candidate for event k of the last parent. At first it equals the parent, whose
// identity is total. The pointer is valid until the next candidate is added.
func (b *batch) candidate(total canon.Hash, k int, step byNumber) *candidate {
	first := int32(len(b.changes))
	b.Next = append(b.Next, candidate{Sum: total, Parent: int32(len(b.Parents) - 1), first: first, last: first, event: uint16(k), by: step})
	return &b.Next[len(b.Next)-1]
}

// set records that the last candidate has part id at a place.
func (b *batch) set(place int32, id uint32) { b.changes = append(b.changes, change{place, id}) }

// changing returns the candidate's change of a place. If there is none yet, it adds a change to the
// part that v has there.
func (b *batch) changing(c *candidate, place int32, v world.Vector) *change {
	for k := int(c.first); k < len(b.changes); k++ {
		if b.changes[k].place == place {
			return &b.changes[k]
		}
	}
	b.set(place, v[place])
	return &b.changes[len(b.changes)-1]
}

// become sets the part that a change leads to, and updates the candidate's sum.
func (b *batch) become(bank *world.Bank, c *candidate, at *change, to uint32) {
	c.replace(bank.Sum(int(at.place), at.id), bank.Sum(int(at.place), to))
	*at = change{at.place, to}
}

// skip adds the results of event k of the last parent, on a node, without looking them up: see
// commute.go.
func (b *batch) skip(k, node int, o *footprint) {
	for j := range o.results {
		b.seen = append(b.seen, seen{next: int32(len(b.Next)), parent: int32(len(b.Parents) - 1), result: &o.results[j], event: uint16(k), node: uint16(node)})
	}
}

// act records that an event of the node is possible in the parent state.
func (p *parent) act(node int) {
	if p.acts == 0 {
		p.acts = int32(node + 1)
	} else if p.acts != int32(node+1) {
		p.both = true
	}
}

// take applies to the candidate what a result changes in the state as a whole: its sum, and its
// number of messages under way.
func (c *candidate) take(r *result) {
	c.Sum = c.Sum.Add(r.delta)
	c.Fly += r.fly
	c.coins = r.coins
}

// replace updates the sum after one part with hash was has been replaced by one with hash now.
func (c *candidate) replace(was, now canon.Hash) { c.Sum = c.Sum.Add(now).Sub(was) }

// end records that the candidate's changes end at index n.
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

// NodesOf returns the nodes' share of a candidate's identity.
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

// Settle hands all candidates to the visitor, and empties the batch.
func (m *Memo) Settle() error {
	defer m.batch.empty()
	return m.x.Visitor.LookUp(m)
}

// Touch reads the memory that looking up the candidates will need, so that it is in the processor's
// cache when they are looked up.
func (m *Memo) Touch() (loaded uint64) {
	for j := range m.Next {
		loaded += m.x.touch(m.Next[j].Sum)
	}
	for j := range m.Next {
		loaded += m.x.touchState(m.Next[j].Sum)
	}
	return loaded
}

// flush looks up the candidates collected so far, in the middle of a state's expansion. Later steps
// of the state are added to the emptied batch.
func (m *Memo) flush(state uint32) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.stands(state, &m.position)
	m.x.Spot = Spot{Current: state, LastEvent: noEvent}
	return nil
}
