package explore

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

// batch collects the results of steps from some states of a level before the resulting states are
// looked up in the ledger. Many are looked up together, so that the processor fetches the memory
// for all of them at the same time.
type batch struct {
	Parents []parent
	recs    []uint64    // the states of Parents, packed
	Next    []candidate // the resulting states
	changes []change    // the parts in which these states differ from their parents
	seen    []seen      // results that are not looked up, in order
}

type parent struct {
	State uint32
	rec   int        // the index in recs where its packed state begins
	nodes canon.Hash // the hash of its nodes
	Fly   int        // number of messages under way
	part  int32      // its index in Reduction.part if only some of its steps are taken, or none
	acts  int32      // the node of the first event found in it, plus one; 0 means that no event was found yet
	both  bool       // a second node has an event, so after any one step some event is still possible
}

// candidate is the state to which a step leads, before it is looked up: the parent, and the parts
// that the step changes.
type candidate struct {
	Sum         canon.Hash // the identity of the state
	Parent      int32      // the index of the parent in batch.Parents
	first, last int32      // its range in batch.changes
	Fly         int16      // the number of messages under way
	event       uint16     // the number of the step's event
	coins       uint16     // the number of the list of answers to the event's coins
	by          byNumber
	naps        int32 // the number of the set of steps that sleep after this step: see sleep.go
}

// change says that a candidate differs from its parent at one place: the candidate's state has
// the part with number id there.
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

// batchSize holds the lengths of a batch's lists, the list of parents excepted. The batch can be
// cut back to these lengths.
type batchSize struct{ next, changes, seen int }

func (b *batch) size() batchSize { return batchSize{len(b.Next), len(b.changes), len(b.seen)} }

// cut removes everything that was added to the batch after its lists had the lengths in to.
func (b *batch) cut(to batchSize) {
	b.Next, b.changes, b.seen = b.Next[:to.next], b.changes[:to.changes], b.seen[:to.seen]
}

// stands adds a state, at which position p is, to the batch as a parent. The candidates that are
// added next belong to it.
func (b *batch) stands(state uint32, p *position) {
	b.Parents = append(b.Parents, parent{State: state, rec: len(b.recs), nodes: p.nodes, Fly: p.fly, part: p.part()})
	b.recs = append(b.recs, p.at...)
}

// candidate adds a candidate for event number k of the last parent. The candidate is first equal to
// its parent, whose identity is total. The returned pointer is valid until the next candidate is
// added.
func (b *batch) candidate(total canon.Hash, k int, step byNumber) *candidate {
	b.Next = more(b.Next)
	c := &b.Next[len(b.Next)-1]
	c.begin(b, total, k, step)
	return c
}

// begin makes c a new candidate that is equal to the last parent, whose identity is total. It sets the
// fields one by one, since assigning a whole struct would be slower: the processor would build it elsewhere
// and wait for the copy.
func (c *candidate) begin(b *batch, total canon.Hash, k int, step byNumber) {
	c.Sum, c.Parent, c.Fly, c.event, c.coins, c.by, c.naps = total, int32(len(b.Parents)-1), 0, uint16(k), 0, step, 0
	c.first = int32(len(b.changes))
	c.last = c.first
}

// more returns list with one more element, which may have any value.
func more[T any](list []T) []T {
	if n := len(list); n < cap(list) {
		return list[:n+1]
	}
	var none T
	return append(list, none)
}

// set records that the last candidate differs from its parent at a place: its state has the part
// with number id there.
func (b *batch) set(place int32, id uint32) { b.changes = append(b.changes, change{place, id}) }

// changing returns the change of candidate c at a place. If it has none yet, changing adds one,
// which leaves the part that state v has there.
func (b *batch) changing(c *candidate, place int32, v world.Vector) *change {
	for k := int(c.first); k < len(b.changes); k++ {
		if b.changes[k].place == place {
			return &b.changes[k]
		}
	}
	b.set(place, v[place])
	return &b.changes[len(b.changes)-1]
}

// becomes sets the part of candidate c at one place to the result of a step, made, and updates the
// candidate's identity. at is the candidate's change for that place.
func (c *candidate) becomes(at *change, made world.Product) {
	at.id = made.To
	c.Sum = c.Sum.Add(made.Delta)
}

// skip adds the results of event number k of the last parent, which happens at the given node, to
// the list seen. Results in that list are counted, but the states to which they lead are not looked
// up (see commute.go).
func (b *batch) skip(k, node int, o *footprint) {
	for j := range o.results {
		b.seen = more(b.seen)
		b.seen[len(b.seen)-1].begin(b, &o.results[j], k, node)
	}
}

// act records that an event of the node is possible in the parent.
func (p *parent) act(node int) {
	if p.acts == 0 {
		p.acts = int32(node + 1)
	} else if p.acts != int32(node+1) {
		p.both = true
	}
}

// take updates the candidate's identity and its number of messages under way by result r of a step.
func (c *candidate) take(r *result) {
	c.Sum = c.Sum.Add(r.delta)
	c.Fly += r.fly
	c.coins = r.coins
}

// replace updates the candidate's identity after one part was replaced: was is the hash of the
// old part, and now is that of the new one.
func (c *candidate) replace(was, now canon.Hash) { c.Sum = c.Sum.Add(now).Sub(was) }

// end records that the candidate's changes are those before index n.
func (c *candidate) end(n int) { c.last = int32(n) }

// recOf returns parent number p, packed.
func (m *Memo) recOf(p int32) []uint64 {
	to := len(m.recs)
	if int(p)+1 < len(m.Parents) {
		to = m.Parents[p+1].rec
	}
	return m.recs[m.Parents[p].rec:to]
}

// Write packs candidate c into the memo's entry.
func (m *Memo) Write(c *candidate) {
	m.x.start(m.recOf(c.Parent))
	for _, ch := range m.changes[c.first:c.last] {
		m.x.put(int(ch.place), ch.id)
	}
}

// NodesOf returns the part of the candidate's identity that the nodes contribute.
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

// Touch reads the memory that is needed to look up the candidates, so that it is in the processor's
// cache by then. The sum that it returns has no meaning: it keeps the compiler from removing the
// reads.
func (m *Memo) Touch() (loaded uint64) {
	for j := range m.Next {
		loaded += m.x.touch(m.Next[j].Sum)
	}
	for j := range m.Next {
		loaded += m.x.touchState(m.Next[j].Sum)
	}
	return loaded
}

// flush hands the candidates collected so far to the visitor, in the middle of the expansion of a
// state. Later steps of the state go into the emptied batch.
func (m *Memo) flush(state uint32) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.stands(state, &m.position)
	m.x.Spot = Spot{Current: state, LastEvent: noEvent}
	return nil
}
