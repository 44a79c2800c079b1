package explore

import (
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// A position is the state that a memo is expanding, with data that is computed from the state's
// parts. The memo moves it from state to state.
type position struct {
	bank  *world.Bank
	known *cache // what each part says about the events of its node or channel
	n     int    // number of nodes
	rest  int    // the first place that belongs to the environment

	at    []uint64 // the state, packed
	v     world.Vector
	total canon.Hash
	nodes canon.Hash // the part of total that the nodes contribute
	odd   int        // number of parts because of which the state is not plain: see Memo
	gone  int        // number of nodes that are absent
	sky   *sky       // the environment's events; nil if not computed yet for this state

	skies  map[string]*sky
	skyKey []byte
	fly    int       // number of messages under way
	able   []ability // by node
	moved  []shift   // the places that goTo has changed so far

	reduction *Reduction // or nil
	situation canon.Hash // the identity of the state's situation, for the reduction
	vague     int        // number of parts because of which all steps of the state must be taken

	mark []bool  // by place: it is in moved
	used []bool  // by place: it was not empty in some state
	tcp  []int32 // the used places that are TCP channels, in order
	udp  []int32
	sets []int32
}

// A shift is a place whose part changes, and the part that it had before.
type shift struct {
	place int32
	was   uint32
}

// newPosition returns a position without a state. The vector of its state is x.From.
func newPosition(x *Taker, known *cache) position {
	p := position{bank: x.Bank, known: known, n: x.World.Params().Nodes, rest: x.Bank.At().Rest(), v: x.From, mark: make([]bool, len(x.From)), used: make([]bool, len(x.From))}
	for range p.n {
		p.able = append(p.able, ability{plain: true})
	}
	return p
}

// goTo moves the position to the packed state rec. It updates only what depends on parts that
// differ from those of the last state. They are few, since most states of a level follow their
// siblings.
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
			c := bits.TrailingZeros64(diff) / columnBits
			of := &lay.columns[w*columnsPerWord+c]
			if p := of.place; !m.mark[p] {
				m.mark[p] = true
				m.moved = append(m.moved, shift{int32(p), m.v[p]})
			}
			m.v[of.place] ^= uint32(diff>>(columnBits*c)&columnMask) << of.shift
			diff &^= columnMask << (columnBits * c)
		}
	}
	for _, s := range m.moved {
		m.mark[s.place] = false
		m.move(int(s.place), s.was, m.v[s.place])
	}
	m.moved = m.moved[:0]
}

// move updates everything that depends on the part at place p. The number of that part changes from was
// to now.
func (m *position) move(p int, was, now uint32) {
	n := m.n
	if m.reduction != nil && p < m.rest {
		m.resemble(m.reduction.pending(m.bank, p, was), m.reduction.pending(m.bank, p, now))
	}
	delta := m.bank.Sum(p, now).Sub(m.bank.Sum(p, was))
	m.total = m.total.Add(delta)
	switch {
	case p >= m.rest:
		if p < m.known.healed { // monitors do not matter
			m.sky = nil
		}
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

// twinned records that the bank keeps a twin of a node: a second node with the same identity. If the
// state of the position has the node, the position's copy of its abilities is changed, too.
func (m *position) twinned(t world.Twinned) {
	m.known.ability(t.Node, t.Part).twinned()
	if m.v[t.Node] == t.Part {
		m.able[t.Node].twinned()
	}
}

// resemble updates the position's situation for the reduction (the kinds of its pending events)
// after one part was replaced by another. The arguments describe the part before and after that.
func (m *position) resemble(was, now *pending) {
	m.situation = m.situation.Add(now.sum).Sub(was.sum)
	m.vague += count(!now.calm) - count(!was.calm)
}

// part returns the index in Reduction.part of the state that is being expanded. It returns none if
// all steps of the state are taken, or if the steps being taken are faults.
func (m *position) part() int32 {
	if m.reduction == nil || m.reduction.aside {
		return none
	}
	return m.reduction.now
}
