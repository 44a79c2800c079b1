package canon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"macemc/internal/canon/fast"
)

// Pack writes v as bytes, from which [Walker.Unpack] makes the same copy as Copy: objects that
// are shared in v are shared in the copy, cycles included. The bytes are valid until the next
// call. Pack returns nil and a reason for values that Copy refuses, and for values with method
// values, with fields that are made again, with maps whose keys hold pointers or are large, or
// with slices or pointers into overlapping memory. The caller keeps such values as they are.
//
// Packed bytes are valid in one process and with one Pool. Equal values mostly have equal bytes.
func (w *Walker) Pack(p *Pool, v any) (packed []byte, why string) {
	c := &w.copies
	if v == nil || !c.known {
		return nil, "what interfaces and maps are in memory is not known"
	}
	if r := c.accept(reflect.TypeOf(v)); r != nil {
		return nil, r.under(reflect.TypeOf(v)).Error()
	}
	k := &w.packs
	k.begin(c, p)
	c.begin(v)
	k.dynamic(c.any, unsafe.Pointer(&c.from))
	if why = c.refused; why == "" && (c.spare || c.overlap()) {
		why = "its slices or pointers lead to memory that overlaps"
	}
	c.release()
	k.release()
	if why != "" {
		return nil, why
	}
	return k.buf, ""
}

// packer is the state of Pack. The lists of blocks and maps in copies have what was met so far;
// their copies are not used.
type packer struct {
	*copies
	pool    *Pool
	buf     []byte
	keys    []byte
	entries []packedEntry // a stack, since maps nest
}

// packedEntry is an entry of a map whose entries are being sorted. packer.keys has its packed key,
// between from and to.
type packedEntry struct {
	from, to int
	elem     unsafe.Pointer
}

// A pointer, a slice or a map begins with one of these numbers. packAgain plus k is the k-th block,
// or the k-th map, that was met before.
const (
	packNil = iota
	packHere
	packEmpty // a slice without memory
	packAgain
)

func (k *packer) begin(c *copies, p *Pool) { k.copies, k.pool, k.buf = c, p, k.buf[:0] }

// begin sets the root of the walk.
func (c *copies) begin(v any) { c.from = v }

// refuse records why the value cannot be copied or packed. Only the first reason counts.
func (c *copies) refuse(why string) {
	if c.refused == "" {
		c.refused = why
	}
}

// twice records that a slice was met a second time. If room is true, the slice has spare capacity,
// which then counts as shared memory: a value that is appended to one of the two slices may appear
// in the other.
func (c *copies) twice(room bool) { c.spare = c.spare || room }

// release forgets the value that was packed last.
func (k *packer) release() {
	clear(k.entries[:cap(k.entries)])
	k.entries, k.keys = k.entries[:0], k.keys[:0]
}

func (k *packer) refuse(format string, args ...any) {
	k.copies.refuse(fmt.Sprintf(format, args...))
}

func (k *packer) uvarint(x uint64) { k.buf = putUvarint(k.buf, x) }

func (k *packer) constant(c constant) {
	n, ok := k.pool.number(c)
	if !ok {
		k.refuse("it has more values in common with other values than a Pool keeps")
	}
	k.uvarint(uint64(n))
}

func (k *packer) steps(cp *copyPlan, from unsafe.Pointer) {
	for i := range cp.steps {
		s := &cp.steps[i]
		f := unsafe.Add(from, s.off)
		switch s.op {
		case copyRaw:
			k.buf = append(k.buf, unsafe.Slice((*byte)(f), s.size)...)
		case copyString:
			k.string(*(*string)(f))
		case copyWord:
			k.constant(constant{a: *(*unsafe.Pointer)(f)})
		case copyHeader:
			h := *(*sliceHeader)(f)
			k.constant(constant{a: h.data, len: h.len, cap: h.cap})
		case copyWords:
			k.constant(constantOf(f))
		case copyPointer:
			k.object(s.plan.elem, *(*unsafe.Pointer)(f))
		case copySlice:
			k.slice(s.plan.elem, f)
		case copyMap:
			k.mapOf(s.plan, *(*unsafe.Pointer)(f))
		case copyInterface:
			k.dynamic(s.plan, f)
		case copyItems:
			k.items(s.plan, f, s.count)
		case copyFunction:
			k.function(s, *(*unsafe.Pointer)(f))
		case copyMade:
			k.refuse("a field of it is made again in each copy")
		default:
			panic(fmt.Sprintf("macemc bug: canon cannot pack by op %d", s.op))
		}
	}
}

// constantOf returns the two words of the interface at an address, as a constant of a Pool.
func constantOf(at unsafe.Pointer) constant {
	words := (*fast.Words)(at)
	return constant{a: words.Type, b: words.Data}
}

// string writes s: its number in the pool, with the lowest bit set, or its length, with that bit
// clear, and its bytes.
func (k *packer) string(s string) {
	if n, ok := k.pool.pooled(s); ok {
		k.uvarint(uint64(n)<<1 | 1)
		return
	}
	k.uvarint(uint64(len(s)) << 1)
	k.buf = append(k.buf, s...)
}

func (k *packer) items(cp *copyPlan, from unsafe.Pointer, n int) {
	cp.prepare(k.copies)
	if cp.raw {
		k.buf = append(k.buf, unsafe.Slice((*byte)(from), uintptr(n)*cp.size)...)
		return
	}
	for i := range uintptr(n) {
		k.steps(cp, unsafe.Add(from, i*cp.size))
	}
}

// object writes the object at p, whose plan is cp, or its number if it was met before.
func (k *packer) object(cp *copyPlan, p unsafe.Pointer) {
	if p == nil {
		k.uvarint(packNil)
		return
	}
	if b := k.find(p, cp, 1); b != nil && b.len == 1 {
		k.again(b)
		return
	}
	k.uvarint(packHere)
	cp.prepare(k.copies)
	k.add(block{p, nil, cp, 1, 1})
	if k.enter() {
		k.steps(cp, p)
	}
	k.leave()
}

// again writes the number of the block b, which was met before.
func (k *packer) again(b *block) {
	number := (uintptr(unsafe.Pointer(b)) - uintptr(unsafe.Pointer(&k.blocks[0]))) / unsafe.Sizeof(*b)
	k.uvarint(packAgain + uint64(number))
}

// slice writes the slice at an address, whose elements have plan e.
func (k *packer) slice(e *copyPlan, from unsafe.Pointer) {
	s := *(*sliceHeader)(from)
	switch {
	case s.data == nil:
		k.uvarint(packNil)
		return
	case s.cap == 0 || e.size == 0:
		k.uvarint(packEmpty)
		k.uvarint(uint64(s.len))
		return
	}
	if b := k.find(s.data, e, s.cap); b != nil && b.len == s.len {
		k.twice(s.cap > s.len)
		k.again(b)
		return
	}
	k.uvarint(packHere)
	k.uvarint(uint64(s.len))
	k.add(block{s.data, nil, e, s.len, s.cap})
	if k.enter() {
		k.items(e, s.data, s.len)
	}
	k.leave()
}

// function writes the function value f. It must have no variables, or be one that a rule declares
// immutable.
func (k *packer) function(s *copyStep, f unsafe.Pointer) {
	if f != nil {
		if way := k.funcWay(k.code(s.plan, f)); way.plan != nil || way.refused != "" && (!s.fixed || way.unseen) {
			k.refuse("%s is a function with variables", s.plan.typ)
		}
	}
	k.constant(constant{a: f})
}

// dynamic writes the type and the value that the interface at from holds. cp is the plan of the
// interface.
func (k *packer) dynamic(cp *copyPlan, from unsafe.Pointer) {
	words := (*fast.Words)(from)
	if k.constant(constant{a: words.Type}); words.Type == nil {
		return
	}
	switch e := k.held(cp, from); {
	case e.shared && !e.boxed:
		k.constant(constant{a: words.Data})
	case !k.enter():
		k.leave()
	case e.direct:
		k.steps(e, unsafe.Pointer(&words.Data))
		k.leave()
	default:
		k.steps(e, words.Data)
		k.leave()
	}
}

// held returns the plan of the value in the interface at an address. cp is the plan of the
// interface.
func (c *copies) held(cp *copyPlan, at unsafe.Pointer) *copyPlan {
	words := (*fast.Words)(at)
	d := &c.types[fast.Place(words.Type)]
	if d.Type != words.Type {
		e := c.dynamicCopyPlan(reflect.NewAt(cp.typ, at).Elem().Elem().Type())
		e.direct = fast.Direct(e.typ)
		d.Type, d.Of = words.Type, e
	}
	return d.Of
}

// mapOf writes the map m, whose plan is cp. Its entries are in the order of their packed keys.
func (k *packer) mapOf(cp *copyPlan, m unsafe.Pointer) {
	switch at := k.mapMet(m); {
	case m == nil:
		k.uvarint(packNil)
		return
	case at >= 0:
		k.uvarint(packAgain + uint64(at))
		return
	case cp.layout == nil:
		k.refuse("%s has keys that hold pointers, or large entries", cp.typ)
		return
	}
	k.addMap(m, nil)
	k.uvarint(packHere)
	k.uvarint(uint64((*fast.Map)(m).Len()))
	if k.enter() {
		k.sorted(cp, m)
	}
	k.leave()
}

func (k *packer) sorted(cp *copyPlan, m unsafe.Pointer) {
	first, keys := len(k.entries), len(k.keys)
	var s fast.Slots
	for s.Begin((*fast.Map)(m), cp.layout); s.More(); {
		key, elem := s.Take()
		start := len(k.buf)
		k.steps(cp.key, key)
		from := len(k.keys)
		k.keys = append(k.keys, k.buf[start:]...)
		k.buf = k.buf[:start]
		k.entries = append(k.entries, packedEntry{from, len(k.keys), elem})
	}
	slices.SortFunc(k.entries[first:], func(a, b packedEntry) int {
		return bytes.Compare(k.keys[a.from:a.to], k.keys[b.from:b.to])
	})
	cp.elem.prepare(k.copies)
	for i, last := first, len(k.entries); i < last; i++ {
		e := k.entries[i] // the stack may move
		k.buf = append(k.buf, k.keys[e.from:e.to]...)
		k.steps(cp.elem, e.elem)
	}
	k.entries, k.keys = k.entries[:first], k.keys[:keys]
}

// Unpack returns a copy of the value that Pack has written as these bytes, with the same Pool.
func (w *Walker) Unpack(p *Pool, packed []byte) (v any) {
	u := &w.unpacks
	u.begin(&w.copies, p, packed)
	u.dynamic(u.any, unsafe.Pointer(&v))
	u.release()
	if len(u.rest) > 0 {
		panic("macemc bug: canon has not read all of a packed value")
	}
	return v
}

// unpacker reads packed bytes.
type unpacker struct {
	*copies
	pool *Pool
	rest []byte
	made []memoryMade // by the numbers of blocks
	maps []unsafe.Pointer
}

// memoryMade is the memory of an object, or that of the n values of a slice, which unpacking has
// made.
type memoryMade struct {
	at unsafe.Pointer
	n  int
}

func (u *unpacker) begin(c *copies, p *Pool, packed []byte) { u.copies, u.pool, u.rest = c, p, packed }

// release forgets the value that was unpacked last.
func (u *unpacker) release() {
	clear(u.made)
	clear(u.maps)
	u.made, u.maps = u.made[:0], u.maps[:0]
}

func (u *unpacker) uvarint() uint64 {
	if x := u.rest[0]; x < 0x80 {
		u.rest = u.rest[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(u.rest)
	u.rest = u.rest[n:]
	return x
}

func (u *unpacker) constant() constant { return u.pool.constant(uint32(u.uvarint())) }

func (u *unpacker) bytes(n int) (b []byte) {
	b, u.rest = u.rest[:n], u.rest[n:]
	return b
}

func (u *unpacker) steps(cp *copyPlan, to unsafe.Pointer) {
	for i := range cp.steps {
		s := &cp.steps[i]
		t := unsafe.Add(to, s.off)
		switch s.op {
		case copyRaw:
			copy(unsafe.Slice((*byte)(t), s.size), u.bytes(int(s.size)))
		case copyString:
			*(*string)(t) = u.string()
		case copyWord, copyFunction:
			*(*unsafe.Pointer)(t) = u.constant().a
		case copyHeader:
			if c := u.constant(); c.a != nil {
				putSlice(t, c.a, c.len, c.cap)
			}
		case copyWords:
			c := u.constant()
			*(*fast.Words)(t) = fast.Words{Type: c.a, Data: c.b}
		case copyPointer:
			*(*unsafe.Pointer)(t) = u.object(s.plan.elem)
		case copySlice:
			u.slice(s.plan.elem, t)
		case copyMap:
			*(*unsafe.Pointer)(t) = u.mapOf(s.plan)
		case copyInterface:
			u.dynamic(s.plan, t)
		case copyItems:
			u.items(s.plan, t, s.count)
		default:
			panic(fmt.Sprintf("macemc bug: canon has packed by op %d", s.op))
		}
	}
}

func (u *unpacker) string() string {
	n := u.uvarint()
	if n&1 != 0 {
		return u.pool.stringOf(uint32(n >> 1))
	}
	return string(u.bytes(int(n >> 1)))
}

func (u *unpacker) items(cp *copyPlan, to unsafe.Pointer, n int) {
	cp.prepare(u.copies)
	if cp.raw {
		size := n * int(cp.size)
		copy(unsafe.Slice((*byte)(to), size), u.bytes(size))
		return
	}
	for i := range uintptr(n) {
		u.steps(cp, unsafe.Add(to, i*cp.size))
	}
}

func (u *unpacker) object(cp *copyPlan) unsafe.Pointer {
	switch n := u.uvarint(); n {
	case packNil:
		return nil
	case packHere:
		cp.prepare(u.copies)
		to := cp.alloc(1)
		u.made = append(u.made, memoryMade{to, 1})
		u.steps(cp, to)
		return to
	default:
		return u.made[n-packAgain].at
	}
}

func (u *unpacker) slice(e *copyPlan, to unsafe.Pointer) {
	switch n := u.uvarint(); n {
	case packNil:
	case packEmpty:
		n := int(u.uvarint())
		putSlice(to, unsafe.Pointer(&nothing), n, n)
	case packHere:
		n := int(u.uvarint())
		e.prepare(u.copies)
		list := e.alloc(n)
		u.made = append(u.made, memoryMade{list, n})
		u.items(e, list, n)
		putSlice(to, list, n, n)
	default:
		m := u.made[n-packAgain]
		putSlice(to, m.at, m.n, m.n)
	}
}

func (u *unpacker) dynamic(cp *copyPlan, to unsafe.Pointer) {
	c := u.constant()
	if c.a == nil {
		return
	}
	*(*fast.Words)(to) = fast.Words{Type: c.a, Data: unsafe.Pointer(&nothing)} // an interface with this type, so that its type can be read
	var data unsafe.Pointer
	switch e := u.held(cp, to); {
	case e.shared && !e.boxed:
		data = u.constant().a
	case e.direct:
		u.steps(e, unsafe.Pointer(&data))
	default:
		data = e.alloc(1)
		u.steps(e, data)
	}
	*(*fast.Words)(to) = fast.Words{Type: c.a, Data: data}
}

func (u *unpacker) mapOf(cp *copyPlan) unsafe.Pointer {
	switch n := u.uvarint(); n {
	case packNil:
		return nil
	case packHere:
		n := int(u.uvarint())
		m := reflect.MakeMapWithSize(cp.typ, n)
		u.maps = append(u.maps, m.UnsafePointer())
		cp.elem.prepare(u.copies)
		key, elem := reflect.New(cp.key.typ).Elem(), reflect.New(cp.elem.typ).Elem()
		for range n {
			key.SetZero()
			elem.SetZero()
			u.steps(cp.key, key.Addr().UnsafePointer())
			u.steps(cp.elem, elem.Addr().UnsafePointer())
			m.SetMapIndex(key, elem)
		}
		return m.UnsafePointer()
	default:
		return u.maps[n-packAgain]
	}
}
