package search

import (
	"errors"
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/flat"
	"macemc/internal/world"
	"macemc/sim"
)

// memo takes steps by arithmetic. What a handler does is a function of its
// node's part of the state, the event and the answers to its coins; so it is
// run once for each, and remembered: the node part that it leaves, and what it
// sends. In every other state with the same part, the step is a few numbers
// looked up, and the identity of the next state a few sums.
//
// What is not such a function is not remembered, and taken in the world: steps
// of the environment, handlers that tell monitors, touch connections, fill a
// buffer or toss a rare coin.
type memo struct {
	x         *explorer
	n         int
	buffer    int // messages that a connection queues
	datagrams int

	position
	abilities [][]ability // by node and part
	queues    [][]queued  // by place and part
	own       []uint32    // numbers of remembered steps; see ability. 0: not taken yet
	steps     flat.Table  // key of a delivery -> number of a remembered step; 0: declined
	known     []remembered
	results   []result
	sends     []sending
	twins     int // node parts with a twin that were noted

	feet footprints

	behind  lastStep
	all     bool // every step is looked up: see commute.go
	unasked int  // steps that were not

	asked     int // steps that were looked up
	verifying *verified

	batch
}

// ability is what a node part can do by itself: its steps stand in memo.own
// from first on: openings, actions, tasks, timers.
type ability struct {
	first                          uint32
	offers, tasks, timers          uint16
	script, accepts, plain, looked bool
	twin                           bool // a second node with this identity is kept
}

// queued is what a part of a channel holds.
type queued struct {
	head   uint32 // the number of the message that comes next; 0: none
	len    uint16
	open   bool
	plain  bool
	looked bool
}

// remembered is what a handler did, for all answers to its coins.
type remembered struct {
	first, last uint32   // of its results
	to          uint32   // the nodes that it sends something
	most        uint8    // how many messages to one of them, at most
	told        bool     // its by is known
	by          byNumber // as what it is told; 0: as nothing
	rooms       bool     // what it sends may find no room
	twin        bool     // taken from the node's twin too, with the same outcome
	inWorld     bool     // not a function of the node part: take it in the world
}

type result struct {
	delta       canon.Hash // what becomes of the node, in sums
	node        uint32
	first, last uint32 // of its sends
	coins       uint16
}

type sending struct {
	place   int32
	message uint32
	room    uint16 // the place holds at most so many; 0: as many as there are
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

func newMemo(x *explorer) *memo {
	tcp, udp := x.w.Capacities()
	m := &memo{x: x, n: x.w.Params().Nodes, buffer: tcp, datagrams: udp, all: x.r.opts.all}
	if x.closure == nil && !x.ledger.noted {
		x.ledger.noted = true
	}
	m.learned()
	m.position = position{v: x.v, able: make([]ability, m.n), mark: make([]bool, len(x.v)), used: make([]bool, len(x.v))}
	for i := range m.n {
		m.able[i].plain = true
	}
	return m
}

// learned makes room for what is remembered.
func (m *memo) learned() {
	m.abilities, m.queues = make([][]ability, m.n), make([][]queued, m.x.bank.Places())
	m.own, m.known = []uint32{0}, make([]remembered, 1)
	m.feet = newFootprints(m.x.w)
}

// learnFrom takes over what another memo has remembered, over the same bank.
func (m *memo) learnFrom(o *memo) {
	m.abilities, m.queues, m.own, m.steps = o.abilities, o.queues, o.own, o.steps
	m.known, m.results, m.sends, m.twins, m.feet = o.known, o.results, o.sends, o.twins, o.feet
}

// A delivery is told by its node's place and part, the link, the sender and the
// message.
const (
	keyPart    = 24 // bits
	keyMessage = 24
)

func key(i int, part uint32, link sim.Link, from int, message uint32) uint64 {
	if part >= 1<<keyPart || message >= 1<<keyMessage {
		panic("macemc bug: search: more parts than a key holds; they fill the memory before")
	}
	return uint64(part)<<40 | uint64(message)<<16 | uint64(i)<<10 | uint64(link)<<8 | uint64(from)<<2 | 1
}

// ability is what a node part can do.
func (m *memo) ability(i int, id uint32) *ability {
	for int(id) >= len(m.abilities[i]) {
		m.abilities[i] = append(m.abilities[i], ability{})
	}
	a := &m.abilities[i][id]
	if !a.looked {
		l := m.x.bank.Local(i, id)
		*a = ability{
			first: uint32(len(m.own)), offers: uint16(l.Offers), tasks: uint16(l.Tasks), timers: uint16(l.Timers),
			script: l.Script, accepts: l.Accepts, plain: l.Plain, looked: true,
		}
		for range l.Offers + l.Tasks + l.Timers + 1 {
			m.own = append(m.own, 0)
		}
	}
	return a
}

func (m *memo) queue(p int, id uint32) queued {
	if list := m.queues[p]; int(id) < len(list) && list[id].looked {
		return list[id]
	}
	for int(id) >= len(m.queues[p]) {
		m.queues[p] = append(m.queues[p], queued{})
	}
	q := m.x.bank.Queue(p, id)
	m.queues[p][id] = queued{q.Head, uint16(q.Len), q.Open, q.Plain, true}
	return m.queues[p][id]
}

// goTo makes a state the position. Only parts that differ from where it is are
// touched: most states of a level follow their brothers.
func (m *memo) goTo(rec []uint64) {
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
func (m *memo) move(p int, was, now uint32) {
	b, n := m.x.bank, m.n
	delta := b.Sum(p, now).Sub(b.Sum(p, was))
	m.total = m.total.Add(delta)
	switch {
	case p < n:
		m.nodes = m.nodes.Add(delta)
		m.odd -= count(!m.able[p].plain)
		m.able[p] = *m.ability(p, now)
		m.odd += count(!m.able[p].plain)
	case p < world.SetPlace(n, 0):
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

// expand takes every step from a state. Its events are counted in the world's
// order, so that a path can be told by their numbers.
func (m *memo) expand(state uint32) error {
	x := m.x
	if len(m.next)+len(m.seen) >= together {
		if err := m.settle(); err != nil || x.violated != nil || x.full {
			return err
		}
		x.current, x.lastEvent = state, noEvent
	}
	if twins := x.bank.Twins(m.twins); len(twins) > 0 {
		m.noteTwins(twins)
	}
	m.goTo(x.rec(state))
	calm, faults := x.bank.Calm(m.v[len(m.v)-1])
	if (m.odd > 0 || !calm) && m.feet.off { // a node is down, a connection is broken, somebody waits for room, ...
		if err := m.settle(); err != nil || x.violated != nil || x.full {
			return err
		}
		x.current, x.lastEvent = state, noEvent
		return x.expandInWorld(state)
	}
	m.parents = append(m.parents, parent{state: state, rec: len(m.recs), nodes: m.nodes, fly: m.fly})
	m.recs = append(m.recs, m.at...)
	if m.odd > 0 || !calm {
		return m.footsteps(state, 0)
	}
	m.behind = m.lastStep(state)
	k, err := m.events(state)
	if err != nil || x.violated != nil || x.full || !faults || x.closure != nil {
		return err
	}
	if !m.feet.off {
		return m.footsteps(state, k)
	}
	if err := m.settle(); err != nil || x.violated != nil || x.full {
		return err
	}
	x.current = state
	x.w.Load(x.bank, m.v)
	return x.takeFrom(state, k)
}

// events takes the steps of a state that is plain, and counts them.
func (m *memo) events(state uint32) (k int, err error) {
	x, n := m.x, m.n
	for i := range n {
		if a := &m.able[i]; a.script {
			if err := m.local(state, k, ordinal(ordinalScript, i), a.first); err != nil || x.violated != nil || x.full {
				return k, err
			}
			k++
		}
	}
	for i := range n {
		for o := range uint32(m.able[i].offers) {
			if err := m.local(state, k, ordinal(ordinalOffer, i), m.able[i].first+1+o); err != nil || x.violated != nil || x.full {
				return k, err
			}
			k++
		}
	}
	for i := range n {
		for o := range uint32(m.able[i].tasks) {
			if err := m.local(state, k, ordinal(ordinalTask, i), m.able[i].first+1+uint32(m.able[i].offers)+o); err != nil || x.violated != nil || x.full {
				return k, err
			}
			k++
		}
	}
	for l, places := range [2][]int32{m.tcp, m.udp} {
		link, base := sim.LinkTCP, world.TCPPlace(n, 0)
		if l == 1 {
			link, base = sim.LinkUDP, world.UDPPlace(n, 0)
		}
		for _, p := range places {
			id := m.v[p]
			if id == 0 {
				continue
			}
			q := m.queues[p][id]
			if q.head == 0 {
				continue
			}
			c := int(p) - base
			if err := m.delivery(state, &k, c/n, link, c%n, q.head, int(p)); err != nil || x.violated != nil || x.full {
				return k, err
			}
		}
	}
	for _, p := range m.sets {
		if m.v[p] == 0 {
			continue
		}
		i := int(p) - world.SetPlace(n, 0)
		for _, item := range x.bank.Items(int(p), m.v[p]) {
			if err := m.delivery(state, &k, i, sim.LinkSet, item.From, item.Message, none); err != nil || x.violated != nil || x.full {
				return k, err
			}
		}
	}
	for i := range n {
		a := &m.able[i]
		if g := x.closure; g != nil && g.patient && m.concerned(i) {
			k += int(a.timers)
			continue
		}
		for o := range uint32(a.timers) {
			if err := m.local(state, k, ordinal(ordinalTimer, i), a.first+1+uint32(a.offers)+uint32(a.tasks)+o); err != nil || x.violated != nil || x.full {
				return k, err
			}
			k++
		}
	}
	return k, nil
}

// concerned reports whether anything is under way to a node or from it.
func (m *memo) concerned(i int) bool {
	n := m.n
	for j := range n {
		for _, p := range [4]int{world.TCPPlace(n, i*n+j), world.TCPPlace(n, j*n+i), world.UDPPlace(n, i*n+j), world.UDPPlace(n, j*n+i)} {
			if id := m.v[p]; id != 0 && m.queue(p, id).len > 0 {
				return true
			}
		}
	}
	return false
}

const none = -1

// local takes a step that a node has of its own.
func (m *memo) local(state uint32, k, ordinal int, own uint32) error {
	number := m.own[own]
	if number == 0 {
		var err error
		if number, err = m.learn(state, k, nodeOf(ordinal)); err != nil || m.x.violated != nil || m.x.full {
			return err
		}
		m.own[own] = number
	}
	return m.step(state, k, ordinal, none, none, number)
}

// delivery takes the step that delivers a message, if the node accepts it.
func (m *memo) delivery(state uint32, k *int, i int, link sim.Link, from int, message uint32, pops int) error {
	key := key(i, m.v[i], link, from, message)
	number, known := m.steps.Get(key)
	if !known {
		if m.able[i].accepts && !m.x.bank.Accepts(i, m.v[i], from, message) {
			m.steps.Put(key, 0)
			return nil
		}
		var err error
		if number, err = m.learn(state, *k, i); err != nil || m.x.violated != nil || m.x.full {
			return err
		}
		m.steps.Put(key, number)
	}
	if number == 0 {
		return nil
	}
	err := m.step(state, *k, ordinal(ordinalTCP+int(link-sim.LinkTCP), i), from, pops, number)
	*k++
	return err
}

// step takes the k-th event of a state, which has an ordinal. from is who sent the
// message that it delivers, and pops the channel that it takes it from.
func (m *memo) step(state uint32, k, ordinal, from, pops int, number uint32) error {
	r := &m.known[number]
	if r.inWorld {
		return m.elsewhere(state, k)
	}
	i := nodeOf(ordinal)
	if p := &m.parents[len(m.parents)-1]; p.acts == 0 {
		p.acts = int32(i + 1)
	} else if p.acts != int32(i+1) {
		p.both = true
	}
	candidates, changes, known := len(m.next), len(m.changes), len(m.seen)
	if m.commutes(ordinal, from, pops, r) {
		for j := r.first; j < r.last; j++ {
			m.seen = append(m.seen, seen{
				next: int32(candidates), parent: int32(len(m.parents) - 1), result: j, pops: int32(pops), node: uint16(i), event: uint16(k),
			})
		}
	} else {
		if !r.told {
			m.tell(r, ordinal, from, pops)
		}
		for j := r.first; j < r.last; j++ {
			if !m.apply(j, k, i, pops, r.by) { // for want of room, it would do something else, or something else would come of it
				m.next, m.changes = m.next[:candidates], m.changes[:changes]
				return m.elsewhere(state, k)
			}
		}
	}
	if m.asked++; m.asked%verifyEvery == 0 || m.able[i].twin && !r.twin {
		if err := m.verify(r, k, i); err != nil || m.x.violated != nil { // there is room, so it must do the same
			m.next, m.changes, m.seen = m.next[:candidates], m.changes[:changes], m.seen[:known]
			return err
		}
	}
	if g := m.x.closure; g != nil && g.spreading {
		return m.lead(g)
	}
	return nil
}

// apply makes a candidate of the result of a remembered step. False: something
// that it sends has no room.
func (m *memo) apply(j uint32, k, i, pops int, step byNumber) bool {
	b, n, r := m.x.bank, m.n, &m.results[j]
	first := len(m.changes)
	sum, fly := m.total, 0
	if r.node != m.v[i] {
		sum = sum.Add(r.delta)
		m.changes = append(m.changes, change{int32(i), r.node})
	}
	if pops != none {
		id := m.v[pops]
		to := b.Pop(pops, id)
		sum = sum.Add(b.Sum(pops, to)).Sub(b.Sum(pops, id))
		m.changes = append(m.changes, change{int32(pops), to})
		fly--
		if pops < world.UDPPlace(n, 0) && !m.queues[pops][id].open {
			if c := pops - n; c%n != c/n {
				back := world.TCPPlace(n, c%n*n+c/n)
				id := m.v[back]
				to := b.Opened(back, id)
				sum = sum.Add(b.Sum(back, to)).Sub(b.Sum(back, id))
				m.changes = append(m.changes, change{int32(back), to})
			}
		}
	}
	for s := r.first; s < r.last; s++ {
		send := &m.sends[s]
		place := int(send.place)
		var at *change
		for c := first; c < len(m.changes); c++ {
			if m.changes[c].place == send.place {
				at = &m.changes[c]
			}
		}
		if at == nil {
			m.changes = append(m.changes, change{send.place, m.v[place]})
			at = &m.changes[len(m.changes)-1]
		}
		if send.room > 0 {
			if m.queue(place, at.id).len >= send.room {
				return false
			}
			fly++
		}
		to := b.Push(place, at.id, i, send.message)
		sum = sum.Add(b.Sum(place, to)).Sub(b.Sum(place, at.id))
		at.id = to
	}
	m.next = append(m.next, candidate{
		sum: sum, parent: int32(len(m.parents) - 1), result: j, first: int32(first), last: int32(len(m.changes)),
		fly: int16(fly), event: uint16(k), coins: r.coins, by: step,
	})
	return true
}

// errAlive ends the look at a state that leads to one that is alive.
var errAlive = errors.New("a step leads to a state that is alive")

// lead asks whether one of the candidates is alive, and forgets them.
func (m *memo) lead(g *closure) error {
	for j := range m.next {
		c := &m.next[j]
		m.write(c)
		if s, known := g.find(c.sum); known && g.alive.has(s) {
			g.lives = true
			m.batch.empty()
			m.parents = append(m.parents, parent{})
			return errAlive
		}
	}
	m.next, m.changes = m.next[:0], m.changes[:0]
	return nil
}

// elsewhere takes the k-th event of a plain state, which is not a function of
// its node part.
func (m *memo) elsewhere(state uint32, k int) error {
	if m.feet.off {
		return m.inWorld(state, k)
	}
	m.stand()
	return m.footstep(state, k)
}

// inWorld takes the k-th event of a state in the world.
func (m *memo) inWorld(state uint32, k int) error {
	x := m.x
	if err := m.flush(state); err != nil || x.violated != nil || x.full {
		return err
	}
	x.w.Load(x.bank, m.v)
	x.w.Enabled()
	return x.takeEvent(state, k)
}
