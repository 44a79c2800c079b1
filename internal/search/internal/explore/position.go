package explore

import (
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// A position is the state that is being expanded, with facts that are computed from its parts.
type position struct {
	bank  *world.Bank
	known *cache // has the events that parts have by themselves
	n     int    // nodes
	rest  int    // the first place that is not of a node or a channel

	at    []uint64 // the state, packed
	v     world.Vector
	total canon.Hash
	nodes canon.Hash // the share of the nodes in total
	odd   int        // parts that are not plain
	gone  int        // nodes that are absent
	sky   *sky       // nil if it is not known

	skies  map[string]*sky
	skyKey []byte
	fly    int       // messages under way
	able   []ability // of the nodes
	moved  []shift   // while the position changes

	reduction *Reduction // or nil
	situation canon.Hash // its identity, for the reduction
	vague     int        // parts because of which the state is expanded as a whole

	mark []bool  // the places in moved
	used []bool  // the places that ever held something
	tcp  []int32 // such places that are channels, in order
	udp  []int32
	sets []int32
}

// A shift is a place whose part was another one.
type shift struct {
	place int32
	was   uint32
}

// newPosition returns a position without a state. It uses x.From for the vector of its state.
func newPosition(x *Taker, known *cache) position {
	p := position{bank: x.Bank, known: known, n: x.World.Params().Nodes, rest: x.Bank.At().Rest(), v: x.From, mark: make([]bool, len(x.From)), used: make([]bool, len(x.From))}
	for range p.n {
		p.able = append(p.able, ability{plain: true})
	}
	return p
}

// goTo makes a packed state the position. Only parts that differ from where it is
// are touched: most states of a level follow their brothers.
func (m *position) goTo(lay *layout, rec []uint64) {
	for len(m.at) < len(rec) {
		m.at = append(m.at, 0)
	}
	for w := range m.at {
		word := uint64(0)
		if w < len(rec) {
			word = rec[w]
		}
		diff := word ^ m.at[w]
		m.at[w] = word
		for diff != 0 {
			c := bits.TrailingZeros64(diff) / 8
			of := &lay.columns[w*columnsPerWord+c]
			if p := of.place; !m.mark[p] {
				m.mark[p] = true
				m.moved = append(m.moved, shift{int32(p), m.v[p]})
			}
			m.v[of.place] ^= uint32(byte(diff>>(8*c))) << of.shift
			diff &^= 0xff << (8 * c)
		}
	}
	for _, s := range m.moved {
		m.mark[s.place] = false
		m.move(int(s.place), s.was, m.v[s.place])
	}
	m.moved = m.moved[:0]
}

// move updates everything that depends on the part at a place.
func (m *position) move(p int, was, now uint32) {
	n := m.n
	if m.reduction != nil && p < m.rest {
		m.resemble(m.reduction.pending(m.bank, p, was), m.reduction.pending(m.bank, p, now))
	}
	delta := m.bank.Sum(p, now).Sub(m.bank.Sum(p, was))
	m.total = m.total.Add(delta)
	switch {
	case p >= m.rest:
		m.sky = nil
	case p < n:
		gone := m.gone
		m.nodes = m.nodes.Add(delta)
		m.odd, m.gone = m.odd-count(!m.able[p].plain), m.gone-count(m.able[p].absent)
		m.able[p] = *m.known.ability(p, now)
		m.odd, m.gone = m.odd+count(!m.able[p].plain), m.gone+count(m.able[p].absent)
		if m.gone > 0 || gone > 0 {
			m.sky = nil
		}
	case p < m.rest:
		q, before := m.known.queue(p, now), m.known.queue(p, was)
		m.odd += count(!q.plain) - count(!before.plain)
		m.fly += int(q.len) - int(before.len)
	}
	if m.used[p] || p < n || p >= m.rest {
		return
	}
	m.used[p] = true
	list := &m.tcp
	switch {
	case p >= world.SetPlace(n, 0):
		list = &m.sets
	case p >= world.UDPPlace(n, 0):
		list = &m.udp
	}
	k, _ := slices.BinarySearch(*list, int32(p))
	*list = slices.Insert(*list, k, int32(p))
}

// twinned records that a node part, which may be one of the position, has a twin.
func (m *position) twinned(t world.Twinned) {
	m.known.ability(t.Node, t.Part).twinned()
	if m.v[t.Node] == t.Part {
		m.able[t.Node].twinned()
	}
}

// resemble updates the situation after one part has come for another one.
func (m *position) resemble(was, now *pending) {
	m.situation = m.situation.Add(now.sum).Sub(was.sum)
	m.vague += count(!now.calm) - count(!was.calm)
}

// part returns the place of the state that is being expanded among those that are expanded in part, or
// none. A fault does not count: see Reduction.
func (m *position) part() int32 {
	if m.reduction == nil || m.reduction.aside {
		return none
	}
	return m.reduction.now
}
