package world

import (
	"slices"
	"sync"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/flat"
	"macemc/netsim"
)

// stock has the parts of a bank by place and number, and the messages by number.
type stock struct {
	shelves  []shelf
	messages []netsim.Packet
	numbers  map[canon.Hash]uint32
	twins    []Twinned
}

// shelf has the distinct parts of one place.
type shelf struct {
	parts []any       // *nodePart, *connectionPart, []netsim.Packet, []netsim.Member, int, *cut, state.NodeSet, memoryPart, or nil for an empty part
	sums  flat.Hashes // their identities, bound to the place, so that the identity of a state is the sum of those of its parts
	packs packs
	index flat.Index

	ofNode bool
	locals []Local  // the events that a node has by itself, by number; for places of nodes
	queues []Queue  // what a channel contains, by number; for places of channels
	items  [][]Item // the messages of a set, by number; for places of sets
}

// Twinned is a node part that has a twin: a second node with the same identity.
type Twinned struct {
	Node int
	Part uint32
}

func newStock(n, places int) stock {
	s := stock{shelves: make([]shelf, places), numbers: map[canon.Hash]uint32{}}
	for p := range s.shelves {
		s.shelves[p] = shelf{ofNode: p < n}
		s.append(p, canon.Hash{}, nil)
	}
	return s
}

// append puts a new part on its shelf.
func (s *stock) append(place int, sum canon.Hash, of any) uint32 {
	return s.shelves[place].append(sum, of, s.describe(of))
}

func (k *shelf) append(sum canon.Hash, of any, i info) uint32 {
	switch {
	case k.packs.records.Len() > 0: // another goroutine has packed the first part
		k.packs.stay(of)
	case k.ofNode:
		k.parts, k.locals = append(k.parts, of), append(k.locals, i.local)
	default:
		k.parts, k.queues, k.items = append(k.parts, of), append(k.queues, i.queue), append(k.items, i.items)
	}
	return k.know(sum)
}

// know records the identity of a new part, and returns the number that it assigns to the
// part.
func (k *shelf) know(sum canon.Hash) uint32 {
	id := uint32(k.sums.Len())
	k.sums.Append(sum)
	k.index.Add(&k.sums, id)
	return id
}

// appendPacked adds a new node part to its shelf: its record, or the part itself if record is nil.
func (s *stock) appendPacked(by *flat.Reader, place int, sum canon.Hash, record []byte, like uint32, of *nodePart) uint32 {
	k := &s.shelves[place]
	if record != nil {
		return k.appendPacked(by, sum, record, like)
	}
	k.packs.stay(of)
	return k.know(sum)
}

// look makes k as complete as all, if all has more parts. k is a bank's view of a shelf that banks
// share, as it was when the bank last looked at the shelf, and all is that shelf now.
func (k *shelf) look(all *shelf) {
	if all.sums.Len() > k.sums.Len() {
		*k = *all
	}
}

// catchUp extends the messages of s by those that only the larger stock has.
func (s *stock) catchUp(all *stock) { s.messages = all.messages }

// twin records that a part has a twin.
func (s *stock) twin(t Twinned) { s.twins = append(s.twins, t) }

// message returns the number of a message, from 1.
func (s *stock) message(p netsim.Packet) uint32 {
	if n, known := s.numbers[p.Sum]; known {
		return n
	}
	s.messages = append(s.messages, p)
	n := uint32(len(s.messages))
	s.numbers[p.Sum] = n
	return n
}

// vault has the parts that several banks share. It only grows, and its parts do not change. So each
// bank keeps a view of it, the parts that existed when it last updated the view, and reads the view
// without a lock. A bank updates its view when it needs a part that is not in it.
type vault struct {
	mu  sync.Mutex
	all stock
	products
	twinned atomic.Int32 // the length of all.twins, which can be read without the lock
}

// Share returns another bank with the same parts, for another goroutine.
func (b *Bank) Share() *Bank {
	if b.vault == nil {
		b.vault = &vault{all: b.of, products: b.products}
		b.vault.twinned.Store(int32(len(b.of.twins)))
		b.of = newStock(b.n, len(b.of.shelves))
	}
	other := &Bank{n: b.n, at: b.at, slow: b.slow, keys: b.keys, vault: b.vault, of: newStock(b.n, len(b.of.shelves)), live: slices.Clone(b.live), frames: b.frames, sys: b.sys, products: b.products}
	other.remember(len(b.of.shelves))
	return other
}

// Afresh returns a bank without parts, for states of the same system. It packs all nodes that can be packed.
func (b *Bank) Afresh() *Bank {
	other := &Bank{n: b.n, at: b.at, slow: b.slow, keys: b.keys, of: newStock(b.n, len(b.of.shelves)), live: make([]int, b.n), frames: b.frames, sys: b.sys}
	other.remember(len(b.of.shelves))
	return other
}

// Move adds the parts of v, a state of bank from, to b unless b has them, and replaces the numbers in v by those of b.
// last is the state that was moved before this one, with its numbers in b: a packed part is stored as its difference from
// the part of last. b must not be shared yet.
func (b *Bank) Move(from *Bank, v, last Vector) {
	for p, id := range v {
		if id == 0 {
			continue
		}
		sum := from.Sum(p, id)
		if at, known := b.find(p, sum); known {
			v[p] = at
		} else if record := from.record(p, id); record != nil {
			v[p] = b.of.appendPacked(b.readers[p], p, sum, record, last[p], nil)
		} else {
			v[p] = b.of.append(p, sum, from.part(p, id))
		}
	}
}

// record returns the record of a part, or nil if it is not packed. It is valid until the bank is used again.
func (b *Bank) record(place int, id uint32) []byte {
	s := b.shelf(place, id)
	if int(id) < len(s.parts) {
		return nil
	}
	if record := b.readers[place].Get(&s.packs.records, int(id)-len(s.parts)); record[0] != 0 {
		return record
	}
	return nil
}

// find returns the number of the part at a place with this identity, and whether the bank
// has it.
func (b *Bank) find(place int, sum canon.Hash) (uint32, bool) {
	s := &b.of.shelves[place]
	return s.index.Find(&s.sums, sum)
}

// add adds a part with its identity, unless the bank has it, and returns its number.
func (b *Bank) add(place int, sum canon.Hash, of any) uint32 {
	if id, known := b.find(place, sum); known {
		return id
	}
	v := b.vault
	if v == nil {
		return b.of.append(place, sum, of)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	k := &v.all.shelves[place]
	id, known := k.index.Find(&k.sums, sum)
	if !known {
		id = v.all.append(place, sum, of)
	}
	b.look(place)
	return id
}

// refresh updates the bank's view of a place.
func (b *Bank) refresh(place int) {
	if b.vault != nil {
		b.vault.mu.Lock()
		defer b.vault.mu.Unlock()
		b.look(place)
	}
}

// look updates the bank's view of a place, as refresh does, for a caller that holds the
// vault's lock.
func (b *Bank) look(place int) {
	b.of.shelves[place].look(&b.vault.all.shelves[place])
	b.of.catchUp(&b.vault.all)
}

// shelf returns the parts of a place. It updates the view if the part with this number is not in it.
func (b *Bank) shelf(place int, id uint32) *shelf {
	if s := &b.of.shelves[place]; int(id) < s.sums.Len() {
		return s
	}
	b.refresh(place)
	return &b.of.shelves[place]
}

func (b *Bank) part(place int, id uint32) any {
	s := b.shelf(place, id)
	if int(id) >= len(s.parts) {
		return b.unpack(place, id, s)
	}
	return s.parts[id]
}

// Sum returns the identity of a part, which is a summand of the identity of a state.
func (b *Bank) Sum(place int, id uint32) canon.Hash {
	if s := &b.of.shelves[place]; int(id) < s.sums.Len() {
		return s.sums.At(id)
	}
	return b.shelf(place, id).sums.At(id)
}

// number returns the number of a message, from 1.
func (b *Bank) number(p netsim.Packet) uint32 {
	if b.vault == nil {
		return b.of.message(p)
	}
	if n, known := b.of.numbers[p.Sum]; known {
		return n
	}
	b.vault.mu.Lock()
	defer b.vault.mu.Unlock()
	n := b.vault.all.message(p)
	b.of.catchUp(&b.vault.all)
	b.of.numbers[p.Sum] = n
	return n
}

// message returns the message with a number.
func (b *Bank) message(n uint32) netsim.Packet {
	if int(n) > len(b.of.messages) {
		b.vault.mu.Lock()
		defer b.vault.mu.Unlock()
		b.of.catchUp(&b.vault.all)
	}
	return b.of.messages[n-1]
}

// Twins returns the node parts with twins, from the k-th on. Others are added to the list
// as the bank is used.
func (b *Bank) Twins(k int) []Twinned {
	if b.vault == nil {
		return b.of.twins[k:]
	}
	if k == int(b.vault.twinned.Load()) {
		return nil
	}
	b.vault.mu.Lock()
	defer b.vault.mu.Unlock()
	return b.vault.all.twins[k:]
}

// keepTwin keeps the world's node as the twin of the part to which it is equal.
func (st *State) keepTwin(b *Bank, i int, id uint32) {
	if int(id) >= len(b.of.shelves[i].parts) {
		return
	}
	k, ns := b.part(i, id).(*nodePart), &st.nodes.at[i]
	if ns.shared || k.twin.Load() != nil {
		return
	}
	if b.vault != nil {
		b.vault.mu.Lock()
		defer b.vault.mu.Unlock()
		if k.twin.Load() != nil {
			return
		}
	}
	n := ns.node
	ns.share()
	k.twin.Store(&n)
	if b.vault == nil {
		b.of.twin(Twinned{i, id})
		return
	}
	b.vault.all.twin(Twinned{i, id})
	b.vault.twinned.Store(int32(len(b.vault.all.twins)))
}

// Number returns the number of the part with an identity, or 0 if neither this bank nor those that share its
// parts have it.
func (b *Bank) Number(place int, sum canon.Hash) uint32 {
	id, known := b.find(place, sum)
	if !known {
		b.refresh(place)
		id, _ = b.find(place, sum)
	}
	return id
}
