package world

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/flat"
	"macemc/internal/handler"
	"macemc/sim"
)

// A bank keeps the first nodes of a place as they are: most searches have no more, and steps
// from these nodes are taken often. It keeps later nodes as bytes, each as the difference from
// the node with which the step began, and makes a node from the bytes when one is asked for. No
// twins are kept of packed nodes. Some nodes cannot be packed and are kept as they are: see
// Bank.Unpacked.

// liveMost is the largest number of nodes of a place that are kept unpacked.
const liveMost = 1 << 14

// packs has the later parts of a place: those that were added when the place already had as many
// unpacked parts as it may have (see shelf.full). Most parts in packs are packed, which means kept
// as bytes.
type packs struct {
	records flat.Records // the records of packed parts; each record has the number of a frame and a node as bytes
	live    []any        // the parts that cannot be packed
}

// full reports whether a place has at least most unpacked nodes, so that further ones are packed.
func (k *shelf) full(most int) bool { return len(k.parts) > most }

// appendPacked adds a packed part to the shelf, and returns its number. If part like is packed too,
// the record is stored as its difference from the record of like.
func (k *shelf) appendPacked(by *flat.Reader, sum canon.Hash, record []byte, like uint32) uint32 {
	k.packs.put(by, record, int(like)-len(k.parts))
	return k.know(sum)
}

// put adds the record of a packed part to k. If like is the index of another record, it stores the
// difference from that one.
func (k *packs) put(by *flat.Reader, record []byte, like int) {
	if like >= k.records.Len() {
		like = -1
	}
	k.records.Append(by, record, max(0, like+1))
}

// stay adds a part that cannot be packed to k. Its record has only its index in k.live.
func (k *packs) stay(of any) {
	k.live = append(k.live, of)
	k.records.Append(nil, binary.AppendUvarint([]byte{0}, uint64(len(k.live)-1)), 0)
}

// frames has the different frames of node parts. A frame is a node part without its node. There are few of
// them.
type frames struct {
	mu      sync.Mutex
	numbers map[string]uint32
	all     atomic.Pointer[[]*nodePart]
	pool    *canon.Pool
	why     atomic.Pointer[string] // the reason why some node is not packed
}

func newFrames() *frames {
	f := &frames{numbers: map[string]uint32{}, pool: canon.NewPool()}
	f.all.Store(new([]*nodePart))
	return f
}

// framed caches the frame that was looked up last, and has memory for the key of another
// one.
type framed struct {
	key, last []byte
	number    uint32
}

// of returns the number of the frame of k, a part of node i. Most nodes have the same frame
// as the node before.
func (b *framed) of(f *frames, i int, k *nodePart) uint32 {
	b.key, b.last = k.appendFrame(binary.AppendUvarint(b.last[:0], uint64(i))), b.key
	if !bytes.Equal(b.key, b.last) {
		b.number = f.number(b.key, k)
	}
	return b.number
}

// number returns the number of the frame of part k, whose key is given.
func (f *frames) number(key []byte, k *nodePart) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, known := f.numbers[string(key)]
	if !known {
		all := append(*f.all.Load(), k.frame()) // readers of the shorter list do not see the new element
		n = uint32(len(all) - 1)
		f.numbers[string(key)] = n
		f.all.Store(&all)
	}
	return n
}

func (f *frames) get(n uint32) *nodePart { return (*f.all.Load())[n] }

// stays records the first reason why a node is not packed.
func (f *frames) stays(why string) { f.why.CompareAndSwap(nil, &why) }

// frame returns a copy of the part without its node.
func (k *nodePart) frame() *nodePart {
	return &nodePart{
		life: k.life, lives: k.lives, script: k.script, next: k.next, timers: k.timers, firing: k.firing,
		tasks: k.tasks, flushing: k.flushing,
	}
}

// appendFrame appends bytes to key that identify the frame of the part, which is everything in it
// but the node. Two parts of one node have the same frame if these bytes are equal. Of the script
// they contain only the length and the index of the next request, since the node and its life
// determine the script.
func (k *nodePart) appendFrame(key []byte) []byte {
	for _, n := range [...]int{int(k.life), k.lives, len(k.script), k.next, k.firing, count(k.flushing), k.timers.len()} {
		key = binary.AppendUvarint(key, uint64(n))
	}
	for _, t := range k.timers.items {
		key = appendSum(key, t.Sum)
	}
	for _, t := range k.tasks.items {
		key = binary.AppendUvarint(appendSum(key, t.sum), uint64(t.count))
	}
	return key
}

func appendSum(to []byte, h canon.Hash) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, h.Hi), h.Lo)
}

// with returns the part that consists of a frame and a node.
func (k *nodePart) with(node sim.Node) *nodePart {
	part := k.frame()
	part.holds(node, handler.GuardsOf(node))
	return part
}

func (k *nodePart) holds(node sim.Node, guards handler.Guards) { k.node, k.guards = node, guards }

// kept is a part that was unpacked, and where it stands in the bank.
type kept struct {
	place int
	id    uint32
	part  *nodePart
}

// keptMost is the number of unpacked parts that a bank keeps. It is a power of two.
const keptMost = 1 << 8

// unpack returns the part that a shelf has packed under a number.
func (b *Bank) unpack(place int, id uint32, s *shelf) any {
	if b.kept == nil {
		b.kept = make([]kept, keptMost)
	}
	at := (int(id) + place*67) % keptMost
	if k := b.kept[at]; k.part != nil && k.id == id && k.place == place {
		return k.part
	}
	record := b.readers[place].Get(&s.packs.records, int(id)-len(s.parts))
	if record[0] == 0 {
		live, _ := binary.Uvarint(record[1:])
		return s.packs.live[live]
	}
	part := b.unpacked(record)
	b.kept[at] = kept{place, id, part}
	return part
}

func (b *Bank) unpacked(record []byte) *nodePart {
	frame, n := binary.Uvarint(record)
	node := b.walks().Unpack(b.frames.pool, record[n:]).(sim.Node)
	return b.frames.get(uint32(frame) - 1).with(node)
}

// packedEvery is the number of packed nodes of which one is unpacked at once and compared with the original.
const packedEvery = 512

// addPacked adds the present part of node i, whose identity is sum, to the bank and returns its number. It packs
// the part if possible, and stores the record as its difference from part like, which resembles it.
func (st *State) addPacked(b *Bank, i int, sum canon.Hash, like uint32) uint32 {
	k, record := &st.scratch, st.nodes.molded(b, i, &st.scratch)
	if record == nil {
		var why string
		k = st.nodes.part(i)
		if record, why = st.pack(b, i, k); why != "" {
			b.frames.stays(why)
		}
	}
	if b.vault == nil {
		return b.of.appendPacked(b.readers[i], i, sum, record, like, k)
	}
	v := b.vault
	v.mu.Lock()
	defer v.mu.Unlock()
	all := &v.all.shelves[i]
	id, known := all.index.Find(&all.sums, sum)
	if !known {
		id = v.all.appendPacked(b.readers[i], i, sum, record, like, k)
	}
	b.look(i)
	return id
}

// pack returns the record of k, a part of node i, or the reason why it cannot be packed.
func (st *State) pack(b *Bank, i int, k *nodePart) (record []byte, why string) {
	switch {
	case k.disk != nil:
		return nil, "they have something on their disks"
	case k.clock != nil || st.nodes.pace != nil:
		return nil, "they keep to clocks"
	case st.sys.Clone != nil:
		return nil, "the system copies them"
	}
	packed, why := st.walker.Pack(b.frames.pool, k.node)
	if why != "" {
		return nil, why
	}
	record, due := b.recorded(i, k, packed)
	if due && st.sum(b.unpacked(record).node) != st.sum(k.node) {
		return nil, "a node that is unpacked is another one"
	}
	return record, ""
}

// recorded returns the record of a part of node i, given its packed node. due says that the record must be
// unpacked and compared: see packedEvery.
func (b *Bank) recorded(i int, k *nodePart, packed []byte) (record []byte, due bool) {
	b.packing = binary.AppendUvarint(b.packing[:0], uint64(b.framed.of(b.frames, i, k))+1)
	b.packing = append(b.packing, packed...)
	b.packs++
	return b.packing, b.packs%packedEvery == 1
}

// Packs makes the bank pack all further nodes of a place.
func (b *Bank) Packs(place int) { b.live[place] = 0 }

// Unpacked returns the reason why nodes are not packed, or "" if all can be packed or none had to be.
func (b *Bank) Unpacked() string {
	if why := b.frames.why.Load(); why != nil {
		return *why
	}
	return ""
}
