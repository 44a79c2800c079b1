package search

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/visited"
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
	steps     flat // key of a step -> number of a remembered one
	accepts   flat // key of a delivery -> 0 declined, 1 accepted
	known     []remembered

	asked     int // steps that were looked up
	verifying *verified

	total   canon.Hash // of the state that is expanded
	batch   []canon.Hash
	next    []candidate
	changes []change
	out     []visited.Outcome
}

// remembered is what a handler did, for all answers to its coins.
type remembered struct {
	twin    bool // taken from the node's twin too, with the same outcome
	inWorld bool // not a function of the node part: take it in the world
	results []result
}

type result struct {
	coins uint16
	node  uint32
	sends []sending
}

type sending struct {
	place   int
	message uint32
	room    int // the place holds at most so many
}

// candidate is a state that a step leads to.
type candidate struct {
	event int
	coins uint16
	first int // of its changes
	last  int
}

type change struct {
	place int
	id    uint32
}

func newMemo(x *explorer) *memo {
	tcp, udp := x.w.Capacities()
	return &memo{x: x, n: x.w.Params().Nodes, buffer: tcp, datagrams: udp}
}

// Keys. A step is told by its node's place and part, and by its event: the
// ordinal of a local one, or the link, sender and message of a delivery.
const (
	keyPart    = 24 // bits
	keyMessage = 24
)

func (m *memo) key(i int, part uint32, link sim.Link, from int, message uint32) uint64 {
	if part >= 1<<keyPart || message >= 1<<keyMessage {
		panic("macemc bug: search: more parts than a key holds; they fill the memory before")
	}
	return uint64(part)<<40 | uint64(message)<<16 | uint64(i)<<10 | uint64(link)<<8 | uint64(from)<<2 | 1
}

// plain reports whether the steps of a state, but for faults, are functions of
// its parts: every node is up, no connection is broken, nobody waits for room.
func (m *memo) plain(v sim.Vector) (plain, faults bool) {
	b := m.x.bank
	for p := range m.n {
		if !b.Local(p, v[p]).Plain {
			return false, false
		}
	}
	for p := m.n; p < m.n+m.n*m.n; p++ {
		if v[p] != 0 && !b.Queue(p, v[p]).Plain {
			return false, false
		}
	}
	return b.Calm(v[len(v)-1])
}

// expand takes every step from a state that is plain. It counts the events in
// the world's order, so that a path can be told by their numbers.
func (m *memo) expand(state uint32, faults bool) error {
	x, b, n := m.x, m.x.bank, m.n
	v := x.v
	m.total = x.sum(v)
	m.batch, m.next, m.changes = m.batch[:0], m.next[:0], m.changes[:0]
	k := 0
	local := func(i, kind, ordinal int) error {
		err := m.step(state, k, i, none, m.key(i, v[i], 0, kind, uint32(ordinal)))
		k++
		return err
	}
	for i := range n {
		if b.Local(i, v[i]).Script {
			if err := local(i, 0, 0); err != nil || x.violated != nil {
				return err
			}
		}
	}
	for i := range n {
		for o := range b.Local(i, v[i]).Offers {
			if err := local(i, 1, o); err != nil || x.violated != nil {
				return err
			}
		}
	}
	for i := range n {
		for o := range b.Local(i, v[i]).Tasks {
			if err := local(i, 2, o); err != nil || x.violated != nil {
				return err
			}
		}
	}
	for _, link := range [2]sim.Link{sim.LinkTCP, sim.LinkUDP} {
		base := sim.TCPPlace(n, 0)
		if link == sim.LinkUDP {
			base = sim.UDPPlace(n, 0)
		}
		for c := range n * n {
			if v[base+c] == 0 {
				continue
			}
			q := b.Queue(base+c, v[base+c])
			if q.Head == 0 {
				continue
			}
			if err := m.delivery(state, &k, c/n, link, c%n, q.Head, base+c); err != nil || x.violated != nil {
				return err
			}
		}
	}
	for i := range n {
		p := sim.SetPlace(n, i)
		if v[p] == 0 {
			continue
		}
		for _, item := range b.Items(p, v[p]) {
			if err := m.delivery(state, &k, i, sim.LinkSet, item.From, item.Message, none); err != nil || x.violated != nil {
				return err
			}
		}
	}
	for i := range n {
		for o := range b.Local(i, v[i]).Timers {
			if err := local(i, 3, o); err != nil || x.violated != nil {
				return err
			}
		}
	}
	if err := m.settle(state); err != nil || x.violated != nil || !faults || x.closure != nil {
		return err
	}
	x.w.Load(x.bank, v)
	return x.takeFrom(state, k)
}

const none = -1

// delivery takes the step that delivers a message, if the node accepts it.
func (m *memo) delivery(state uint32, k *int, i int, link sim.Link, from int, message uint32, pops int) error {
	v := m.x.v
	key := m.key(i, v[i], link, from, message)
	if m.x.bank.Local(i, v[i]).Accepts {
		accepted, known := m.accepts.get(key)
		if !known {
			if m.x.bank.Accepts(i, v[i], from, message) {
				accepted = 1
			}
			m.accepts.put(key, accepted)
		}
		if accepted == 0 {
			return nil
		}
	}
	err := m.step(state, *k, i, pops, key)
	*k++
	return err
}

// step takes the k-th event of a state, on node i. pops is the channel that it
// takes a message from.
func (m *memo) step(state uint32, k, i, pops int, key uint64) error {
	number, known := m.steps.get(key)
	if !known {
		r, err := m.learn(k, i)
		if err != nil || m.x.violated != nil {
			return err
		}
		number = uint32(len(m.known))
		m.known = append(m.known, r)
		m.steps.put(key, number)
	}
	r := &m.known[number]
	if m.asked++; !known || m.asked%verifyEvery == 0 || !r.twin && m.x.bank.Local(i, m.x.v[i]).Twin {
		if err := m.verify(r, k, i); err != nil {
			return err
		}
	}
	if r.inWorld || !m.fits(r, i, pops) {
		return m.inWorld(state, k)
	}
	for j := range r.results {
		m.apply(&r.results[j], k, i, pops)
	}
	if g := m.x.closure; g != nil && g.alive != nil {
		return m.lead(g)
	}
	return nil
}

// errAlive ends the look at a state that leads to one that is alive.
var errAlive = errors.New("a step leads to a state that is alive")

// lead asks whether one of the candidates is alive, and forgets them.
func (m *memo) lead(g *closure) error {
	for _, h := range m.batch {
		if g.alive.Has(h) {
			g.lives = true
			return errAlive
		}
	}
	m.batch, m.next, m.changes = m.batch[:0], m.next[:0], m.changes[:0]
	return nil
}

// learn runs a handler for every list of answers to its coins.
func (m *memo) learn(k, i int) (r remembered, err error) {
	x := m.x
	x.w.Load(x.bank, x.v)
	x.w.Enabled()
	x.step.event = k
	x.step.coins.Reset()
	for {
		x.lastEvent = k
		if err := x.step.take(x.w); err != nil {
			return r, err
		}
		x.r.stats.Steps++
		x.r.stats.HandlerRuns++
		if x.violated = x.w.Failed(); x.violated != nil {
			x.lastCoins = x.step.coins.Answers()
			return r, nil
		}
		one, function := m.result(i)
		if !function {
			r.inWorld = true
		}
		var ok bool
		if one.coins, ok = x.lists.number(x.step.coins.Answers()); ok && k <= math.MaxUint16 {
			r.results = append(r.results, one)
		} else {
			x.sampled = true
		}
		x.w.Load(x.bank, x.v)
		if !x.moreCoins() {
			break
		}
	}
	if r.inWorld {
		r.results = nil
	}
	return r, x.step.coins.Err()
}

// verifyEvery is of how many steps that are looked up one is taken again.
const verifyEvery = 1 << 14

// verify takes a remembered step again: from the node as it is banked, and from
// its twin, which has the same identity and another history. Both must do what
// is remembered; if the twin does not, what is left out of the state matters.
func (m *memo) verify(r *remembered, k, i int) error {
	x := m.x
	r.twin = x.bank.Local(i, x.v[i]).Twin
	if r.inWorld {
		return nil
	}
	for _, twin := range [2]bool{false, true} {
		for j := range r.results {
			x.w.Load(x.bank, x.v)
			if twin && !x.w.Twin(x.bank, i, x.v[i]) {
				return nil
			}
			x.r.pulse.tick()
			m.verifying = &verified{i, twin}
			x.lastEvent, x.lastCoins = k, x.lists.get(r.results[j].coins)
			x.w.Retake(k, x.lastCoins)
			m.verifying = nil
			again, function := m.result(i)
			if !function || again.node != r.results[j].node || !slices.Equal(again.sends, r.results[j].sends) {
				return m.differs(i, twin, "does something else")
			}
		}
	}
	return nil
}

// verified is the node that a step is taken again on, for guarded: a step that
// asks for other choices, or fails, unwinds.
type verified struct {
	i    int
	twin bool
}

// differs says that a step which was taken again did not do the same.
func (m *memo) differs(i int, twin bool, what string) error {
	x := m.x
	field := "" // a node may differ from itself, if its handler is not a function
	if twin {
		field = x.bank.Hidden(i, x.v[i])
	}
	if field == "" { // the audit's business: hunt for the step that differs
		x.strayed = true
		x.violated = x.w.Failure(sim.VerdictNondeterminism, "")
		return nil
	}
	return fmt.Errorf("system %s: something that is left out of the state matters: at %q, a node that the state cannot tell from another %s; where they differ: %s; leave it in the state (System.Opaque, the tag mc:\"-\", or a Summary leaves it out)",
		x.r.sys.Name, x.w.LastIdentity(), what, field)
}

// result is what the handler has just done on node i, if that is a function of
// its node part alone.
func (m *memo) result(i int) (result, bool) {
	x := m.x
	if x.w.Tossed() {
		return result{}, false
	}
	r := result{}
	for _, e := range x.w.Effects() {
		switch e.Kind {
		case sim.EffectSend:
			to := x.w.Index(e.To)
			s := sending{message: x.w.Message(x.bank, e.Value), room: 1 << 30}
			switch e.Link {
			case sim.LinkTCP:
				s.place, s.room = sim.TCPPlace(m.n, to*m.n+i), m.buffer
			case sim.LinkUDP:
				s.place, s.room = sim.UDPPlace(m.n, to*m.n+i), m.datagrams
			default:
				s.place = sim.SetPlace(m.n, to)
			}
			r.sends = append(r.sends, s)
		case sim.EffectAfter, sim.EffectCancel, sim.EffectPost, sim.EffectLog: // part of the node's part
		default:
			return r, false
		}
	}
	r.node = x.w.SaveNode(x.bank, i)
	return r, true
}

// fits reports whether nothing that the handler sends is refused or lost for
// want of room: then it would have done something else, or something else
// would come of it.
func (m *memo) fits(r *remembered, i, pops int) bool {
	for j := range r.results {
		sends := r.results[j].sends
		for a := range sends {
			s := &sends[a]
			if s.room == 1<<30 {
				continue
			}
			used := 1
			for _, other := range sends[:a] {
				if other.place == s.place {
					used++
				}
			}
			if id := m.x.v[s.place]; id != 0 {
				used += m.x.bank.Queue(s.place, id).Len
			}
			if s.place == pops {
				used--
			}
			if used > s.room {
				return false
			}
		}
	}
	return true
}

// apply makes a candidate of a remembered step.
func (m *memo) apply(r *result, k, i, pops int) {
	b, n := m.x.bank, m.n
	first := len(m.changes)
	sum := m.total
	set := func(place int, id uint32) {
		for at := first; at < len(m.changes); at++ {
			if c := &m.changes[at]; c.place == place {
				sum = sum.Sub(b.Sum(place, c.id)).Add(b.Sum(place, id))
				c.id = id
				return
			}
		}
		sum = sum.Sub(b.Sum(place, m.x.v[place])).Add(b.Sum(place, id))
		m.changes = append(m.changes, change{place, id})
	}
	now := func(place int) uint32 {
		for at := first; at < len(m.changes); at++ {
			if c := &m.changes[at]; c.place == place {
				return c.id
			}
		}
		return m.x.v[place]
	}
	if r.node != m.x.v[i] {
		set(i, r.node)
	}
	if pops != none {
		id := m.x.v[pops]
		set(pops, b.Pop(pops, id))
		if pops < sim.UDPPlace(n, 0) && !b.Queue(pops, id).Open {
			if c := pops - n; c%n != c/n {
				back := sim.TCPPlace(n, c%n*n+c/n)
				set(back, b.Opened(back, now(back)))
			}
		}
	}
	for _, s := range r.sends {
		set(s.place, b.Push(s.place, now(s.place), i, s.message))
	}
	m.batch = append(m.batch, sum)
	m.next = append(m.next, candidate{k, r.coins, first, len(m.changes)})
}

// settle looks at all candidates at once, and visits those that are new.
func (m *memo) settle(state uint32) error {
	x := m.x
	if x.closure != nil {
		return m.settleClosure(x.closure)
	}
	if cap(m.out) < len(m.batch) {
		m.out = make([]visited.Outcome, 2*len(m.batch))
	}
	out := m.out[:len(m.batch)]
	x.seen.InsertAll(m.batch, 0, out)
	x.r.stats.Transitions += len(m.batch)
	x.r.stats.Executed += len(m.batch)
	x.r.share.took(len(m.batch), false)
	x.r.pulse.tick()
	for j, o := range out {
		switch o {
		case visited.Known:
			x.r.stats.Duplicates++
			continue
		case visited.Full:
			x.full = true
			return nil
		}
		c := m.change(j)
		x.w.Load(x.bank, x.to)
		x.lastEvent, x.lastCoins = c.event, x.lists.get(c.coins)
		if err := x.visit(m.batch[j], state, c.event, c.coins); err != nil || x.violated != nil {
			return err
		}
	}
	m.batch, m.next, m.changes = m.batch[:0], m.next[:0], m.changes[:0]
	return nil
}

// settleClosure does the same for healed states.
func (m *memo) settleClosure(g *closure) error {
	if g.alive != nil {
		return nil // see lead
	}
	m.x.r.pulse.tick()
	if cap(m.out) < len(m.batch) {
		m.out = make([]visited.Outcome, 2*len(m.batch))
	}
	out := m.out[:len(m.batch)]
	g.seen.InsertAll(m.batch, 0, out)
	for j, o := range out {
		switch o {
		case visited.New:
			m.change(j)
			g.w.Load(g.bank, g.to)
			g.add()
		case visited.Full:
			g.full = true
			return nil
		}
	}
	return nil
}

// change writes the j-th candidate into the vector to, and returns it.
func (m *memo) change(j int) *candidate {
	c := &m.next[j]
	copy(m.x.to, m.x.v)
	for _, ch := range m.changes[c.first:c.last] {
		m.x.to[ch.place] = ch.id
	}
	return c
}

// inWorld takes the k-th event of a state in the world.
func (m *memo) inWorld(state uint32, k int) error {
	x := m.x
	x.w.Load(x.bank, x.v)
	x.w.Enabled()
	return x.takeEvent(state, k)
}

// flat is a table of numbers, without pointers: open addressing, at most half
// full. A key is never 0.
type flat struct {
	keys   []uint64
	values []uint32
	used   int
}

func (f *flat) slot(key uint64) int {
	hi, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(f.keys)))
	return int(hi)
}

func (f *flat) get(key uint64) (uint32, bool) {
	if len(f.keys) == 0 {
		return 0, false
	}
	for at := f.slot(key); ; {
		switch f.keys[at] {
		case key:
			return f.values[at], true
		case 0:
			return 0, false
		}
		if at++; at == len(f.keys) {
			at = 0
		}
	}
}

func (f *flat) put(key uint64, value uint32) {
	if 2*(f.used+1) > len(f.keys) {
		old := *f
		f.keys, f.values = make([]uint64, max(1024, 2*len(old.keys))), make([]uint32, max(1024, 2*len(old.keys)))
		f.used = 0
		for i, k := range old.keys {
			if k != 0 {
				f.put(k, old.values[i])
			}
		}
	}
	at := f.slot(key)
	for f.keys[at] != 0 {
		if at++; at == len(f.keys) {
			at = 0
		}
	}
	f.keys[at], f.values[at] = key, value
	f.used++
}
