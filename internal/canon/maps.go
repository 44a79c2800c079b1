package canon

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"
)

// encodeMap appends the encoding of the map at an address, whose plan is p: its length, and its
// entries in a form that does not depend on the order of iteration.
func (w *Walker) encodeMap(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	m := *(*unsafe.Pointer)(at)
	if m == nil {
		return append(b, markNil), nil
	}
	s := &w.walk
	if !s.inKey && !w.equal { // in a key, the numbers of visits would depend on the order of iteration
		seen := w.refs.find(uintptr(m), p)
		if seen != nil {
			return putUvarint(append(b, markAgain), seen.seq), nil
		}
		w.refs.insert(uintptr(m), p, s.seq, true)
	}
	n := w.mapLen(p, at)
	b = putUvarint(append(b, markHere), uint64(n))
	if n == 0 {
		return b, nil
	}
	if s.depth == depthMax {
		return b, tooDeep(p.typ)
	}
	before := s.down(true)
	var r *refusal
	if p.key.plain && p.elem.plain {
		var sum Hash
		if w.trackOf(p).entry != entryWalked {
			sum, b = w.sumOfNumbers(p, at, b)
		} else {
			sum, b, r = w.sumOfEntries(p, at, b)
		}
		b = put64(put64(b, sum.Hi), sum.Lo)
	} else {
		b, r = w.encodeMapSorted(p, at, n, b)
	}
	s.up(before)
	return b, r
}

// sumOfEntries returns the sum of the hashes of a map's entries, which does not depend on their
// order. Keys and elements must be plain: no value inside of them can be met again elsewhere, and
// all entries have the same number of values. So the encoding after the map does not depend on
// the order of iteration either. Equal entries (with NaN keys) add up, while exclusive-or would
// cancel them. Sorting plain entries instead would take 1.4 times as long on a small node, and
// 1.7 times on a large one.
func (w *Walker) sumOfEntries(p *plan, at unsafe.Pointer, b []byte) (sum Hash, _ []byte, r *refusal) {
	k, e := w.trackOf(p.key), w.trackOf(p.elem)
	start := len(b)
	var c cursor
	for w.enter(&c, p, at, 1); c.next(); b = b[:start] {
		if b, r = w.encode(k, 0, c.key, b); r == nil {
			b, r = w.encode(e, 0, c.elem, b)
		}
		if r != nil {
			r.in(w.keyStep(p.key, c.key))
			break
		}
		sum = sum.Add(ofBytes(b[start:]))
	}
	c.leave()
	return sum, b, r
}

// mapEntry is an entry of a map whose entries are being sorted.
type mapEntry struct {
	prefix    uint64 // the first bytes of the key's encoding, as a number
	from, to  uint32 // where the encoding of the key is in Walker.keys
	key, elem unsafe.Pointer
}

// encodeMapSorted appends the n entries of the map at an address in the order of the encodings of
// their keys. It keeps the entries on the stack w.entries, since maps nest.
func (w *Walker) encodeMapSorted(p *plan, at unsafe.Pointer, n int, b []byte) ([]byte, *refusal) {
	first, firstKey := len(w.entries), len(w.keys)
	var c cursor
	w.enter(&c, p, at, n)
	b, r := w.sortEntries(p, &c, b)
	e, last := w.trackOf(p.elem), len(w.entries)
	for i := first; r == nil && i < last; i++ {
		entry := w.entries[i] // the stack may move
		b = append(b, w.keys[entry.from:entry.to]...)
		if b, r = w.encode(e, 0, entry.elem, b); r != nil {
			r.in(w.keyStep(p.key, entry.key))
		}
	}
	c.leave()
	clear(w.entries[first:])
	w.entries, w.keys = w.entries[:first], w.keys[:firstKey]
	return b, r
}

// sortEntries pushes the entries that c visits onto the stack w.entries, sorted by the encodings
// of their keys. It encodes each key at the end of b first, since the summary of a key may hold
// another map.
func (w *Walker) sortEntries(p *plan, c *cursor, b []byte) ([]byte, *refusal) {
	first, start := len(w.entries), len(b)
	k, before := w.trackOf(p.key), w.walk.toKey()
	for c.next() {
		var r *refusal
		if b, r = w.encode(k, 0, c.key, b); r != nil {
			w.walk.fromKey(before)
			return b, r.in("[key]")
		}
		from := len(w.keys)
		w.keys = append(w.keys, b[start:]...)
		w.entries = append(w.entries, mapEntry{prefixOf(b[start:]), uint32(from), uint32(len(w.keys)), c.key, c.elem})
		b = b[:start]
	}
	w.walk.fromKey(before)
	all := w.entries[first:]
	if len(all) <= 12 {
		for i := 1; i < len(all); i++ {
			for j := i; j > 0 && w.order(&all[j], &all[j-1]) < 0; j-- {
				all[j], all[j-1] = all[j-1], all[j]
			}
		}
	} else {
		slices.SortFunc(all, func(a, b mapEntry) int {
			if a.prefix < b.prefix {
				return -1
			}
			return w.order(&a, &b)
		})
	}
	for i := 1; i < len(all); i++ {
		if w.order(&all[i-1], &all[i]) == 0 {
			return b, refuse(p.typ, "two of its keys are the same to the walk (NaN, or differing in what is left out) and its elements may hold references, so they have no canonical order",
				"key the map by another value")
		}
	}
	return b, nil
}

// encodeKey returns the encoding of a map's key, whose plan is p. key must be addressable.
func (w *Walker) encodeKey(p *plan, key reflect.Value) ([]byte, *refusal) {
	inKey, copied := w.walk.toKey(), w.walk.down(true)
	b, r := w.encode(w.trackOf(p), 0, addr(key), nil)
	w.walk.up(copied)
	w.walk.fromKey(inKey)
	return b, r
}

func (w *Walker) order(a, b *mapEntry) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	}
	return bytes.Compare(w.keys[a.from:a.to], w.keys[b.from:b.to])
}

// prefixOf returns the first eight bytes of b as a number. Such numbers have the order of the
// bytes.
func prefixOf(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var x uint64
	for i, c := range b {
		x |= uint64(c) << (56 - 8*i)
	}
	return x
}

// keyStep returns the step of a path that leads from a map to the element of the key at an
// address.
func (w *Walker) keyStep(p *plan, at unsafe.Pointer) string {
	return "[" + w.textOfKey(p, reflect.NewAt(p.typ, at).Elem()) + "]"
}

// mapFrame is scratch memory for the entries of a map that is walked by reflection. Each map that
// the walk is inside of has one of its own.
type mapFrame struct {
	iter        reflect.MapIter
	keys, elems reflect.Value // slices of length size
	size        int
	met         int // the number of entries copied so far
}

// takeFrame returns a mapFrame for the map at an address, with room for size entries.
func (p *plan) takeFrame(at unsafe.Pointer, size int) *mapFrame {
	if p.frame == len(p.frames) {
		p.frames = append(p.frames, &mapFrame{})
	}
	f := p.frames[p.frame]
	p.frame++
	if f.size < size {
		f.size = max(size, 2*f.size)
		f.keys = reflect.MakeSlice(reflect.SliceOf(p.key.typ), f.size, f.size)
		f.elems = reflect.MakeSlice(reflect.SliceOf(p.elem.typ), f.size, f.size)
	}
	f.met = 0
	f.iter.Reset(reflect.NewAt(p.typ, at).Elem())
	return f
}

// next copies the next entry of the map into the frame, and returns the addresses of the copied
// key and element, or nil after the last entry. When the frame is full, next begins to overwrite
// it from its beginning.
func (f *mapFrame) next() (key, elem unsafe.Pointer) {
	if !f.iter.Next() {
		return nil, nil
	}
	k, e := f.keys.Index(f.met%f.size), f.elems.Index(f.met%f.size)
	k.SetIterKey(&f.iter)
	e.SetIterValue(&f.iter)
	f.met++
	return unsafe.Pointer(k.UnsafeAddr()), unsafe.Pointer(e.UnsafeAddr())
}

// giveFrame clears and releases the frame that takeFrame returned last.
func (p *plan) giveFrame() {
	p.frame--
	f := p.frames[p.frame]
	f.iter.Reset(reflect.Value{})
	f.keys.Clear()
	f.elems.Clear()
}
