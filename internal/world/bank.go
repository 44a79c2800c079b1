package world

import (
	"slices"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/flat"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// A Vector is a state as the numbers of its parts. The Bank has the parts.
type Vector = state.Vector

// Bank keeps every distinct part of the states of one system once. Parts are immutable:
// a world that is loaded shares them, and copies a node before it lets a handler run on
// it.
//
// Number 0 stands for an empty part, such as a channel without messages.
//
// A Bank belongs to one goroutine. Others get their own by Share, over the same parts:
// see vault.
type Bank struct {
	slow bool // the world has slow links: see Calm
	n    int
	at   state.Places
	keys
	vault  *vault     // nil means nobody shares the parts
	of     stock      // all parts; if the bank shares them, those that it has looked at
	popped [][]uint32 // by place and number: the number, plus one, of the part without its first message, whose delivery opens the connection
	opened [][]uint32 // by place and number: the number, plus one, of the part with the connection open
	products

	live    []int   // by place: the number of nodes that are kept unpacked
	frames  *frames // the frames of packed nodes
	walker  *canon.Walker
	sys     *sim.System
	kept    []kept
	packs   int            // the number of packed nodes
	readers []*flat.Reader // readers of the records of packed nodes, by place
	packing []byte         // memory for records
	framed  framed
}

// products has the parts that steps have made from other parts, by how they were made: a
// message was pushed, put into a bag, or taken out. A bank that shares its parts has a
// copy of the vault's products.
type products [3]flat.Table[Product]

// Product is a part that a step has made from another part of the same place: its number,
// and the change of the state's identity.
type Product struct {
	To    uint32
	Delta canon.Hash
}

const (
	pushed = iota // the part with one more message
	put           // the part with one more message in the bag
	taken         // the part with one message less in the bag
)

type nodePart struct {
	of       *nodes // the nodes of the world that put it into the bank
	node     sim.Node
	twin     atomic.Pointer[sim.Node] // a second node with the same identity, for checks that equal states behave alike; nil if none was met
	guards   handler.Guards
	life     life
	lives    int
	script   []sim.Signal
	next     int
	timers   frozen[sight.Scheduled]
	firing   int // the number of timers that may fire
	tasks    frozen[posted]
	disk     *disk.Disk
	clock    *macetime.Clock
	flushing bool
	molded   bool // the node is in a mold: see type mold
}

// opens reports whether the node can take its next request of the script now: there is one, and the
// node accepts it.
func (k *nodePart) opens() bool {
	return k.next < len(k.script) && k.guards.Opens(k.script[k.next])
}

type connectionPart struct {
	netsim.End
	packets []netsim.Packet
}

// memoryPart is the memory of a monitor.
type memoryPart struct{ of any }

// NewBank makes a bank for the states of this world. Worlds of equal systems,
// params and configurations may share one.
func (st *State) NewBank() *Bank {
	places := st.sums.Len()
	b := &Bank{n: st.n, at: st.sums.Places, keys: keysOf(st.n, places), slow: st.links.Slow(), of: newStock(st.n, places), live: slices.Repeat([]int{st.live}, st.n), frames: newFrames(), sys: st.sys}
	b.remember(places)
	return b
}

// remember makes the bank's caches, which hold for each part the parts that steps have made from
// it. places is the number of places, each of which has caches of its own.
func (b *Bank) remember(places int) {
	b.popped, b.opened = make([][]uint32, places), make([][]uint32, places)
	for range b.n {
		b.readers = append(b.readers, new(flat.Reader))
	}
}

// walks returns the walker with which this bank hashes and copies values. The bank makes it at the first call.
func (b *Bank) walks() *canon.Walker {
	if b.walker == nil {
		w, err := contract.Walker(b.sys)
		if err != nil {
			panic("macemc bug: world: the system has no walker, and its worlds have one: " + err.Error())
		}
		b.walker = w
	}
	return b.walker
}

// Len returns the number of distinct parts.
func (b *Bank) Len() (n int) {
	for p := range b.of.shelves {
		b.refresh(p)
		n += b.of.shelves[p].sums.Len() - 1
	}
	return n
}

// At returns the places of a Vector: which part of the state each number in it is for.
func (b *Bank) At() state.Places { return b.at }

// Places returns the length of a Vector.
func (b *Bank) Places() int { return len(b.of.shelves) }

// Places returns the length of a Vector of this world.
func (st *State) Places() int { return st.sums.Len() }

// Track makes the world record which parts its steps change, for Save and Load. At first all parts
// count as changed.
func (st *State) Track() { st.sums.Track() }

// Save writes the numbers of the state's parts into v, and puts the parts that are new into
// the bank. Handlers that run later do not change parts in the bank.
func (st *State) Save(b *Bank, v Vector) {
	st.SaveMoved(b)
	copy(v, st.sums.At())
}

// SaveMoved puts the parts that changed since the last Save or Load into the bank, and
// returns their places. The Vector that At returns has their numbers. The list is the
// world's own, and valid until its next step.
func (st *State) SaveMoved(b *Bank) []int32 {
	st.sums.Know(b)
	st.Hash()
	return st.sums.Save(func(p int) uint32 { return st.bank(b, p) })
}

// Touch reads the memory in which SaveMoved will look for the parts that changed, so that it is in the processor's cache by
// then.
func (st *State) Touch(b *Bank) {
	st.Hash()
	for _, p := range st.sums.Moved() {
		b.of.shelves[p].index.Touch(st.sums.Parts()[p])
	}
}

// At returns the state as it was last saved or loaded. It is the world's own.
func (st *State) At() Vector { return st.sums.At() }

// NodesHash returns the share of the nodes in the identity of the state.
func (st *State) NodesHash() (h canon.Hash) {
	st.Hash()
	for _, sum := range st.sums.Parts()[:st.n] {
		h = h.Add(sum)
	}
	return h
}

// SavePart puts the part at one place, as the last step has left it, into the bank, and returns its
// number.
func (st *State) SavePart(b *Bank, place int) uint32 {
	st.Hash()
	return st.bank(b, place)
}

// bank puts the present part at place p into bank b, unless b has it, and returns its number there.
func (st *State) bank(b *Bank, p int) uint32 {
	sum := st.sums.Parts()[p]
	if id, known := b.find(p, sum); known {
		if p < st.n {
			st.keepTwin(b, p, id)
		}
		return id
	}
	if p < st.n && b.of.shelves[p].full(b.live[p]) {
		return st.addPacked(b, p, sum, st.sums.At()[p])
	}
	return b.add(p, sum, st.part(p))
}

// part returns the part at place p, in a form that later steps do not change.
func (st *State) part(p int) any {
	switch sort, at := st.sums.Places.At(p); sort {
	case state.Node:
		return st.nodes.part(at)
	case state.TCP:
		return &connectionPart{st.links.TCP().End(at), clone(st.links.TCP().Packets(at))}
	case state.UDP:
		return clone(st.links.UDP().Packets(at))
	case state.Set:
		return clone(st.links.Set().For(at))
	case state.Monitor:
		return memoryPart{st.copied(st.judge.Monitors()[at].Memory())}
	default:
		return st.environ.part(sort, at)
	}
}

func clone[T any](s []T) []T { return append([]T(nil), s...) }

// Resume loads state v, as Load does, and sets the number of the run's steps: v is the state that
// the run reaches after that many steps.
func (st *State) Resume(b *Bank, v Vector, steps int) {
	st.Load(b, v)
	st.run.resume(steps)
}

// Load sets the world to a state. It changes only the parts that differ from the world's present
// state.
func (st *State) Load(b *Bank, v Vector) {
	s := st.sums
	s.Know(b)
	st.run.lose()
	st.links.Resume(0)
	s.Leaves()
	for _, p := range s.Moved() {
		st.restore(b, int(p), v[p])
	}
	at := s.At()[:len(v)]
	for p, id := range v {
		if at[p] != id {
			st.restore(b, p, id)
		}
	}
	s.Loaded(v)
}

// Back does what Load does for the state that was loaded last, after steps from it. It compares only
// the parts that these steps have changed.
func (st *State) Back(b *Bank, v Vector) {
	s := st.sums
	if !s.CameFrom(b, v) {
		st.Load(b, v)
		return
	}
	st.run.lose()
	st.links.Resume(0)
	for _, list := range [2][]int32{s.Since(), s.Moved()} {
		for _, p := range list {
			if st.restore(b, int(p), v[p]); int(p) >= st.n || st.nodes.at[p].guards.HasOpens() {
				s.Leaves() // restore does not recompute which requests and messages are accepted
			}
		}
	}
	s.Loaded(v)
}

// restore sets the part at place p to that with number id, unless the world has it there
// already.
func (st *State) restore(b *Bank, p int, id uint32) {
	if st.sums.Differs(p, id) {
		if p >= st.n || int(id) < len(b.of.shelves[p].parts) || !st.pour(b, p, id) {
			st.place(p, b.part(p, id))
		}
		st.sums.Restored(p, id, b.Sum(p, id))
	}
}

// place sets the part at place p to of, or to the empty part if of is nil.
func (st *State) place(p int, of any) {
	l := st.links
	switch sort, at := st.sums.Places.At(p); sort {
	case state.Node:
		st.placeNode(at, of.(*nodePart))
	case state.TCP:
		k, _ := of.(*connectionPart)
		if k == nil {
			k = new(connectionPart)
		}
		l.PlaceTCP(at, k.End, k.packets)
	case state.UDP:
		packets, _ := of.([]netsim.Packet)
		l.PlaceUDP(at, packets)
	case state.Set:
		members, _ := of.([]netsim.Member)
		l.PlaceSet(at, members)
	case state.Monitor:
		st.placeMemory(at, of)
	default:
		st.environ.place(sort, at, of)
	}
}

func (st *State) placeNode(i int, k *nodePart) {
	was := st.nodes.at[i].life
	st.nodes.place(i, k)
	if was != k.life {
		st.environ.lived(was, k.life)
	}
}

// pour loads the node part id of place i, which the bank keeps packed (as bytes), by writing the
// bytes into the world's mold: a node that is used again for one part after another. So no new node
// is made. It reports false if the part is not packed or there is no mold for it.
func (st *State) pour(b *Bank, i int, id uint32) bool {
	if st.nodes.refilled(b, i, id) {
		return true
	}
	k := st.nodes.again(b, i, id)
	if k == nil {
		record, frame := b.packed(i, id)
		if record == nil {
			return false
		}
		if k = st.nodes.poured(b, i, id, frame, record); k == nil {
			return false
		}
	}
	st.placeNode(i, k)
	return true
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (st *State) placeMemory(k int, of any) {
	if m, is := of.(memoryPart); is {
		st.judge.Monitors()[k].Restore(st.copied(m.of))
	}
}
