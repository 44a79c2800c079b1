package canon

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"
)

// Copy returns a deep copy of v, which has the hash and the text of v. Copy and
// original share no memory that could be written, except as listed here.
//
// Pointers, maps and slices which lead to one object in v lead to one object
// in the copy, in cycles too, and pointers into an object or a list lead to the
// same place in its copy. Slices whose arrays overlap, counting their
// capacities, overlap alike in the copy; other slices are as long in the copy
// as in v, without spare capacity. What lies between the length and the
// capacity of a slice is not copied, unless another slice shows it.
//
// What Options.Skip leaves out belongs to the World and stays the same value in
// the copy; but a pointer to a struct which embeds such a value, and what the
// struct holds besides, are copied: a layer's Env leads to the copied layer.
// A value which implements it by methods of its own stays: set it anew on entry.
// What else is left out, by a tag or a rule, is copied if its type can be
// walked; otherwise (functions, channels, and what leads to them) the copy has
// the same value. Within a [Summarizer] only those themselves are the same.
//
// Strings, values of error made by errors.New and time zones never change and
// are shared. A lock is not held in the copy. Pointers to package variables
// lead to copies of these.
//
// Copy refuses v as Sum does by its static type. It asks no Summary.
func (w *Walker) Copy(v any) (any, error) { return w.copy(v, false) }

// CopyBare is Copy, but what is left out of the walk, by a tag or a rule, is
// zero in the copy. What Options.Skip leaves out stays. The hashes are equal; a
// node that then behaves in another way depends on what was left out.
func (w *Walker) CopyBare(v any) (any, error) { return w.copy(v, true) }

// copies is the memory of the copies being made.
type copies struct {
	whole, partial map[reflect.Type]*copyPlan // for Copy and CopyBare
	bare           bool                       // CopyBare
	any            [2]*copyPlan               // of type any
	types          dynamicTypes[copyPlan]     // in whole
	bareTypes      dynamicTypes[copyPlan]     // in partial

	root     reflect.Type // accepted
	from, to any
	blocks   []block // in the order in which they were met
	maps     []copiedMap
	blockAt  addressIndex // of blocks
	mapAt    addressIndex // of maps
	groups   []group      // sorted; in the second pass
	spare    bool         // one slice was met twice, and has room to append to
	second   bool         // all memory is known: addresses are translated
	depth    int
	refused  string
}

func newCopies() copies {
	return copies{whole: map[reflect.Type]*copyPlan{}, partial: map[reflect.Type]*copyPlan{}}
}

// block is memory which a pointer or a slice leads to: cap values of one type,
// of which len are copied.
type block struct {
	from     unsafe.Pointer
	to       unsafe.Pointer
	plan     *copyPlan
	len, cap int
}

func (b *block) start() uintptr { return uintptr(b.from) }
func (b *block) end() uintptr   { return uintptr(b.from) + uintptr(b.cap)*b.plan.size }

// copiedMap is a map that was met, and its copy.
type copiedMap struct{ from, to unsafe.Pointer }

func (w *Walker) copy(v any, bare bool) (any, error) {
	if v == nil {
		return nil, nil
	}
	t := reflect.TypeOf(v)
	c := &w.copies
	if c.root != t {
		if _, r := w.plan(t); r != nil {
			return nil, r.under(t)
		}
	}
	c.root, c.bare = t, bare
	set := 0
	if bare {
		set = 1
	}
	if c.any[set] == nil {
		c.any[set] = w.copyPlan(reflect.TypeFor[any]())
	}
	c.from = v
	w.dynamicCopy(c.any[set], unsafe.Pointer(&c.to), unsafe.Pointer(&c.from))
	if c.refused == "" && (c.spare || c.overlap()) {
		c.to = nil
		if c.merge() {
			w.again(c.any[set])
		}
	}
	out, refused := c.to, c.refused
	c.release()
	if refused != "" {
		return nil, fmt.Errorf("canon: cannot copy %s: %s", t, refused)
	}
	return out, nil
}

func (c *copies) release() {
	clear(c.blocks)
	clear(c.maps)
	clear(c.groups)
	c.blocks, c.maps, c.groups = c.blocks[:0], c.maps[:0], c.groups[:0]
	c.from, c.to = nil, nil
	c.spare, c.second, c.depth, c.refused = false, false, 0, ""
	c.blockAt.reset()
	c.mapAt.reset()
}

// steps copies a value of plan cp from one place to another, which is zero, or
// has been copied to from there before.
func (w *Walker) copySteps(cp *copyPlan, to, from unsafe.Pointer) {
	for i := range cp.steps {
		s := &cp.steps[i]
		t, f := unsafe.Add(to, s.off), unsafe.Add(from, s.off)
		switch s.op {
		case copyRaw:
			if s.size == 8 {
				*(*[8]byte)(t) = *(*[8]byte)(f)
			} else {
				copy(unsafe.Slice((*byte)(t), s.size), unsafe.Slice((*byte)(f), s.size))
			}
		case copyString:
			*(*string)(t) = *(*string)(f)
		case copyWord:
			*(*unsafe.Pointer)(t) = *(*unsafe.Pointer)(f)
		case copyHeader:
			*(*[]byte)(t) = *(*[]byte)(f)
		case copyWords:
			*(*words)(t) = *(*words)(f)
		case copyPointer:
			if p := *(*unsafe.Pointer)(f); p != nil {
				*(*unsafe.Pointer)(t) = w.copyObject(s.plan.elem, p)
			}
		case copySlice:
			w.copySlice(s.plan, t, f)
		case copyMap:
			if m := *(*unsafe.Pointer)(f); m != nil {
				*(*unsafe.Pointer)(t) = w.copyMap(s.plan, m)
			}
		case copyDynamic:
			w.dynamicCopy(s.plan, t, f)
		case copyItems:
			w.copyItems(s.plan, t, f, s.count)
		default:
			panic(fmt.Sprintf("macemc bug: canon cannot copy by op %d", s.op))
		}
	}
}

func (w *Walker) copyItems(cp *copyPlan, to, from unsafe.Pointer, n int) {
	switch {
	case cp.raw:
		size := uintptr(n) * cp.size
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
	case len(cp.steps) == 1 && cp.steps[0].op == copyString && cp.size == unsafe.Sizeof(""):
		copy(unsafe.Slice((*string)(to), n), unsafe.Slice((*string)(from), n))
	default:
		for i := range uintptr(n) {
			w.copySteps(cp, unsafe.Add(to, i*cp.size), unsafe.Add(from, i*cp.size))
		}
	}
}

// copyObject returns the copy of what the pointer p, to a type of plan cp,
// leads to.
func (w *Walker) copyObject(cp *copyPlan, p unsafe.Pointer) unsafe.Pointer {
	c := &w.copies
	if c.second {
		return c.translate(p)
	}
	if b := c.find(p, cp, 1); b != nil && b.len == 1 {
		return b.to
	}
	w.prepare(cp)
	to := cp.alloc(1)
	c.add(block{p, to, cp, 1, 1})
	if c.enter() {
		w.copySteps(cp, to, p)
	}
	c.depth--
	return to
}

// enter counts a level of nesting and reports whether it may be entered.
func (c *copies) enter() bool {
	c.depth++
	if c.depth > depthMax {
		c.refused = fmt.Sprintf("it is nested deeper than %d levels", depthMax)
	}
	return c.refused == ""
}

// alloc returns zero memory for n values. The collector must know where there
// are pointers; where there are none, or only strings, any such memory will do.
func (cp *copyPlan) alloc(n int) unsafe.Pointer {
	switch {
	case cp.size == 0 || n == 0:
		return unsafe.Pointer(&nothing)
	case cp.raw:
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, (cp.size*uintptr(n)+7)/8)))
	case n == 1:
		return reflect.New(cp.typ).UnsafePointer()
	case len(cp.steps) == 1 && cp.steps[0].op == copyString && cp.size == unsafe.Sizeof(""):
		return unsafe.Pointer(unsafe.SliceData(make([]string, n)))
	default:
		return reflect.MakeSlice(cp.list, n, n).UnsafePointer()
	}
}

// nothing is where slices without memory lead.
var nothing [0]byte

func (w *Walker) copySlice(cp *copyPlan, to, from unsafe.Pointer) {
	s := *(*[]byte)(from) // its data, length and capacity are those of any slice
	if s == nil {
		return
	}
	c, e := &w.copies, cp.elem
	n, data := len(s), unsafe.Pointer(unsafe.SliceData(s))
	w.prepare(e)
	if cap(s) == 0 || e.size == 0 {
		putSlice(to, unsafe.Pointer(&nothing), n, n)
		return
	}
	if c.second {
		putSlice(to, c.translate(data), n, cap(s))
		return
	}
	if b := c.find(data, e, cap(s)); b != nil && b.len == n {
		c.spare = c.spare || cap(s) > n // what is appended to one may show in the other
		putSlice(to, b.to, n, n)
		return
	}
	copied := e.alloc(n)
	c.add(block{data, copied, e, n, cap(s)})
	if c.enter() {
		w.copyItems(e, copied, data, n)
	}
	c.depth--
	putSlice(to, copied, n, n)
}

// putSlice writes the header of a slice.
func putSlice(to, data unsafe.Pointer, len, cap int) {
	*(*sliceHeader)(to) = sliceHeader{data, len, cap}
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// dynamicCopy copies what the interface of plan cp holds.
func (w *Walker) dynamicCopy(cp *copyPlan, to, from unsafe.Pointer) {
	if w.layout == "" {
		w.dynamicCopyWords(cp, to, from)
		return
	}
	i := reflect.NewAt(cp.typ, from).Elem()
	if i.IsNil() {
		return
	}
	e := w.dynamicCopyPlan(i.Elem().Type())
	o := reflect.NewAt(cp.typ, to).Elem()
	switch {
	case e.shared:
		o.Set(i)
	case e.bare:
		o.Set(reflect.Zero(e.typ))
	default:
		held, copied := reflect.New(e.typ), reflect.New(e.typ)
		held.Elem().Set(i.Elem())
		if w.copies.enter() {
			w.copySteps(e, copied.UnsafePointer(), held.UnsafePointer())
		}
		w.copies.depth--
		o.Set(copied.Elem())
	}
}

func (w *Walker) dynamicCopyWords(cp *copyPlan, to, from unsafe.Pointer) {
	f := *(*words)(from)
	if f.typ == nil {
		return
	}
	types := &w.copies.types
	if cp.leaves {
		types = &w.copies.bareTypes
	}
	d := &types[dynamicSlot(f.typ)]
	if d.typ != f.typ {
		d.typ, d.plan = f.typ, w.dynamicCopyPlan(reflect.NewAt(cp.typ, from).Elem().Elem().Type())
	}
	e := d.plan
	switch {
	case e.shared:
		*(*words)(to) = f
	case e.bare:
		f.data = nil
		if !e.direct {
			f.data = e.alloc(1)
		}
		*(*words)(to) = f
	default:
		if !w.copies.enter() {
			return
		}
		if e.direct {
			(*words)(to).typ = f.typ
			w.copySteps(e, unsafe.Pointer(&(*words)(to).data), unsafe.Pointer(&(*words)(from).data))
		} else {
			box := e.alloc(1)
			w.copySteps(e, box, f.data)
			*(*words)(to) = words{f.typ, box}
		}
		w.copies.depth--
	}
}

// Maps

func (w *Walker) copyMap(cp *copyPlan, m unsafe.Pointer) unsafe.Pointer {
	c := &w.copies
	if to := c.findMap(m); to != nil {
		return to
	}
	w.prepare(cp.elem)
	if !c.enter() {
		c.depth--
		return nil
	}
	defer c.leave()
	if cp.layout == nil || w.layout != "" {
		return w.copyEntries(cp, m)
	}
	return w.copyTables(cp, (*swissMap)(m))
}

func (c *copies) leave() { c.depth-- }

// copyEntries makes a map and puts copies of all entries in.
func (w *Walker) copyEntries(cp *copyPlan, p unsafe.Pointer) unsafe.Pointer {
	m := reflect.NewAt(cp.typ, unsafe.Pointer(&p)).Elem()
	o := reflect.MakeMapWithSize(cp.typ, m.Len())
	w.copies.addMap(p, o.UnsafePointer())
	key, elem := reflect.New(cp.key.typ), reflect.New(cp.elem.typ)
	for it := m.MapRange(); it.Next(); {
		key.Elem().SetIterKey(it)
		elem.Elem().SetIterValue(it)
		k, e := reflect.New(cp.key.typ), reflect.New(cp.elem.typ)
		w.copySteps(cp.key, k.UnsafePointer(), key.UnsafePointer())
		w.copySteps(cp.elem, e.UnsafePointer(), elem.UnsafePointer())
		o.SetMapIndex(k.Elem(), e.Elem())
	}
	return o.UnsafePointer()
}

// copyTables makes a map whose memory is that of m, group by group: its keys
// are the same and so are their hashes, since the seed is.
func (w *Walker) copyTables(cp *copyPlan, m *swissMap) unsafe.Pointer {
	o := &swissMap{seed: m.seed}
	w.copies.addMap(unsafe.Pointer(m), unsafe.Pointer(o))
	if m.used == 0 {
		return unsafe.Pointer(o)
	}
	if m.dirLen == 0 {
		o.dir = w.copyGroups(cp, m.dir, 1)
		o.used = m.used
		return unsafe.Pointer(o)
	}
	dir := make([]*swissTable, m.dirLen)
	for i, t := range unsafe.Slice((**swissTable)(m.dir), m.dirLen) {
		if t.index != i { // see slots.advance
			dir[i] = dir[t.index]
			continue
		}
		n := *t
		n.groups = w.copyGroups(cp, t.groups, t.mask+1)
		dir[i] = &n
	}
	*o = *m
	o.dir = unsafe.Pointer(unsafe.SliceData(dir))
	return unsafe.Pointer(o)
}

func (w *Walker) copyGroups(cp *copyPlan, from unsafe.Pointer, n uint64) unsafe.Pointer {
	l := cp.layout
	size := uintptr(n) * l.groupSize
	if l.flat && !cp.elem.holes {
		to := unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		return to
	}
	var to unsafe.Pointer
	if n == 1 {
		to = reflect.New(l.group).UnsafePointer()
	} else {
		to = reflect.MakeSlice(l.groups, int(n), int(n)).UnsafePointer()
	}
	for at := uintptr(0); at < size; at += l.groupSize {
		g := unsafe.Add(from, at)
		*(*uint64)(unsafe.Add(to, at)) = *(*uint64)(g)
		s := slots{l: l}
		for s.enter(g); s.full != 0; {
			f := s.slot()
			t := unsafe.Add(to, uintptr(f)-uintptr(from))
			w.copySteps(cp.key, t, f)
			w.copySteps(cp.elem, unsafe.Add(t, l.elemAt), unsafe.Add(f, l.elemAt))
		}
	}
	return to
}

// Blocks that overlap

// group is memory of which several blocks are parts.
type group struct {
	start, end uintptr
	to         unsafe.Pointer
}

// overlap reports whether two blocks have memory in common: then pointers were
// met into the middle of another object, and the copy must be made again.
func (c *copies) overlap() bool {
	if len(c.blocks) <= 6 {
		for i := range c.blocks {
			for j := range i {
				if c.blocks[i].start() < c.blocks[j].end() && c.blocks[j].start() < c.blocks[i].end() {
					return true
				}
			}
		}
		return false
	}
	c.sort()
	for i := 1; i < len(c.blocks); i++ {
		if c.blocks[i].start() < c.blocks[i-1].end() {
			return true
		}
	}
	return false
}

// sort orders blocks by address, the longest first.
func (c *copies) sort() {
	slices.SortFunc(c.blocks, func(a, b block) int {
		switch {
		case a.start() < b.start():
			return -1
		case a.start() > b.start():
			return 1
		case a.end() > b.end():
			return -1
		case a.end() < b.end():
			return 1
		}
		return 0
	})
}

// merge makes memory for each group of overlapping blocks.
func (c *copies) merge() bool {
	c.sort()
	for i := 0; i < len(c.blocks); {
		first := &c.blocks[i]
		end, j := first.end(), i+1
		whole := true // the first block contains the others
		for ; j < len(c.blocks) && c.blocks[j].start() < end; j++ {
			if b := &c.blocks[j]; b.end() > end {
				end, whole = b.end(), false
			}
		}
		g := group{start: first.start(), end: end}
		if whole {
			g.to = first.plan.memory(first.cap)
		} else if g.to = union(c.blocks[i:j], g); g.to == nil {
			c.refused = fmt.Sprintf("values of %s lie across others in memory", first.plan.typ)
			return false
		}
		c.groups = append(c.groups, g)
		i = j
	}
	return true
}

// memory is alloc for the second pass, where a single array is a list.
func (cp *copyPlan) memory(n int) unsafe.Pointer {
	if n == 1 {
		return reflect.New(cp.typ).UnsafePointer()
	}
	return reflect.MakeSlice(cp.list, n, n).UnsafePointer()
}

// union makes memory for lists that overlap in part: parts of one array. It
// returns nil if they are not, which only unsafe code achieves.
func union(blocks []block, g group) unsafe.Pointer {
	cp := blocks[0].plan
	typ := cp.typ
	if blocks[0].cap == 1 && typ.Kind() == reflect.Array {
		typ = typ.Elem() // a pointer to an array which was a slice
	}
	size, covered := typ.Size(), g.start
	for i := range blocks {
		b := &blocks[i]
		if b.end() <= covered {
			continue
		}
		if b.plan.typ != typ && !(b.plan.typ.Kind() == reflect.Array && b.plan.typ.Elem() == typ) || (b.start()-g.start)%size != 0 {
			return nil
		}
		covered = b.end()
	}
	n := int((g.end - g.start) / size)
	return reflect.MakeSlice(reflect.SliceOf(typ), n, n).UnsafePointer()
}

// translate returns the place in the copy of a place that the first pass met.
func (c *copies) translate(p unsafe.Pointer) unsafe.Pointer {
	at := uintptr(p)
	i, found := slices.BinarySearchFunc(c.groups, at, func(g group, at uintptr) int {
		switch {
		case g.start > at:
			return 1
		case g.end <= at:
			return -1
		}
		return 0
	})
	if !found {
		panic("macemc bug: canon copies an object that it did not meet before")
	}
	return unsafe.Add(c.groups[i].to, at-c.groups[i].start)
}

// again makes the copy with all memory in place: each block is copied where it
// belongs, and what lies in several blocks is copied alike each time.
func (w *Walker) again(root *copyPlan) {
	c := &w.copies
	clear(c.maps)
	c.maps, c.second = c.maps[:0], true
	c.mapAt.reset()
	for i := range c.blocks {
		b := &c.blocks[i]
		w.copyItems(b.plan, c.translate(b.from), b.from, b.len)
	}
	w.dynamicCopy(root, unsafe.Pointer(&c.to), unsafe.Pointer(&c.from))
}

// What was met

func (c *copies) add(b block) {
	c.blocks = append(c.blocks, b)
	if len(c.blocks) > few {
		c.blockAt.cover(len(c.blocks), func(i int) unsafe.Pointer { return c.blocks[i].from })
	}
}

// find returns the block of one address, type and capacity, or nil.
func (c *copies) find(from unsafe.Pointer, cp *copyPlan, cap int) *block {
	if len(c.blocks) <= few {
		for i := range c.blocks {
			if b := &c.blocks[i]; b.from == from && b.plan == cp && b.cap == cap {
				return b
			}
		}
		return nil
	}
	for i := c.blockAt.first(from); ; i++ {
		at := c.blockAt.at(i)
		if at < 0 {
			return nil
		}
		if b := &c.blocks[at]; b.from == from && b.plan == cp && b.cap == cap {
			return b
		}
	}
}

func (c *copies) addMap(from, to unsafe.Pointer) {
	c.maps = append(c.maps, copiedMap{from, to})
	if len(c.maps) > few {
		c.mapAt.cover(len(c.maps), func(i int) unsafe.Pointer { return c.maps[i].from })
	}
}

func (c *copies) findMap(from unsafe.Pointer) unsafe.Pointer {
	if len(c.maps) <= few {
		for i := range c.maps {
			if c.maps[i].from == from {
				return c.maps[i].to
			}
		}
		return nil
	}
	for i := c.mapAt.first(from); ; i++ {
		at := c.mapAt.at(i)
		if at < 0 {
			return nil
		}
		if c.maps[at].from == from {
			return c.maps[at].to
		}
	}
}

// few is how many entries are searched one by one, without an index.
const few = 8

// addressIndex is an open-addressed table of places in a list, by the addresses
// of its entries. It is empty while the list is short.
type addressIndex struct {
	slots []int32 // a place plus one; 0: none
	used  int
}

func (x *addressIndex) reset() {
	if x.used > 0 {
		clear(x.slots)
		x.used = 0
	}
}

func (x *addressIndex) first(p unsafe.Pointer) int { return int(spread(uintptr(p)) >> 32) }

// at returns the place in slot i, or -1.
func (x *addressIndex) at(i int) int { return int(x.slots[i&(len(x.slots)-1)]) - 1 }

// cover takes the new entries of a list of n in.
func (x *addressIndex) cover(n int, from func(int) unsafe.Pointer) {
	if 2*n > len(x.slots) {
		x.slots = make([]int32, 1<<bits.Len(uint(4*n)))
		x.used = 0
	}
	for ; x.used < n; x.used++ {
		i := x.first(from(x.used))
		for x.at(i) >= 0 {
			i++
		}
		x.slots[i&(len(x.slots)-1)] = int32(x.used + 1)
	}
}
