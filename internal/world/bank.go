package world

import (
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/disk"
	"macemc/internal/flat"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// A Vector is a state as the numbers of its parts: each node, each direction
// of each connection, each channel of datagrams, each set, and the rest
// (environment and monitors). What a number stands for is in the Bank.
type Vector []uint32

// Bank keeps every distinct part of the states of one system once. Parts are
// immutable: a world that is loaded shares them, and copies a node before it
// lets a handler run on it.
//
// Number 0 is the part of which there is nothing: an empty channel, say.
//
// A Bank belongs to one goroutine. Others get their own by Share, over the same
// parts: see vault.
type Bank struct {
	slow   bool // the world has slow links: see Calm
	n      int
	vault  *vault     // nil: nobody shares the parts
	of     stock      // all parts, or as many as this bank has looked at
	popped [][]uint32 // by place and number: the part without its head, which has opened it; plus one
	opened [][]uint32 // the part with the connection open; likewise
	pushed flat.Table // the part with one more message
	put    flat.Table // with one more in the bag
	taken  flat.Table // with one less
}

type nodePart struct {
	of       *nodes // of the world that banked it
	node     sim.Node
	twin     atomic.Pointer[sim.Node] // equal to node as far as the walk can tell; nil: none was met
	guards   handler.Guards
	life     life
	lives    int
	script   []sim.Signal
	next     int
	timers   frozen[sight.Scheduled]
	firing   int // timers that may fire
	tasks    frozen[posted]
	disk     *disk.Disk
	clock    *macetime.Clock
	offers   int
	flushing bool
}

// opens reports whether the script has an opening left that the node lets happen now.
func (k *nodePart) opens() bool {
	return k.next < len(k.script) && k.guards.Opens(k.script[k.next])
}

type connectionPart struct {
	netsim.End
	packets []netsim.Packet
}

type restPart struct {
	left     sim.Faults
	early    int
	cut      *cut
	paused   uint64
	memories []any
}

// NewBank makes a bank for the states of this world. Worlds of equal systems,
// params and configurations may share one.
func (st *State) NewBank() *Bank {
	places := len(st.sums.part)
	b := &Bank{n: st.n, slow: st.links.slow != nil, of: newStock(places)}
	b.remember(places)
	return b
}

// remember makes room for what steps make of parts.
func (b *Bank) remember(places int) {
	b.popped, b.opened = make([][]uint32, places), make([][]uint32, places)
}

// Len is the number of distinct parts.
func (b *Bank) Len() (n int) {
	for p := range b.of.shelves {
		b.refresh(p)
		n += len(b.of.shelves[p].sums) - 1
	}
	return n
}

// Places is the length of a Vector.
func (b *Bank) Places() int { return len(b.of.shelves) }

// Places is the length of a Vector of this world.
func (st *State) Places() int { return len(st.sums.part) }

// Track makes the world note which parts its steps change, for Save and Load.
// All parts count as changed.
func (st *State) Track() {
	s := st.sums
	s.tracking = true
	s.at = make(Vector, len(s.part))
	s.moved = make([]bool, len(s.part))
	s.movedList = s.movedList[:0]
	for p := range s.part {
		s.moved[p] = true
		s.movedList = append(s.movedList, int32(p))
	}
}

// know makes sure that the numbers which the world keeps are those of a bank.
func (st *State) know(b *Bank) {
	if s := st.sums; s.bank != b {
		st.Track()
		s.bank = b
	}
}

// Save writes the state into v, banking the parts that are new. Handlers that
// run later do not change what was banked.
func (st *State) Save(b *Bank, v Vector) {
	st.SaveMoved(b)
	copy(v, st.sums.at)
}

// SaveMoved banks the parts that changed since the last Save or Load, and
// returns their places; At has their numbers. The list is the world's own, and
// valid until its next step.
func (st *State) SaveMoved(b *Bank) []int32 {
	st.know(b)
	st.Hash()
	s := st.sums
	for _, p := range s.movedList {
		s.at[p] = st.bank(b, int(p))
		s.moved[p] = false
	}
	moved := s.movedList
	s.since = append(s.since, moved...)
	s.movedList = s.movedList[:0]
	return moved
}

// At is the state as it was last saved or loaded. It is the world's own.
func (st *State) At() Vector { return st.sums.at }

// NodesHash is the share of the nodes in the identity of the state.
func (st *State) NodesHash() (h canon.Hash) {
	st.Hash()
	for _, sum := range st.sums.part[:st.n] {
		h = h.Add(sum)
	}
	return h
}

// SaveNode banks one node, as a handler has just left it, and returns its
// number.
func (st *State) SaveNode(b *Bank, i int) uint32 {
	st.Hash()
	return st.bank(b, i)
}

// bank is the number of the part at place p, as it is now.
func (st *State) bank(b *Bank, p int) uint32 {
	sum := st.sums.part[p]
	if id, known := b.find(p, sum); known {
		if p < st.n {
			st.keepTwin(b, p, id)
		}
		return id
	}
	return b.add(p, sum, st.part(p))
}

// part is what stands at place p, to be kept.
func (st *State) part(p int) any {
	n := st.n
	switch {
	case p < n:
		ns := &st.nodes.at[p]
		ns.shared = true // from now on; whoever runs it next copies it
		return &nodePart{
			of: st.nodes, node: ns.node, guards: ns.guards,
			life: ns.life, lives: ns.lives, script: ns.script, next: ns.next,
			timers: freeze(ns.seen.Timers), firing: st.nodes.firing(p), tasks: freeze(ns.tasks), disk: ns.disk, clock: ns.clock, offers: ns.countOffers(), flushing: st.links.tcp.Flushing(p),
		}
	case p < n+n*n:
		c := p - n
		return &connectionPart{st.links.tcp.End(c), clone(st.links.tcp.Packets(c))}
	case p < n+2*n*n:
		return clone(st.links.udp.Packets(p - n - n*n))
	case p < 2*n+2*n*n:
		return clone(st.links.set.For(p - n - 2*n*n))
	default:
		r := &restPart{left: st.environ.left, early: st.environ.early, cut: st.environ.cut, paused: st.environ.paused}
		for i := range st.judge.monitors {
			r.memories = append(r.memories, st.copied(st.judge.monitors[i].Memory()))
		}
		return r
	}
}

func clone[T any](s []T) []T { return append([]T(nil), s...) }

// Resume is Load in the middle of a run: so many steps lead from its start to
// the state.
func (st *State) Resume(b *Bank, v Vector, steps int) {
	st.Load(b, v)
	st.run.resume(steps)
}

// Load makes the world be in a state. Only parts that differ from where it is
// are touched.
func (st *State) Load(b *Bank, v Vector) {
	st.know(b)
	st.run.forget()
	s := st.sums
	for _, p := range s.movedList {
		st.restore(b, int(p), v[p])
	}
	at := s.at[:len(v)]
	for p, id := range v {
		if at[p] != id {
			st.restore(b, p, id)
		}
	}
	st.loaded(v)
}

// Back is Load of the state that was loaded last, after steps from it: it looks
// only at the parts that these changed.
func (st *State) Back(b *Bank, v Vector) {
	s := st.sums
	if s.bank != b || s.from != &v[0] {
		st.Load(b, v)
		return
	}
	st.run.forget()
	for _, p := range s.since {
		st.restore(b, int(p), v[p])
	}
	for _, p := range s.movedList {
		st.restore(b, int(p), v[p])
	}
	st.loaded(v)
}

// restore makes one part what it was.
func (st *State) restore(b *Bank, p int, id uint32) {
	s := st.sums
	if s.at[p] == id && !s.moved[p] {
		return
	}
	sum := b.Sum(p, id)
	st.place(p, b.part(p, id))
	s.total = s.total.Sub(s.part[p]).Add(sum)
	s.part[p], s.stale[p], s.moved[p], s.at[p] = sum, false, false, id
}

func (st *State) loaded(v Vector) {
	s := st.sums
	s.list, s.movedList, s.since, s.from = s.list[:0], s.movedList[:0], s.since[:0], &v[0]
}

// place puts a part where it belongs. Nothing: the part is empty.
func (st *State) place(p int, of any) {
	n := st.n
	switch {
	case p < n:
		st.placeNode(p, of.(*nodePart))
	case p < n+n*n:
		c := p - n
		if of == nil {
			st.links.tcp.Place(c, netsim.End{}, nil)
		} else {
			k := of.(*connectionPart)
			st.links.tcp.Place(c, k.End, k.packets)
			st.links.disturbed = st.links.disturbed || st.links.tcp.Disturbed()
		}
		st.links.dirty |= 1 << (c / n)
	case p < n+2*n*n:
		c := p - n - n*n
		packets, _ := of.([]netsim.Packet)
		st.links.udp.Place(c, packets)
		st.links.dirty |= 1 << (c / n)
	case p < 2*n+2*n*n:
		i := p - n - 2*n*n
		members, _ := of.([]netsim.Member)
		st.links.set.Place(i, members)
		st.links.dirty |= 1 << i
	default:
		st.placeRest(of)
	}
}

func (st *State) placeNode(i int, k *nodePart) {
	ns := &st.nodes.at[i]
	st.timers.count += k.timers.len() - len(ns.seen.Timers)
	st.nodes.tasks += k.tasks.len() - len(ns.tasks)
	if k.life != ns.life {
		st.environ.away += count(k.life == lifeAway) - count(ns.life == lifeAway)
		st.environ.gone += count(k.life.absent()) - count(ns.life.absent())
		st.nodes.sees.Membership++
		defer st.environ.weather()
	}
	st.nodes.put(i, k.node)
	ns.shared = true
	ns.guards = k.guards
	ns.live(k.life)
	ns.lives, ns.script, ns.next = k.lives, k.script, k.next
	ns.seen.Timers = k.timers.thaw(ns.seen.Timers)
	if k.of != st.nodes {
		st.nodes.adopt(ns)
	}
	ns.tasks, ns.disk, ns.clock = k.tasks.thaw(ns.tasks), k.disk, k.clock
	if st.pace != nil {
		st.nodes.ripen(i)
	}
	st.nodes.script.Put(i, k.next < len(k.script))
	if k.flushing != st.links.tcp.Flushing(i) {
		st.links.tcp.SetFlushing(i, k.flushing)
	}
	st.links.dirty |= 1 << i
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (st *State) placeRest(of any) {
	if of == nil {
		st.environ.left, st.environ.early, st.environ.cut = sim.Faults{}, sim.Unlimited, nil
		st.environ.paused = 0
	} else {
		r := of.(*restPart)
		st.environ.left, st.environ.early, st.environ.cut = r.left, r.early, r.cut
		st.environ.paused = r.paused
		for i := range st.judge.monitors {
			st.judge.monitors[i].Restore(st.copied(r.memories[i]))
		}
	}
	st.links.dirty = st.links.all()
	st.environ.weather()
}
