package explore

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"macemc/internal/canon"
	"macemc/internal/flat"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// cache remembers the results of steps by their footprints: the parts that a step touched or asked about. If
// these parts are the same in another state, the step has the same result there, since it reads nothing else.
//
// The smallest footprint is the part of the running node alone. The other effects of such a step are recorded
// relative to the state: the step takes the head of a channel, appends to others, and passes facts to monitors
// (facts.go). They are the same as long as the channels have room. Such results are found by the number of the
// part and the event alone: in own, in deliveries, or in an inbox (inbox.go).
//
// All other steps (of the environment, of connections that open, break or fill, of rare coins) have a shape, which is the list of places of the footprint, and their results set the parts at
// these places. A crash touches too many parts for one footprint: its effects on the node, on the budgets and
// on the connection to each peer have footprints of their own.
//
// Goroutines that explore together share their footprints. Each has a cache of its own for the facts that
// follow from the parts of the bank alone.
type cache struct {
	common *learnt
	tables
	bank  *world.Bank
	lists *CoinLists
	n     int // nodes
	pack  keyBits

	healed, places int // the first place that belongs to a monitor, and the number of all places

	abilities [][]ability // by node and part
	queues    [][]queued  // by place and part

	inboxes
	own []*footprint // footprints of the events that nodes have by themselves; the index is in ability; nil means not looked up yet

	noFootprints bool // the network has a flaw that may touch any part: steps that touch more than the node are taken in the world

	results slab[result] // memory for what it learns
	effects slab[effect]
	made    []result // the results of the step that is being learnt
}

// learnt holds the footprints that several memos share.
type learnt struct {
	mu sync.Mutex
	tables
	shaped  uint64                // number of shapes
	emitted map[canon.Hash]uint32 // numbers of lists of facts: see facts.go
	size    int                   // bytes of the footprints
	counted int                   // bytes at the last call of grown
	dear    atomic.Uint64         // the nodes whose steps one of the memos no longer looks up, one bit each: see worth
	later   *learnt               // the object that replaces this one, since its memory was needed; nil while this one is in use
}

// tables finds footprints. Each memo has a view of the tables that are learnt, which it reads without a lock.
type tables struct {
	signals    flat.Table[*footprint]    // by a key that identifies an event which a node has by itself, and the node's part
	deliveries flat.Table[*footprint]    // by a key that identifies a message, its link, its sender, its receiver and the receiver's part; nil means that the node declines the message
	shapes     flat.Table[*shape]        // by a key that identifies an event and a node's part: the first of its shapes
	byParts    flat.Table[*standing]     // by a hash of a shape and of parts: the first of its footprints
	memories   flat.Table[world.Product] // by a key that identifies a list of facts and a monitor's memory: the memory after these facts
}

func (t *tables) ofNode(own bool) *flat.Table[*footprint] {
	if own {
		return &t.signals
	}
	return &t.deliveries
}

// refresh makes t a view of the present tables of all, with the footprints that other memos have
// added.
func (t *tables) refresh(all *learnt) {
	all.mu.Lock()
	defer all.mu.Unlock()
	*t = all.tables
}

// ability describes the events that a node has by itself, without a message: the next request of its script,
// actions, tasks and timers. It belongs to one state of the node, that is, to one part. The footprints of
// the events are in cache.own, from index first on, in this order.
type ability struct {
	first                                  uint32
	offers, tasks, timers                  uint16
	script, accepts, plain, absent, looked bool
	twin                                   bool // the bank keeps a second node with this identity
}

// queued describes a channel in one of its states, that is, for one part.
type queued struct {
	head   uint32 // the number of the message that comes next; 0 means none
	len    uint16
	open   bool
	plain  bool
	looked bool
}

// shape is a list of places that a step touched or asked about, without the place of its node.
type shape struct {
	places []int32
	seed   uint64                // another number for each shape, with which the hash of its parts begins
	next   atomic.Pointer[shape] // the next shape of the same event
}

// footprint holds the results of a step, for all answers to its coins, in states that have certain
// parts. It is not changed after others can see it.
type footprint struct {
	results []result

	to      uint32      // if the step's result follows from the node's part alone: the nodes to which it sends, one bit each
	by      byNumber    // the number of the step's description: see by; 0 means that it has none
	class   uint16      // with a Reduction: the step's kind
	most    uint8       // the largest number of messages that the step sends to one node
	unknown bool        // the result depends on more than the footprint, so the step must be taken in another way
	rooms   bool        // the step sends a message whose channel may be full
	shows   bool        // with a Reduction: the step is visible
	facts   bool        // the step emits facts for monitors
	twin    atomic.Bool // the step was also taken on the node's twin, with the same result
}

// standing is the footprint of a step whose result depends on more than the node's part. It has the parts at
// the places of a shape.
type standing struct {
	footprint
	shape *shape
	parts []uint32
	next  atomic.Pointer[standing] // the next footprint with the same hash
}

// result is the outcome of a step if its coins get certain answers.
type result struct {
	delta   canon.Hash // the sum by which the identity of the state changes, because of the parts that the result sets
	effects []effect
	coins   uint16
	fly     int16  // the change of the number of messages under way
	sends   uint16 // the number of messages that it sends: the last effects in the list
}

// slab allocates memory for lists that are kept for long.
type slab[T any] struct {
	free []T
	size int // bytes allocated since the last call of counts
}

const slabLeast = 256

// keep returns a copy of list in the slab's memory.
func (s *slab[T]) keep(list []T) []T {
	n := len(list)
	if n > len(s.free) {
		s.free = make([]T, max(n, slabLeast))
		s.size += len(s.free) * int(unsafe.Sizeof(s.free[0]))
	}
	kept := s.free[:n:n]
	s.free = s.free[n:]
	copy(kept, list)
	return kept
}

// counts returns the number of bytes allocated since the last call.
func (s *slab[T]) counts() (size int) {
	size, s.size = s.size, 0
	return size
}

// effect is a change that a step makes at one place.
type effect struct {
	place int32
	id    uint32 // the number of a part or message
	room  uint16 // the place holds at most this number of messages; 0 means no limit
	does  effectKind
}

type effectKind uint8

const (
	effectSet  effectKind = 1 + iota // the place has the part id
	effectPop                        // the head is taken out of the channel
	effectPush                       // the message id is put into the channel or set
	effectPut                        // the message id is put into the bag
	effectTake                       // the message id is taken out of the bag; room holds the number of its sender
	effectTell                       // the monitor gets the facts id
)

func newCache(x *Taker) cache {
	return cache{
		common: new(learnt), bank: x.Bank, lists: x.Lists, n: x.World.Params().Nodes, pack: keyBitsOf(x.World.Params().Nodes),
		abilities: make([][]ability, x.World.Params().Nodes), queues: make([][]queued, x.Bank.Places()), own: []*footprint{nil},
		noFootprints: x.World.Links.Flawed(), healed: x.Bank.At().Healed(), places: x.Bank.Places(),
	}
}

// with returns a cache for taker x that shares the footprints in l.
func (c *cache) with(x *Taker, l *learnt) cache {
	n := newCache(x)
	n.noFootprints, n.common = c.noFootprints, l
	return n
}

// forgotten gives l up, so that its memory can be freed, and returns the object that the memos share from now on.
// It may be called by each memo that shares l; freed is the number of bytes of l for the first caller, and 0 for
// the others.
func (l *learnt) forgotten() (later *learnt, freed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.later == nil {
		l.later, freed, l.counted = new(learnt), l.counted, 0
	}
	return l.later, freed
}

// grown returns how many bytes l has grown since the last call. It returns 0 if l was given up.
func (l *learnt) grown() (bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.later != nil {
		return 0
	}
	was := l.counted
	l.counted = l.size + l.signals.Bytes() + l.deliveries.Bytes() + l.shapes.Bytes() + l.byParts.Bytes() + l.memories.Bytes() + len(l.emitted)*int(unsafe.Sizeof(canon.Hash{})+8)
	return l.counted - was
}

// over returns a copy of the cache, with everything that it has learnt, for use by another taker
// of the same bank.
func (c cache) over(x *Taker) cache {
	c.bank, c.lists = x.Bank, x.Lists
	c.results, c.effects = slab[result]{}, slab[effect]{}
	return c
}

// learnsWith makes the cache, which is empty, share the footprints in l.
func (c *cache) learnsWith(l *learnt) { c.common = l }

// keyBits holds the numbers of bits of the fields of a key: of a node's number, and of a part's or message's
// number in the key of an event and of a delivery. The fewer nodes a system has, the more bits are left for
// parts.
type keyBits struct{ node, event, delivery uint8 }

const (
	keyKind = 5 // bits of a kind of event
	keyLink = 2
)

func keyBitsOf(n int) keyBits {
	node := bits.Len(uint(n))
	return keyBits{uint8(node), uint8((64 - keyKind - 2*node) / 2), uint8((64 - keyLink - 1 - 2*node) / 2)}
}

// ofEvent returns the key of an event. The key has the kind of the event, its node i, the sender, the node's part
// and what, a number that distinguishes the event from others for which all of these are equal.
func (k keyBits) ofEvent(kind sim.Kind, i, from int, what uint64, part uint32) uint64 {
	if uint64(part)>>k.event != 0 || what>>k.event != 0 {
		panic("macemc bug: search: more parts than a key holds; they fill the memory before")
	}
	key := uint64(kind)<<k.node | uint64(i+1)
	return ((key<<k.node|uint64(from+1))<<k.event|what)<<k.event | uint64(part)
}

// ofDelivery returns the key of a delivery: of the number i of the receiver, the receiver's part, the link,
// the sender and the message.
func (k keyBits) ofDelivery(i int, part uint32, link, from int, message uint32) uint64 {
	if uint64(part)>>k.delivery != 0 || uint64(message)>>k.delivery != 0 {
		panic("macemc bug: search: more parts than a key holds; they fill the memory before")
	}
	key := uint64(part)<<k.delivery | uint64(message)
	return ((key<<k.node|uint64(i))<<k.node|uint64(from))<<(keyLink+1) | uint64(link)<<1 | 1
}

// ability returns the events that node i has by itself when its state is the part with number id.
func (c *cache) ability(i int, id uint32) *ability {
	for int(id) >= len(c.abilities[i]) {
		c.abilities[i] = append(c.abilities[i], ability{})
	}
	if a := &c.abilities[i][id]; a.looked {
		return a
	}
	l := c.bank.Local(i, id)
	c.abilities[i][id] = ability{
		first: uint32(len(c.own)), offers: l.Offers, tasks: l.Tasks, timers: l.Timers,
		script: l.Script, accepts: l.Accepts, plain: l.Plain, absent: l.Absent, looked: true,
	}
	for range int(l.Offers) + int(l.Tasks) + int(l.Timers) + 1 {
		c.own = append(c.own, nil)
	}
	return &c.abilities[i][id]
}

// twinned records that the bank keeps a twin of the node: a second node with the same identity.
func (a *ability) twinned() { a.twin = true }

// queue describes the channel at place p when its state is the part with number id.
func (c *cache) queue(p int, id uint32) queued {
	if list := c.queues[p]; int(id) < len(list) && list[id].looked {
		return list[id]
	}
	for int(id) >= len(c.queues[p]) {
		c.queues[p] = append(c.queues[p], queued{})
	}
	q := c.bank.Queue(p, id)
	c.queues[p][id] = queued{q.Head, uint16(q.Len), q.Open, q.Plain, true}
	return c.queues[p][id]
}

// ofNode returns the footprint of e, which is event number k of a state. It expects that the result depends on the
// part of the node alone, as is usual in a plain state (see Memo). If the result depends on more, the footprint is
// marked unknown. If the node does not accept the message, ofNode returns nil.
func (m *Memo) ofNode(state uint32, k int, e occurrence) (o *footprint, err error) {
	i := nodeOf(e.ordinal)
	if e.from == none {
		if o = m.cache.own[e.what]; o == nil {
			key := m.pack.ofEvent(0, i, none, uint64(e.what-m.able[i].first), m.v[i])
			if o, err = m.remembered(key, state, k, e); err == nil {
				m.finds(e.what, o)
			}
		}
		return o, err
	}
	link := ordinalSet - e.ordinal/ordinalNodes
	if link == 0 && e.pops != none {
		link = 3 // out of the bag
	}
	key := m.pack.ofDelivery(i, m.v[i], link, e.from, e.what)
	if o, known := m.deliveries.Get(key); known {
		return o, nil
	}
	return m.remembered(key, state, k, e)
}

// finds stores o in cache.own, at index what, as the footprint of an event that a node has by itself.
func (c *cache) finds(what uint32, o *footprint) { c.own[what] = o }

// remembered returns the footprint that is stored under a key for e, the event number k of the state. If
// there is none, it takes the event in the world and stores its footprint; if the node does not accept the
// event, it stores nil.
func (m *Memo) remembered(key uint64, state uint32, k int, e occurrence) (o *footprint, err error) {
	own := e.from == none
	m.tables.refresh(m.common)
	o, known := m.tables.ofNode(own).Get(key)
	if known {
		return o, nil
	}
	if i := nodeOf(e.ordinal); m.accepts(i, e) {
		if m.leaves(k) {
			o = new(footprint) // it leads nowhere
		} else if o, err = m.learnOfNode(state, k, i, e); err != nil {
			return nil, err
		}
	}
	o = m.common.add(own, key, o, m.results.counts()+m.effects.counts())
	m.tables.refresh(m.common)
	return o, nil
}

// add stores footprint o under key, and returns it. If another goroutine has stored one meanwhile, it returns
// that one. own says whether the event is one that a node has by itself; bytes is the size of the results.
func (l *learnt) add(own bool, key uint64, o *footprint, bytes int) *footprint {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts(bytes + int(unsafe.Sizeof(footprint{})))
	table := l.ofNode(own)
	if other, known := table.Get(key); known {
		return other
	}
	table.Put(key, o)
	return o
}

func (l *learnt) counts(bytes int) { l.size += bytes }

// accepts reports whether node i accepts event e in the position. A node may decline messages.
func (m *Memo) accepts(i int, e occurrence) bool {
	return e.from == none || !m.able[i].accepts || m.x.Bank.Accepts(i, m.v[i], e.from, e.what)
}

// taking takes event number k of the position in the world, once for each list of answers to its coins. It
// calls note after each time.
func (m *Memo) taking(state uint32, k int, note func()) error {
	x := m.x
	if err := m.flush(state); err != nil {
		return err
	}
	m.stand()
	x.Step.begin(k)
	for {
		x.LastEvent = k
		if err := x.Step.take(x.World); err != nil {
			return err
		}
		x.Owner.Counts.handlerRun()
		if failure := x.World.Run.Failed(); failure != nil {
			x.answered()
			return &Wrong{Failure: failure}
		}
		note()
		x.World.State.Back(x.Bank, m.v)
		if !x.moreCoins() {
			return x.Step.coins.Err()
		}
	}
}

// begins prepares the cache to record the results of a step.
func (c *cache) begins() { c.made = c.made[:0] }

// add adds a result, with its effects, to the step that is being learnt. coins has the answers to the coins of
// the step. If there is no number left for this list of answers, add drops the result and returns false.
func (c *cache) add(one result, effects []effect, coins []int) (kept bool) {
	if one.coins, kept = c.lists.Number(coins); kept {
		one.effects = c.effects.keep(effects)
		c.made = append(c.made, one)
	}
	return kept
}

// has sets the results of a footprint.
func (o *footprint) has(results []result) { o.results = results }

// learnOfNode takes event number k of the position, on node i, and returns a footprint for it that consists
// of the node's part alone.
func (m *Memo) learnOfNode(state uint32, k, i int, of occurrence) (o *footprint, err error) {
	o = new(footprint)
	m.begins()
	m.ran(i)
	if err := m.taking(state, k, func() {
		o.concerns(m.x.Reduction)
		one, effects, function := m.did(i, of)
		switch {
		case !function:
			o.forget()
		case k > math.MaxUint16:
			m.x.sampled()
		case !m.add(one, effects, m.x.Step.coins.Answers()):
			m.x.sampled()
		default:
			o.reach(effects, m.n)
		}
	}); err != nil {
		return nil, err
	}
	if !o.unknown {
		o.has(m.results.keep(m.made))
		o.name(m.x.bys.number, of, m.n)
	}
	return o, m.verify(o, k, i, of)
}

// did returns the result of the handler that has just run on node i. If the result does not follow from the part of
// the node alone, did returns false for function, and the other values have no meaning. The effects are, in this
// order: the new part of the node, the facts emitted, the message taken, the messages sent.
func (m *Memo) did(i int, of occurrence) (one result, effects []effect, function bool) {
	x := m.x
	if x.World.Run.Tossed() {
		return one, nil, false
	}
	effects = append(effects, effect{}, effect{})[:0]
	if of.pops != none {
		e := effect{place: int32(of.pops), does: effectPop}
		if of.pops >= world.SetPlace(m.n, 0) {
			e.does, e.id, e.room = effectTake, of.what, uint16(of.from)
		}
		effects = append(effects, e)
		one.fly--
	}
	var facts []any
	for _, e := range x.World.Run.Effects() {
		switch e.Kind {
		case trace.EffectEmit:
			facts = append(facts, e.Value)
		case trace.EffectSend:
			to := e.To.Index()
			s := effect{id: x.World.State.Message(x.Bank, e.Value), does: effectPush}
			switch e.Link {
			case sim.LinkTCP:
				s.place, s.room = int32(world.TCPPlace(m.n, to*m.n+i)), uint16(min(m.buffer, math.MaxUint16))
			case sim.LinkUDP:
				s.place, s.room = int32(world.UDPPlace(m.n, to*m.n+i)), uint16(min(m.datagrams, math.MaxUint16))
			case sim.LinkSet:
				s.place = int32(world.SetPlace(m.n, to))
			default:
				s.place, s.does = int32(world.SetPlace(m.n, to)), effectPut
			}
			one.fly += int16(count(s.room > 0 || s.does == effectPut))
			one.sends++
			effects = append(effects, s)
		case trace.EffectAfter, trace.EffectCancel, trace.EffectPost, trace.EffectLog, trace.EffectWrite, trace.EffectSync: // these effects are in the node's part
		default:
			return one, nil, false
		}
	}
	if len(facts) > 0 {
		told, function := m.tells(nil, i, facts)
		if !function {
			return one, nil, false
		}
		effects = append(told, effects...)
	}
	if now := x.World.State.SavePart(x.Bank, i); now != m.v[i] {
		one.delta = x.Bank.Sum(i, now).Sub(x.Bank.Sum(i, m.v[i]))
		effects = slices.Insert(effects, 0, effect{place: int32(i), id: now, does: effectSet})
	}
	return one, effects, true
}

// One in verifyEvery steps whose results are looked up is also taken in the world, as a check.
const verifyEvery = 1 << 14

// retaking identifies the node, or its twin, on which a step with a known result is repeated. If the repeated step
// fails or asks for other choices, it panics; Guarded then reads from retaking which node it was.
type retaking struct {
	i    int
	twin bool
}

// verify repeats a step with the known footprint o: once on the node in the bank and, if the node has a twin, once
// on the twin, a node with the same identity and another history. Both must have the known result. If the twin has
// another one, the step depends on something that is not part of the state.
func (m *Memo) verify(o *footprint, k, i int, of occurrence) error {
	x := m.x
	o.twin.Store(m.able[i].twin)
	if o.unknown {
		return nil
	}
	for _, twin := range [2]bool{false, true} {
		for j := range o.results {
			x.World.State.Load(x.Bank, m.v)
			if twin && !x.World.State.Twin(x.Bank, i, m.v[i]) {
				return nil
			}
			was := &o.results[j]
			x.retake(retaking{i, twin}, k, x.Lists.Get(was.coins))
			again, effects, function := m.did(i, of)
			if !function || !was.equals(&again, effects) {
				return x.differs(i, twin, "does something else", m.unlike(i, was))
			}
			for k := range effects {
				if e := &effects[k]; e.does == effectTell {
					if made, known := m.heard(e, m.v[e.place]); known && made != m.memory(int(e.place)) {
						return x.differs(i, twin, "tells a monitor something else", "")
					}
				}
			}
		}
	}
	return nil
}

// equals reports whether r is the same as the result again of a repeated step. The parameter effects has
// the effects of again.
func (r *result) equals(again *result, effects []effect) bool {
	return again.delta == r.delta && slices.Equal(effects, r.effects)
}

// unlike compares node i, after a repeated step, with the node in the known result of the step, was. It returns
// the name of a field in which they differ, or "" if there is none.
func (m *Memo) unlike(i int, was *result) string {
	if len(was.effects) == 0 || was.effects[0].does != effectSet {
		return ""
	}
	return m.x.World.Text.Unlike(m.x.Bank, i, was.effects[0].id)
}

// noteTwins records for which parts the bank keeps a twin of the node.
func (m *Memo) noteTwins(twins []world.Twinned) {
	for _, t := range twins {
		m.twinned(t)
	}
	m.twins += len(twins)
}

// differs returns the error that a step of node i had another result when it was repeated. copied names a
// field in which the node differs from the first result, or is "".
func (t *Taker) differs(i int, twin bool, what, copied string) error {
	field := "" // stays empty if a handler has different results for one and the same node
	if twin {
		field = t.Bank.Hidden(i, t.From[i])
	}
	if field == "" {
		return t.stray(copied)
	}
	return t.Owner.leftOut(t.World.Run.LastIdentity(), "a node that the state cannot tell from another "+what, field)
}

// leftOut returns the error that a field matters although it is left out of the state: the search
// takes two states for one, but they behave differently.
func (r *Owner) leftOut(at, what, field string) error {
	return fmt.Errorf("system %s: a field that is left out of the state matters: at %q, %s; they differ in this field: %s; leave it in the state (System.Opaque, the tag mc:\"-\", or a Summary leaves it out). If it is in the state, a copy of the node has changed it through memory that both share: a value that System.Immutable names, or one that cannot be copied. Otherwise it was changed between two steps, by a goroutine or a callback as of time.AfterFunc, which cannot be repeated: set a timer by env.After",
		r.Sys.Name, at, what, field)
}

// concerns records in o what the reduction has observed of the step that was taken last: its kind, and
// whether it is visible.
func (o *footprint) concerns(r *Reduction) {
	if r != nil {
		o.class, o.shows = uint16(r.acting[0]), o.shows || r.emits
	}
}
