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
	result      uint32
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

// settle looks at all candidates at once, and visits those that are new.
func (m *memo) settle() error {
	x := m.x
	defer m.batch.empty()
	if g := x.closure; g != nil {
		if !g.spreading {
			return m.settleClosure(g)
		}
		return nil // see lead
	}
	if ok, err := x.room(len(m.next)); err != nil || !ok {
		x.full = true
		return err
	}
	x.growing.RLock()
	defer x.growing.RUnlock()
	defer x.told()
	m.touch()
	x.r.share.took(len(m.next)+len(m.seen), false)
	x.r.pulse.tick()
	seen, candidates := m.seen, len(m.next)
	for j := range candidates {
		for len(seen) > 0 && int(seen[0].next) <= j {
			if err := m.pass(&seen[0]); err != nil || x.violated != nil {
				return err
			}
			seen = seen[1:]
		}
		c := &m.next[j]
		p := &m.parents[c.parent]
		x.r.stats.Transitions++
		x.r.stats.Executed++
		m.write(c)
		if !x.add(c.sum, origin{p.state, c.event, c.coins}) {
			if err := m.duplicate(c); err != nil || x.violated != nil {
				return err
			}
			continue
		}
		x.came(c.by)
		x.current, x.lastEvent, x.lastCoins = p.state, int(c.event), x.lists.get(c.coins)
		nodes := p.nodes
		if c.first < c.last && int(m.changes[c.first].place) < m.n {
			nodes = nodes.Add(m.results[c.result].delta)
		}
		if err := x.visit(c.sum, nodes, p.fly+int(c.fly), p.both && c.by != 0, x.bring); err != nil || x.violated != nil {
			return err
		}
	}
	for k := range seen {
		if err := m.pass(&seen[k]); err != nil || x.violated != nil {
			return err
		}
	}
	return nil
}

// duplicate is told of a candidate that is packed, and known.
func (m *memo) duplicate(c *candidate) error {
	x := m.x
	if x.pairs.due() {
		x.current, x.lastEvent, x.lastCoins = m.parents[c.parent].state, int(c.event), x.lists.get(c.coins)
	}
	return x.duplicate(c.sum)
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

// bring loads the state that was added last.
func (x *explorer) bring() {
	x.get(x.next-1, x.to)
	x.w.Load(x.bank, x.to)
}

// settleClosure does the same for healed states.
func (m *memo) settleClosure(g *closure) error {
	m.x.r.pulse.tick()
	if ok, err := g.room(len(m.next)); err != nil || !ok {
		g.full = true
		return err
	}
	m.touch()
	for j := range m.next {
		c := &m.next[j]
		m.write(c)
		p := &m.parents[c.parent]
		if g.entry.add(c.sum, origin{parent: p.state}) {
			nodes := p.nodes
			if c.first < c.last && int(m.changes[c.first].place) < m.n {
				nodes = nodes.Add(m.results[c.result].delta)
			}
			g.note(nodes, p.fly+int(c.fly), g.bring)
		}
	}
	return nil
}

// flush settles what waits, in the middle of a state: what comes now comes after
// it.
func (m *memo) flush(state uint32) error {
	if err := m.settle(); err != nil || m.x.violated != nil || m.x.full {
		return err
	}
	m.parents, m.recs = append(m.parents, parent{state: state, nodes: m.nodes, fly: m.fly}), append(m.recs, m.at...)
	m.x.current = state
	return nil
}
