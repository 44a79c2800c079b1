package world

import (
	"encoding/binary"

	"macemc/internal/canon"
	"macemc/internal/handler"
	"macemc/sim"
)

// mold is a node of the world that takes the form of one packed node after another; a bank keeps
// most nodes packed, which means as bytes. With a mold, no node is made when a packed part is
// loaded, and none is copied before its handler runs. Nothing outside of the world may hold the
// node or a part of it: if something might, the world makes another mold.
type mold struct {
	is    *canon.Mold
	pool  *canon.Pool // the pool with which the nodes were packed
	part  *nodePart   // the node with the frame that the mold had last
	frame uint32
	buf   []byte

	of     *Bank // the bank of the part that was loaded last; a search returns to that part after each step
	id     uint32
	packed []byte
}

// pack returns the mold's node as bytes, which are valid until the next call. It reports false if a
// handler has changed the node so that it no longer has the form of the mold.
func (m *mold) pack() (packed []byte, is bool) {
	m.buf, is = m.is.Pack(m.buf[:0])
	return m.buf, is
}

// sheds drops the mold if the present node is the mold's. It is called when something outside of the world may
// hold the node, so that the mold must not change it any more.
func (ns *nodeState) sheds() {
	if ns.formed {
		ns.mold, ns.formed = nil, false
	}
}

// packed returns the two halves of a node part that the bank keeps packed: the node as bytes, and the
// number of its frame, which has the rest of the part (timers, tasks, script and so on). node is nil
// if the part is not packed. It is valid until the bank is used again.
func (b *Bank) packed(place int, id uint32) (node []byte, frame uint32) {
	record := b.record(place, id)
	if record == nil {
		return nil, 0
	}
	number, n := binary.Uvarint(record)
	return record[n:], uint32(number) - 1
}

// poured fills the mold of node i with a packed node, and returns the part that consists of that
// node and of the frame with this number, which has its timers, tasks and script. It returns nil if
// there is no mold, or if the packed node has another form.
func (all *nodes) poured(b *Bank, i int, id, frame uint32, packed []byte) *nodePart {
	ns := &all.at[i]
	if ns.rigid || all.audit != nil || all.sys.Clone != nil {
		return nil
	}
	if ns.mold == nil || ns.mold.pool != b.frames.pool {
		if ns.forms(b, frame, packed); ns.rigid {
			return nil
		}
	}
	if m := ns.mold; m.is.Fill(packed) {
		m.within(b.frames, frame)
		m.keeps(b, id, packed)
		return m.part
	}
	return nil
}

// keeps records that the mold now has part id of bank b, which is packed as these bytes.
func (m *mold) keeps(b *Bank, id uint32, packed []byte) {
	m.of, m.id, m.packed = b, id, append(m.packed[:0], packed...)
}

// again fills the mold of node i with the part that it had last, and returns that part. It returns
// nil if the last part was not part id of bank b.
func (all *nodes) again(b *Bank, i int, id uint32) *nodePart {
	if m := all.at[i].mold; m != nil && m.of == b && m.id == id {
		m.is.Refill(m.packed)
		return m.part
	}
	return nil
}

// refilled is a faster form of again. If node i is still the mold's, and steps have changed nothing of the part but
// the node itself, it fills the mold and returns true: nothing else has to be loaded. Otherwise it returns false.
func (all *nodes) refilled(b *Bank, i int, id uint32) bool {
	ns := &all.at[i]
	m := ns.mold
	if !ns.formed || m.of != b || m.id != id || !ns.framed(m.part) || all.pace != nil || all.links.TCP().Flushing(i) != m.part.flushing {
		return false
	}
	m.is.Refill(m.packed)
	ns.seen.Renew()
	all.sees.Replaced()
	all.judge.Changes(i)
	all.links.Soil(i)
	return true
}

// framed reports whether the frame of ns, such as its life and script, is that of part k. It does not compare timers
// and tasks: if there are any, it returns false.
func (ns *nodeState) framed(k *nodePart) bool {
	return ns.life == k.life && ns.lives == k.lives && ns.next == k.next && ns.disk == nil && ns.clock == nil &&
		len(ns.seen.Timers)+k.timers.len()+len(ns.tasks)+k.tasks.len() == 0
}

// forms makes a mold for nodes that have the form of this packed node.
func (ns *nodeState) forms(b *Bank, frame uint32, packed []byte) {
	node := b.walks().Unpack(b.frames.pool, packed)
	if is := b.walks().MoldOf(b.frames.pool, node); is != nil {
		ns.mold = &mold{is: is, pool: b.frames.pool, part: b.frames.get(frame).around(node.(sim.Node), handler.GuardsOf(node.(sim.Node))), frame: frame}
	} else {
		ns.rigid = true
	}
}

// within sets m.part to the part that consists of the mold's node and the frame with this number.
func (m *mold) within(f *frames, frame uint32) {
	if m.frame != frame {
		m.part, m.frame = f.get(frame).around(m.part.node, m.part.guards), frame
	}
}

// around returns the part that consists of k's frame and the node of a mold.
func (k *nodePart) around(node sim.Node, guards handler.Guards) *nodePart {
	part := k.frame()
	part.holds(node, guards)
	part.molded = true
	return part
}

// molded packs node i, if it is the mold's and still has the mold's form. It writes the node's
// present part to k, and returns the record under which a bank keeps that part: the number of its
// frame, and the node as bytes. Otherwise it returns nil.
func (all *nodes) molded(b *Bank, i int, k *nodePart) (record []byte) {
	ns := &all.at[i]
	if !ns.formed || ns.disk != nil || ns.clock != nil || all.pace != nil {
		return nil
	}
	packed, is := ns.mold.pack()
	if !is {
		return nil
	}
	k.describe(all, i)
	record, due := b.recorded(i, k, packed)
	if due && all.sum(b.unpacked(record).node) != all.sum(ns.node) {
		return nil
	}
	return record
}
