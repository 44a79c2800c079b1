package search

import (
	"errors"
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/flat"
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
	first, last uint32 // of its results
	to          uint32 // the nodes that it sends something
	most        uint8  // how many messages to one of them, at most
	rooms       bool   // what it sends may find no room
	twin        bool   // taken from the node's twin too, with the same outcome
	inWorld     bool   // not a function of the node part: take it in the world
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
	v     sim.Vector
	total canon.Hash
	nodes canon.Hash // the share of the nodes in total
	odd   int        // parts that are not plain
	fly   int        // messages under way
	able  []ability  // of the nodes
	moved []shift
	mark  []bool  // places that moved
	used  []bool  // places that ever held something
	tcp   []int32 // such places that are channels, in ordinal
	udp   []int32
	sets  []int32
}

type shift struct {
	place int32
	was   uint32
}

// batch is steps of one or several states of a level, taken and not yet looked
// up among the states that are known: that is done for many at once, so that
// the memory which they need is fetched at once.
type batch struct {
	parents []parent
	recs    []uint64 // of the parents, packed
	next    []candidate
	changes []change
}

type parent struct {
	state uint32
	rec   int // where it begins in recs
	nodes canon.Hash
	fly   int
}

// candidate is a state that a step leads to.
type candidate struct {
	sum         canon.Hash
	parent      int32
	result      uint32
	first, last int32 // of its changes
	by          by    // the step
	fly         int16
	event       uint16
	coins       uint16
}

type change struct {
	place int32
	id    uint32
}

// together is how many candidates are looked up at once.
const together = 96

func newMemo(x *explorer) *memo {
	tcp, udp := x.w.Capacities()
	m := &memo{x: x, n: x.w.Params().Nodes, buffer: tcp, datagrams: udp, all: x.r.opts.all}
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
	case p < sim.SetPlace(n, 0):
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
	case p >= sim.SetPlace(n, 0):
		list = &m.sets
	case p >= sim.UDPPlace(n, 0):
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
// ordinal, so that a path can be told by their numbers.
func (m *memo) expand(state uint32) error {
	x := m.x
	if len(m.next) >= together {
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
	m.parents = append(m.parents, parent{state, len(m.recs), m.nodes, m.fly})
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
		link, base := sim.LinkTCP, sim.TCPPlace(n, 0)
		if l == 1 {
			link, base = sim.LinkUDP, sim.UDPPlace(n, 0)
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
		i := int(p) - sim.SetPlace(n, 0)
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
		for _, p := range [4]int{sim.TCPPlace(n, i*n+j), sim.TCPPlace(n, j*n+i), sim.UDPPlace(n, i*n+j), sim.UDPPlace(n, j*n+i)} {
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

// step takes the k-th event of a state, which has a ordinal. from is who sent the
// message that it delivers, and pops the channel that it takes it from.
func (m *memo) step(state uint32, k, ordinal, from, pops int, number uint32) error {
	r := &m.known[number]
	if r.inWorld {
		return m.elsewhere(state, k)
	}
	i := nodeOf(ordinal)
	candidates, changes := len(m.next), len(m.changes)
	seen := m.commutes(ordinal, from, pops, r)
	step := m.by(ordinal, from, pops, r)
	for j := r.first; j < r.last; j++ {
		if seen {
			m.next = append(m.next, candidate{
				parent: int32(len(m.parents) - 1), result: j, first: int32(i), last: int32(pops), by: bySeen, event: uint16(k), coins: m.results[j].coins,
			})
			continue
		}
		if !m.apply(j, k, i, pops, step) { // for want of room, it would do something else, or something else would come of it
			m.next, m.changes = m.next[:candidates], m.changes[:changes]
			return m.elsewhere(state, k)
		}
	}
	if m.asked++; m.asked%verifyEvery == 0 || m.able[i].twin && !r.twin {
		if err := m.verify(r, k, i); err != nil || m.x.violated != nil { // there is room, so it must do the same
			m.next, m.changes = m.next[:candidates], m.changes[:changes]
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
func (m *memo) apply(j uint32, k, i, pops int, step by) bool {
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
		if pops < sim.UDPPlace(n, 0) && !m.queues[pops][id].open {
			if c := pops - n; c%n != c/n {
				back := sim.TCPPlace(n, c%n*n+c/n)
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
		by: step, fly: int16(fly), event: uint16(k), coins: r.coins,
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

func (b *batch) empty() {
	b.parents, b.recs, b.next, b.changes = b.parents[:0], b.recs[:0], b.next[:0], b.changes[:0]
}

// write packs a candidate.
func (m *memo) write(c *candidate) {
	from := m.parents[c.parent].rec
	to := len(m.recs)
	if int(c.parent)+1 < len(m.parents) {
		to = m.parents[c.parent+1].rec
	}
	m.x.start(m.recs[from:to])
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
	x.r.share.took(len(m.next), false)
	x.r.pulse.tick()
	for j := range m.next {
		c := &m.next[j]
		p := &m.parents[c.parent]
		x.r.stats.Transitions++
		x.r.stats.Executed++
		if c.by == bySeen {
			m.unasked++
			if !x.pairs.due() {
				x.r.stats.Duplicates++
				x.pairs.took(1, false)
				continue
			}
			c = m.again(c)
			p = &m.parents[c.parent]
		}
		m.write(c)
		if !x.add(c.sum, origin{p.state, c.event, c.coins}) {
			if x.pairs.due() {
				x.current, x.lastEvent, x.lastCoins = p.state, int(c.event), x.lists.get(c.coins)
			}
			if err := x.duplicate(c.sum); err != nil || x.violated != nil {
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
		if err := x.visit(c.sum, nodes, p.fly+int(c.fly), x.bring); err != nil || x.violated != nil {
			return err
		}
	}
	return nil
}

// touch fetches what looking the candidates up will need.
func (m *memo) touch() (loaded uint64) {
	for j := range m.next {
		if m.next[j].by != bySeen {
			loaded += m.x.touch(m.next[j].sum)
		}
	}
	for j := range m.next {
		if m.next[j].by != bySeen {
			loaded += m.x.touchState(m.next[j].sum)
		}
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
		if g.entry.add(c.sum, origin{}) {
			p := &m.parents[c.parent]
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
	m.parents, m.recs = append(m.parents, parent{state, 0, m.nodes, m.fly}), append(m.recs, m.at...)
	m.x.current = state
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
