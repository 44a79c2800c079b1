package explore

import (
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
)

// Memo is the stepper that takes steps by arithmetic. What a step does is a
// function of the parts that it touched or asked about, its footprint; so it is
// taken once in the world for each, and remembered: see cache. In every other
// state with the same footprint, the step is a few numbers looked up, and the
// identity of the next state a few sums.
//
// Most footprints are of one part, the node that runs. Where nothing disturbs a
// state, its events follow from its parts too, and the world need not be there.
// Else the world says which events are possible.
type Memo struct {
	x         *Taker
	n         int
	buffer    int // messages that a connection queues
	datagrams int

	position
	cache
	batch

	behind  lastStep
	All     bool // every step is looked up: see commute.go
	Eager   bool // the visitor is told after each event
	Unasked int  // steps that were not looked up
	asked   int  // steps that were looked up by the node alone
	twins   int  // node parts with a twin that were noted
}

// position is the state that is expanded, and what follows from its parts.
type position struct {
	at    []uint64 // packed
	v     world.Vector
	total canon.Hash
	nodes canon.Hash // the share of the nodes in total
	odd   int        // parts that are not plain
	fly   int        // messages under way
	able  []ability  // of the nodes
	moved []shift
	mark  []bool  // places that moved
	used  []bool  // places that ever held something
	tcp   []int32 // such places that are channels, in order
	udp   []int32
	sets  []int32
}

type shift struct {
	place int32
	was   uint32
}

// NewMemo remembers nothing yet.
func NewMemo(x *Taker) *Memo {
	tcp, udp := x.World.Links.Capacities()
	m := &Memo{x: x, n: x.World.Params().Nodes, buffer: tcp, datagrams: udp}
	m.cache = newCache(x)
	m.position = position{v: x.From, able: make([]ability, m.n), mark: make([]bool, len(x.From)), used: make([]bool, len(x.From))}
	for i := range m.n {
		m.able[i].plain = true
	}
	return m
}

// LearnFrom takes over what another memo has remembered, over the same bank. The
// other is not used any more.
func (m *Memo) LearnFrom(o *Memo) { m.cache, m.twins = o.cache, o.twins }

// goTo makes a state the position. Only parts that differ from where it is are
// touched: most states of a level follow their brothers.
func (m *Memo) goTo(rec []uint64) {
	lay := m.x.layout.Load()
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

// move is what follows of a place having another part.
func (m *Memo) move(p int, was, now uint32) {
	b, n := m.x.Bank, m.n
	delta := b.Sum(p, now).Sub(b.Sum(p, was))
	m.total = m.total.Add(delta)
	switch {
	case p < n:
		m.nodes = m.nodes.Add(delta)
		m.odd -= count(!m.able[p].plain)
		m.able[p] = *m.ability(p, now)
		m.odd += count(!m.able[p].plain)
	case p < len(m.v)-1:
		q, before := m.queue(p, now), m.queue(p, was)
		m.odd += count(!q.plain) - count(!before.plain)
		m.fly += int(q.len) - int(before.len)
	}
	if m.used[p] || p < n || p == len(m.v)-1 {
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

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Expand takes every step from a state. Its events are counted in the world's
// order, so that a path can be told by their numbers.
func (m *Memo) Expand(state uint32) error {
	x := m.x
	if len(m.Next)+len(m.seen) >= together {
		if err := m.Settle(); err != nil {
			return err
		}
	}
	x.Current, x.LastEvent = state, noEvent
	if twins := x.Bank.Twins(m.twins); len(twins) > 0 {
		m.noteTwins(twins)
	}
	m.goTo(x.rec(state))
	calm, faults := x.Bank.Calm(m.v[len(m.v)-1])
	plain := m.odd == 0 && calm // else a node is down, a connection is broken, somebody waits for room, ...
	if m.x.Healed && m.x.Owner.Sys.Weight != nil {
		plain = false // which events are rare, only the world knows
	}
	if !plain && m.noFootprints {
		return m.worldFrom(state, 0)
	}
	m.Parents = append(m.Parents, parent{State: state, rec: len(m.recs), nodes: m.nodes, Fly: m.fly})
	m.recs = append(m.recs, m.at...)
	if !plain {
		return m.footsteps(state, 0)
	}
	m.behind = m.lastStep(state)
	k, err := m.plainSteps(state)
	switch {
	case err != nil || !faults:
		return err
	case m.noFootprints:
		return m.worldFrom(state, k)
	}
	return m.footsteps(state, k)
}

// Rest takes the events from the k-th on in the world: what came before them has
// been settled, since a step that fails is one that is learnt.
func (m *Memo) Rest(state uint32, k int) error {
	m.goTo(m.x.rec(state))
	return m.worldFrom(state, k)
}

// worldFrom takes the events of the position from the k-th on in the world.
func (m *Memo) worldFrom(state uint32, k int) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.x.Current, m.x.LastEvent = state, noEvent
	m.x.World.State.Load(m.x.Bank, m.v)
	return m.x.takeFrom(state, k)
}

// plainSteps takes the steps of a state that is plain, but for faults, in the
// world's order, and counts them. They are taken as they are met: a list of them
// first costs a tenth of a search.
func (m *Memo) plainSteps(state uint32) (k int, err error) {
	n := m.n
	for i := range n {
		if a := &m.able[i]; a.script {
			if k, err = m.signal(state, k, ordinal(ordinalScript, i), a.first); err != nil {
				return k, err
			}
		}
	}
	for i := range n {
		a := &m.able[i]
		for o := range uint32(a.offers) {
			if k, err = m.signal(state, k, ordinal(ordinalOffer, i), a.first+1+o); err != nil {
				return k, err
			}
		}
	}
	for i := range n {
		a := &m.able[i]
		for o := range uint32(a.tasks) {
			if k, err = m.signal(state, k, ordinal(ordinalTask, i), a.first+1+uint32(a.offers)+o); err != nil {
				return k, err
			}
		}
	}
	if k, err = m.heads(state, k, ordinalTCP, m.tcp, world.TCPPlace(n, 0)); err != nil {
		return k, err
	}
	if k, err = m.heads(state, k, ordinalUDP, m.udp, world.UDPPlace(n, 0)); err != nil {
		return k, err
	}
	if k, err = m.scattered(state, k); err != nil {
		return k, err
	}
	for i := range n {
		a := &m.able[i]
		if a.timers > 0 && m.x.Patient && m.concerned(i) {
			k += int(a.timers)
			continue
		}
		for o := range uint32(a.timers) {
			if k, err = m.signal(state, k, ordinal(ordinalTimer, i), a.first+1+uint32(a.offers)+uint32(a.tasks)+o); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// occurrence is an event of a plain state. It has no more than four fields, so
// that it stays in registers.
type occurrence struct {
	ordinal int    // see commute.go
	what    uint32 // the message that is delivered; if none is, where the outcome stands in cache.own
	from    int    // who sent the message; none: the node has the event of its own
	pops    int    // out of this channel or bag; none: it stays in its set
}

const none = -1

// signal takes the k-th event, which a node has of its own, and says how many
// there were then.
func (m *Memo) signal(state uint32, k, ordinal int, own uint32) (int, error) {
	return m.happens(state, k, occurrence{ordinal: ordinal, what: own, from: none, pops: none})
}

// heads takes the deliveries of what is at the head of channels.
func (m *Memo) heads(state uint32, k, kind int, places []int32, base int) (int, error) {
	var err error
	for _, p := range places {
		id := m.v[p]
		if id == 0 {
			continue
		}
		if head := m.queues[p][id].head; head != 0 {
			c := int(p) - base
			if k, err = m.happens(state, k, occurrence{ordinal: ordinal(kind, c/m.n), what: head, from: c % m.n, pops: int(p)}); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// scattered takes the deliveries of what is in sets and bags.
func (m *Memo) scattered(state uint32, k int) (int, error) {
	var err error
	for _, p := range m.sets {
		if m.v[p] == 0 {
			continue
		}
		i := int(p) - world.SetPlace(m.n, 0)
		for _, item := range m.x.Bank.Items(int(p), m.v[p]) {
			pops := none
			if item.Bag {
				pops = int(p)
			}
			if k, err = m.happens(state, k, occurrence{ordinal: ordinal(ordinalSet, i), what: item.Message, from: item.From, pops: pops}); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// happens takes an event of a plain state, which is the k-th if it is accepted,
// and says how many there were then.
func (m *Memo) happens(state uint32, k int, e occurrence) (int, error) {
	number, err := m.ofNode(state, k, e)
	if err != nil || number == 0 { // not accepted: no event at all
		return k, err
	}
	return k + 1, m.step(state, k, e, number)
}

// concerned reports whether anything is under way to a node or from it.
func (m *Memo) concerned(i int) bool {
	n := m.n
	for _, p := range m.sets {
		for _, item := range m.x.Bank.Items(int(p), m.v[p]) {
			if item.Bag && (item.From == i || int(p) == world.SetPlace(n, i)) {
				return true
			}
		}
	}
	for j := range n {
		for _, p := range [4]int{world.TCPPlace(n, i*n+j), world.TCPPlace(n, j*n+i), world.UDPPlace(n, i*n+j), world.UDPPlace(n, j*n+i)} {
			if id := m.v[p]; id != 0 && m.queue(p, id).len > 0 {
				return true
			}
		}
	}
	return false
}

// step takes the k-th event of a plain state, by an outcome that its node part
// alone decided.
func (m *Memo) step(state uint32, k int, e occurrence, number uint32) error {
	o := &m.footprints[number]
	if o.unknown {
		return m.elsewhere(state, k)
	}
	i := nodeOf(e.ordinal)
	if p := &m.Parents[len(m.Parents)-1]; p.acts == 0 {
		p.acts = int32(i + 1)
	} else if p.acts != int32(i+1) {
		p.both = true
	}
	candidates, changes, known := len(m.Next), len(m.changes), len(m.seen)
	if m.commutes(e, o) {
		for j := o.first; j < o.last; j++ {
			m.seen = append(m.seen, seen{next: int32(candidates), parent: int32(len(m.Parents) - 1), result: j, event: uint16(k), node: uint16(i)})
		}
	} else {
		if !o.told {
			m.tell(o, e)
		}
		for j := o.first; j < o.last; j++ {
			m.Next = append(m.Next, m.candidate(k, o.by))
			if !m.apply(&m.Next[len(m.Next)-1], j, i) { // for want of room, it would do something else, or something else would come of it
				m.Next, m.changes = m.Next[:candidates], m.changes[:changes]
				return m.elsewhere(state, k)
			}
		}
	}
	if m.asked++; m.asked%verifyEvery == 0 || m.able[i].twin && !o.twin {
		if err := m.verify(o, k, i, e); err != nil { // there is room, so it must do the same
			m.Next, m.changes, m.seen = m.Next[:candidates], m.changes[:changes], m.seen[:known]
			return err
		}
	}
	return m.taken()
}

// taken lets an eager memo's visitor look at what the last event leads to.
func (m *Memo) taken() error {
	if !m.Eager {
		return nil
	}
	err := m.x.Visitor.LookUp(m)
	m.Next, m.changes = m.Next[:0], m.changes[:0]
	return err
}

// candidate is the state that is expanded, before anything was changed in it by
// its k-th event.
func (m *Memo) candidate(k int, step byNumber) candidate {
	first := int32(len(m.changes))
	return candidate{Sum: m.total, Parent: int32(len(m.Parents) - 1), first: first, last: first, event: uint16(k), by: step}
}

// apply does to a candidate what a result says, about a step of node i. False:
// something that it sends has no room.
func (m *Memo) apply(c *candidate, j uint32, i int) bool {
	b, r := m.x.Bank, &m.results[j]
	c.Sum = c.Sum.Add(r.delta)
	c.Fly += r.fly
	c.coins = r.coins
	for k := r.first; k < r.last; k++ {
		e := &m.effects[k]
		switch e.does {
		case effectSet:
			m.changes = append(m.changes, change{e.place, e.id})
		case effectPop:
			m.pop(c, int(e.place))
		case effectTake:
			at := m.changing(c, e.place)
			to := b.Take(int(e.place), at.id, int(e.room), e.id)
			c.Sum = c.Sum.Add(b.Sum(int(e.place), to)).Sub(b.Sum(int(e.place), at.id))
			at.id = to
		case effectPush, effectPut:
			at := m.changing(c, e.place)
			place := int(e.place)
			if e.room > 0 && m.queue(place, at.id).len >= e.room {
				return false
			}
			to := uint32(0)
			if e.does == effectPut {
				to = b.Put(place, at.id, i, e.id)
			} else {
				to = b.Push(place, at.id, i, e.id)
			}
			c.Sum = c.Sum.Add(b.Sum(place, to)).Sub(b.Sum(place, at.id))
			at.id = to
		}
	}
	c.last = int32(len(m.changes))
	return true
}

// changing is where a candidate's change of a place stands.
func (m *Memo) changing(c *candidate, place int32) *change {
	for k := int(c.first); k < len(m.changes); k++ {
		if m.changes[k].place == place {
			return &m.changes[k]
		}
	}
	m.changes = append(m.changes, change{place, m.v[place]})
	return &m.changes[len(m.changes)-1]
}

// pop takes the head out of a channel, which opens both directions of a connection.
func (m *Memo) pop(c *candidate, place int) {
	b, n, id := m.x.Bank, m.n, m.v[place]
	to := b.Pop(place, id)
	c.Sum = c.Sum.Add(b.Sum(place, to)).Sub(b.Sum(place, id))
	m.changes = append(m.changes, change{int32(place), to})
	if place >= world.UDPPlace(n, 0) || m.queues[place][id].open {
		return
	}
	if at := place - n; at%n != at/n {
		back := world.TCPPlace(n, at%n*n+at/n)
		id := m.v[back]
		to := b.Opened(back, id)
		c.Sum = c.Sum.Add(b.Sum(back, to)).Sub(b.Sum(back, id))
		m.changes = append(m.changes, change{int32(back), to})
	}
}

// elsewhere takes the k-th event of a plain state, which its node part alone
// does not decide.
func (m *Memo) elsewhere(state uint32, k int) error {
	if m.noFootprints {
		return m.inWorld(state, k)
	}
	m.stand()
	return m.footstep(state, k)
}

// stand brings the world to the position.
func (m *Memo) stand() {
	m.x.World.State.Load(m.x.Bank, m.v)
	m.x.World.Events.Count()
}

// inWorld takes the k-th event of a state in the world, and leaves it there.
func (m *Memo) inWorld(state uint32, k int) error {
	if err := m.flush(state); err != nil {
		return err
	}
	m.stand()
	if err := m.x.takeEvent(state, k); err != nil {
		return err
	}
	m.stand()
	return nil
}

// footsteps takes the events of the position from the k-th on by their footprints.
func (m *Memo) footsteps(state uint32, k int) error {
	m.stand()
	for n := m.x.World.Events.Count(); k < n; k++ {
		if m.x.skips(k) {
			continue
		}
		if err := m.footstep(state, k); err != nil {
			return err
		}
	}
	return nil
}

// footstep takes the k-th event of the position, where the world stands, by its
// footprint, and stays there.
func (m *Memo) footstep(state uint32, k int) error {
	e, slot := m.x.World.Events.Found(k)
	pieces, err := m.byFootprint(state, k, &e, slot)
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return m.inWorld(state, k)
	}
	i, first := m.index(e.Node), &m.footprints[pieces[0]]
	for j := first.first; j < first.last; j++ {
		m.Next = append(m.Next, m.candidate(k, 0))
		c := &m.Next[len(m.Next)-1]
		for _, o := range pieces[1:] {
			m.apply(c, m.footprints[o].first, i)
		}
		m.apply(c, j, i)
	}
	return m.taken()
}

// index is a node's place; none: there is no node.
func (m *Memo) index(a sim.Addr) int {
	if a.IsZero() {
		return none
	}
	return a.Index()
}
