package canon

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// This file is the walk of sum.go once more, by address instead of by
// reflection, for the same bytes: several times as fast. What is seldom met, a
// refusal too, is left to sum.go. The two are compared by the self-test and, on
// generated values, by the tests.

// fastOp says what the walk does with a part of an object's memory.
type fastOp uint8

const (
	fastRaw fastOp = 1 + iota // size bytes
	fastRaw1
	fastRaw4
	fastRaw8
	fastString
	fastBytes
	fastSlice
	fastItems // an array: size elements of type plan
	fastPointer
	fastDynamic
	fastMap
	fastTime
	fastLock
	fastRWLock
	fastSlow     // sum.go's
	fastRegister // see registerInline
)

// fastStep writes the part at off. visits are those that begin with it, and
// what was passed since the step before.
type fastStep struct {
	op     fastOp
	off    uintptr
	size   uintptr
	visits uint64
	plan   *plan
}

// fastPlan is what the walk does for a type, structs and arrays within it
// included. It depends on which types are pointed to.
type fastPlan struct {
	marks  int // Walker.marks at its compilation
	steps  []fastStep
	inner  int    // 1 if the first step registers the value itself: a pointer has done so
	visits uint64 // after the last step

	size     uintptr
	raw      bool // a single run of bytes without padding
	rawVisit uint64
	text     bool // a single string

	direct bool
	layout *mapLayout   // of maps
	entry  mapEntryKind // of maps
}

// mapEntryKind says how the bytes of a map's entry are got.
type mapEntryKind uint8

const (
	entryWalked  mapEntryKind = iota
	entryRaw                  // key and element are bytes
	entryTouches              // and adjoin
	entryShort                // and are a word or a part of one each, and four bytes or more
)

// dynamicTypes remembers the plans of what interfaces held, by words.typ.
type dynamicTypes[P any] [256]struct {
	typ  unsafe.Pointer
	plan *P
}

func dynamicSlot(typ unsafe.Pointer) uint8 { return uint8(spread(uintptr(typ)) >> 56) }

// fastOf returns the plan of p, which lives in p.
func (w *Walker) fastOf(p *plan) *fastPlan {
	if f := p.fast; f != nil && f.marks == w.marks {
		return f
	}
	f := p.fast
	if f == nil {
		f = &fastPlan{size: p.typ.Size(), direct: p.typ.Kind() != reflect.Interface && direct(p.typ)}
		p.fast = f
	}
	c := fastCompiler{w: w}
	c.add(p, 0)
	f.marks, f.steps, f.visits, f.inner = w.marks, c.steps, c.visits, 0
	f.raw, f.text = false, false
	if len(c.steps) > 0 && c.steps[0].op == fastRegister && c.steps[0].plan == p {
		f.inner = 1
	}
	if len(c.steps) == 1 {
		s := &c.steps[0]
		f.raw = s.isRaw() && s.size == p.typ.Size()
		f.rawVisit = s.visits + c.visits
		f.text = s.op == fastString && p.typ.Size() == unsafe.Sizeof("")
	}
	for i := range c.steps {
		if s := &c.steps[i]; s.op == fastRaw {
			switch s.size {
			case 1:
				s.op = fastRaw1
			case 4:
				s.op = fastRaw4
			case 8:
				s.op = fastRaw8
			}
		}
	}
	if p.op == opMap {
		w.fastMapOf(p, f)
	}
	return f
}

func (s *fastStep) isRaw() bool { return s.op >= fastRaw && s.op <= fastRaw8 }

func (w *Walker) fastMapOf(p *plan, f *fastPlan) {
	if f.layout == nil {
		l := layoutOf(p.typ)
		f.layout = &l
	}
	k, e := w.fastOf(p.key), w.fastOf(p.elem)
	switch {
	case !k.raw || !e.raw || f.layout.keyFar || f.layout.elemFar:
		f.entry = entryWalked
	case f.layout.elemAt == k.size:
		f.entry = entryTouches
	case isWord(k.size) && isWord(e.size) && k.size+e.size >= 4:
		f.entry = entryShort
	default:
		f.entry = entryRaw
	}
}

type fastCompiler struct {
	w      *Walker
	steps  []fastStep
	visits uint64
}

func (c *fastCompiler) step(s fastStep) {
	s.visits = c.visits
	c.steps, c.visits = append(c.steps, s), 0
}

func (c *fastCompiler) bytes(off, size uintptr) {
	if n := len(c.steps); n > 0 {
		// A visit without an identity may be counted early.
		if last := &c.steps[n-1]; last.op == fastRaw && last.off+last.size == off {
			last.size += size
			last.visits += c.visits
			c.visits = 0
			return
		}
	}
	c.step(fastStep{op: fastRaw, off: off, size: size})
}

// add compiles a value of plan p at off.
func (c *fastCompiler) add(p *plan, off uintptr) {
	c.visits++
	if p.pointed {
		c.step(fastStep{op: fastRegister, off: off, plan: p})
	}
	op := fastSlow
	switch p.op {
	case opBool, opInt, opUint, opFloat32, opFloat64, opComplex64, opComplex128:
		c.bytes(off, p.typ.Size())
		return
	case opStruct:
		for i := range p.fields {
			f := &p.fields[i]
			c.add(f.plan, off+p.typ.Field(f.index).Offset)
		}
		return
	case opArray:
		c.array(p, off)
		return
	case opAtomic:
		c.add(p.elem, off+p.typ.Field(p.value).Offset)
		return
	case opOmit:
		return
	case opString:
		op = fastString
	case opBytes:
		if op = fastBytes; p.elem.pointed {
			op = fastSlice
		}
	case opSlice:
		op = fastSlice
	case opPointer:
		op = fastPointer
	case opAtomicPointer:
		op, off = fastPointer, off+p.typ.Field(p.value).Offset
	case opInterface:
		op = fastDynamic
	case opMap:
		op = fastMap
	case opTime:
		op = fastTime
	case opMutex:
		if op = fastLock; p.typ == rwMutexType {
			op = fastRWLock
		}
	}
	c.step(fastStep{op: op, off: off, plan: p})
}

func (c *fastCompiler) array(p *plan, off uintptr) {
	e := c.w.fastOf(p.elem)
	switch n := uintptr(p.typ.Len()); {
	case n == 0:
	case e.raw:
		c.bytes(off, p.typ.Size())
		c.visits += uint64(n) * e.rawVisit
	case n <= unrolled:
		for i := range n {
			c.add(p.elem, off+i*p.elem.typ.Size())
		}
	default:
		c.step(fastStep{op: fastItems, off: off, size: n, plan: p.elem})
	}
}

// fastRoot is encodeRoot, or reports that it must be asked.
func (w *Walker) fastRoot(v any) bool {
	for {
		marks := w.marks
		w.begin()
		b, ok := w.fastRootValue(v, w.buf)
		w.buf, w.walk.busy = b, false
		if !ok {
			return false
		}
		if marks == w.marks {
			break
		}
	}
	for _, n := range w.walk.aliases {
		w.buf = binary.AppendUvarint(w.buf, n)
	}
	return true
}

// fastRootValue is fastDynamic of v, whose own two words have no address.
func (w *Walker) fastRootValue(v any, b []byte) (_ []byte, ok bool) {
	d := &w.types[dynamicSlot((*words)(unsafe.Pointer(&v)).typ)]
	if d.typ == nil || d.typ != (*words)(unsafe.Pointer(&v)).typ || d.plan.op == opOmit || d.plan.op != opPointer && d.plan.fast.direct {
		w.held = v
		b, ok = w.fastDynamic(w.anyPlan(), unsafe.Pointer(&w.held), b)
		w.held = nil
		return b, ok
	}
	b = append(b, markHere)
	b = binary.LittleEndian.AppendUint64(b, d.plan.tag)
	w.walk.depth, w.walk.copied = 1, true
	data := (*words)(unsafe.Pointer(&v)).data
	if d.plan.op == opPointer {
		w.walk.seq++
		b, ok = w.fastPointer(d.plan.elem, data, b)
	} else {
		b, ok = w.fast(w.fastOf(d.plan), data, b)
	}
	runtime.KeepAlive(v)
	return b, ok
}

func (w *Walker) anyPlan() *plan {
	if w.rootPlan == nil {
		w.rootPlan, _ = w.plan(reflect.TypeFor[any]())
	}
	return w.rootPlan
}

// putUvarint appends x as binary.AppendUvarint does.
func putUvarint(b []byte, x uint64) []byte {
	if x < 0x80 {
		return append(b, byte(x))
	}
	return binary.AppendUvarint(b, x)
}

// fast writes the value of plan f at an address. It reports false where
// something is refused: sum.go will say what.
func (w *Walker) fast(f *fastPlan, at unsafe.Pointer, b []byte) ([]byte, bool) {
	return w.fastSteps(f.steps, f.visits, at, b)
}

func (w *Walker) fastSteps(steps []fastStep, visits uint64, at unsafe.Pointer, b []byte) (_ []byte, ok bool) {
	for i := range steps {
		s := &steps[i]
		p := unsafe.Add(at, s.off)
		w.walk.seq += s.visits
		ok = true
		switch s.op {
		case fastRaw:
			b = append(b, unsafe.Slice((*byte)(p), s.size)...)
		case fastRaw1:
			b = append(b, *(*byte)(p))
		case fastRaw4:
			b = binary.LittleEndian.AppendUint32(b, *(*uint32)(p))
		case fastRaw8:
			b = append(b, (*(*[8]byte)(p))[:]...)
		case fastString:
			t := *(*string)(p)
			b = putUvarint(b, uint64(len(t)))
			b = append(b, t...)
		case fastBytes:
			b = w.fastBytes(*(*[]byte)(p), b)
		case fastSlice:
			b, ok = w.fastSlice(s.plan, p, b)
		case fastItems:
			b, ok = w.fastItems(s.plan, p, int(s.size), b)
		case fastPointer:
			b, ok = w.fastPointer(s.plan.elem, *(*unsafe.Pointer)(p), b)
		case fastDynamic:
			b, ok = w.fastDynamic(s.plan, p, b)
		case fastMap:
			b, ok = w.fastMap(s.plan, *(*unsafe.Pointer)(p), b)
		case fastTime:
			b = fastTimeOf((*time.Time)(p), b)
		case fastLock:
			ok = unheld((*sync.Mutex)(p))
		case fastRWLock:
			ok = unheld((*sync.RWMutex)(p))
		case fastSlow:
			b, ok = w.slow(s.plan, p, b)
		case fastRegister:
			if !w.walk.copied {
				w.registerInline(s.plan, uintptr(p))
			}
		}
		if !ok {
			return b, false
		}
	}
	w.walk.seq += visits
	return b, true
}

// slow leaves a value whose visit has begun to sum.go.
func (w *Walker) slow(p *plan, at unsafe.Pointer, b []byte) ([]byte, bool) {
	w.buf = b
	r := w.encodeSummary(p, reflect.NewAt(p.typ, at).Elem())
	return w.buf, r == nil
}

func fastTimeOf(t *time.Time, b []byte) []byte {
	b = append(b, (*(*[16]byte)(unsafe.Pointer(t)))[:]...)
	loc := t.Location().String()
	b = putUvarint(b, uint64(len(loc)))
	return append(b, loc...)
}

func unheld(l interface {
	sync.Locker
	TryLock() bool
}) bool {
	if !l.TryLock() {
		return false
	}
	l.Unlock()
	return true
}

func (w *Walker) fastBytes(s, b []byte) []byte {
	if s == nil {
		return append(b, markNil)
	}
	b = putUvarint(append(b, markHere), uint64(len(s)))
	w.walk.seq += uint64(len(s))
	return append(b, s...)
}

func (w *Walker) fastSlice(p *plan, at unsafe.Pointer, b []byte) ([]byte, bool) {
	s := *(*[]byte)(at) // its data and length are those of any slice
	if s == nil {
		return append(b, markNil), true
	}
	b = putUvarint(append(b, markHere), uint64(len(s)))
	copied := w.walk.copied
	w.walk.copied = false
	w.walk.depth++
	ok := w.walk.depth <= depthMax
	if ok {
		b, ok = w.fastItems(p.elem, unsafe.Pointer(unsafe.SliceData(s)), len(s), b)
	}
	w.walk.copied = copied
	w.walk.depth--
	return b, ok
}

// fastItems writes n values of plan p that follow each other.
func (w *Walker) fastItems(p *plan, at unsafe.Pointer, n int, b []byte) ([]byte, bool) {
	f := w.fastOf(p)
	switch {
	case f.raw:
		w.walk.seq += uint64(n) * f.rawVisit
		return append(b, unsafe.Slice((*byte)(at), uintptr(n)*f.size)...), true
	case f.text:
		w.walk.seq += uint64(n) * f.rawVisit
		for _, s := range unsafe.Slice((*string)(at), n) {
			b = putUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
		return b, true
	}
	for i := range uintptr(n) {
		var ok bool
		if b, ok = w.fast(f, unsafe.Add(at, i*f.size), b); !ok {
			return b, false
		}
	}
	return b, true
}

// fastPointer writes what q, a pointer to a value of plan e, leads to.
func (w *Walker) fastPointer(e *plan, q unsafe.Pointer, b []byte) ([]byte, bool) {
	s := &w.walk
	if s.inKey {
		return b, false
	}
	if q == nil {
		return append(b, markNil), true
	}
	f := w.fastOf(e)
	steps := f.steps
	if f.size > 0 {
		seen := w.refs.find(uintptr(q), e)
		if seen != nil {
			return putUvarint(append(b, markAgain), seen.seq), true
		}
		w.refs.insert(uintptr(q), e, s.seq+1, true)
		if f.inner > 0 {
			s.seq += steps[0].visits
			steps = steps[1:]
		}
	}
	b = append(b, markHere)
	copied := s.copied
	s.copied = false
	s.depth++
	ok := s.depth <= depthMax
	if ok {
		b, ok = w.fastSteps(steps, f.visits, q, b)
	}
	s.copied = copied
	s.depth--
	return b, ok
}

// fastDynamic writes what the interface of plan p holds, with its type.
func (w *Walker) fastDynamic(p *plan, at unsafe.Pointer, b []byte) ([]byte, bool) {
	v := *(*words)(at)
	if v.typ == nil {
		return append(b, markNil), true
	}
	d := &w.types[dynamicSlot(v.typ)]
	if d.typ != v.typ {
		e, r := w.dynamicPlan(&dyn{}, reflect.NewAt(p.typ, at).Elem().Elem().Type())
		if r != nil {
			return b, false
		}
		d.typ, d.plan = v.typ, e
	}
	e := d.plan
	if e.op == opOmit {
		return append(b, markOmit), true
	}
	b = append(b, markHere)
	b = binary.LittleEndian.AppendUint64(b, e.tag)
	f := w.fastOf(e)
	value := v.data
	if f.direct {
		value = unsafe.Add(at, unsafe.Offsetof(v.data))
	}
	copied := w.walk.copied
	w.walk.copied = true
	w.walk.depth++
	ok := w.walk.depth <= depthMax
	if ok {
		b, ok = w.fast(f, value, b)
	}
	w.walk.copied = copied
	w.walk.depth--
	return b, ok
}

// fastMap writes the map m of plan p.
func (w *Walker) fastMap(p *plan, m unsafe.Pointer, b []byte) ([]byte, bool) {
	if m == nil {
		return append(b, markNil), true
	}
	if !w.walk.inKey {
		seen := w.refs.find(uintptr(m), p)
		if seen != nil {
			return putUvarint(append(b, markAgain), seen.seq), true
		}
		w.refs.insert(uintptr(m), p, w.walk.seq, true)
	}
	n := (*swissMap)(m).used
	b = putUvarint(append(b, markHere), n)
	if n == 0 {
		return b, true
	}
	f := w.fastOf(p)
	copied := w.walk.copied
	w.walk.copied = true
	w.walk.depth++
	ok := w.walk.depth <= depthMax
	if ok {
		if p.key.plain && p.elem.plain {
			b, ok = w.fastMapSum(p, f, (*swissMap)(m), b)
		} else {
			b, ok = w.fastMapSorted(p, f, (*swissMap)(m), b)
		}
	}
	w.walk.copied = copied
	w.walk.depth--
	return b, ok
}

// fastMapSum is encodeMapSum.
func (w *Walker) fastMapSum(p *plan, f *fastPlan, m *swissMap, b []byte) ([]byte, bool) {
	k, e := w.fastOf(p.key), w.fastOf(p.elem)
	var sum Hash
	var s slots
	s.begin(m, f.layout)
	n, ok := uint64(0), true
	l := f.layout
	switch f.entry {
	case entryTouches:
		size := k.size + e.size
		for s.full != 0 || s.advance() {
			sum = sum.Add(ofBytes(unsafe.Slice((*byte)(s.take()), size)))
			n++
		}
		w.walk.seq += n * (k.rawVisit + e.rawVisit)
	case entryShort:
		for s.full != 0 || s.advance() {
			slot := s.take()
			sum = sum.Add(ofPair(word(slot, k.size), word(unsafe.Add(slot, l.elemAt), e.size), k.size, e.size))
			n++
		}
		w.walk.seq += n * (k.rawVisit + e.rawVisit)
	case entryRaw:
		start := len(b)
		for s.full != 0 || s.advance() {
			slot := s.take()
			b = append(b[:start], unsafe.Slice((*byte)(slot), k.size)...)
			b = append(b, unsafe.Slice((*byte)(unsafe.Add(slot, l.elemAt)), e.size)...)
			sum = sum.Add(ofBytes(b[start:]))
			n++
		}
		b = b[:start]
		w.walk.seq += n * (k.rawVisit + e.rawVisit)
	default:
		start := len(b)
		for slot := s.slot(); slot != nil && ok; slot = s.slot() {
			if b, ok = w.fast(k, l.key(slot), b); ok {
				b, ok = w.fast(e, l.elem(slot), b)
			}
			sum = sum.Add(ofBytes(b[start:]))
			b = b[:start]
			n++
		}
	}
	b = binary.LittleEndian.AppendUint64(b, sum.Hi)
	return binary.LittleEndian.AppendUint64(b, sum.Lo), ok && n == m.used
}

// fastEntry is an entry of a map which is being sorted.
type fastEntry struct {
	prefix   uint64 // the first bytes of the key's encoding, as a number
	from, to int    // the encoding, in Walker.keys
	elem     unsafe.Pointer
}

// fastMapSorted is encodeMapSorted. Entries lie on a stack, since maps nest.
func (w *Walker) fastMapSorted(p *plan, f *fastPlan, m *swissMap, b []byte) ([]byte, bool) {
	first, firstKey := len(w.entries), len(w.keys)
	b, ok := w.fastOrder(p, f, m, b, first)
	e := w.fastOf(p.elem)
	for i := first; ok && i < first+int(m.used); i++ {
		entry := w.entries[i] // the stack may move
		b = append(b, w.keys[entry.from:entry.to]...)
		b, ok = w.fast(e, entry.elem, b)
	}
	clear(w.entries[first:])
	w.entries, w.keys = w.entries[:first], w.keys[:firstKey]
	return b, ok
}

// fastOrder puts the entries on the stack, sorted by the encodings of the keys.
// It reports false if two of them are the same.
func (w *Walker) fastOrder(p *plan, f *fastPlan, m *swissMap, b []byte, first int) ([]byte, bool) {
	k := w.fastOf(p.key)
	start, inKey := len(b), w.walk.inKey
	w.walk.inKey = true
	var s slots
	s.begin(m, f.layout)
	ok := true
	for slot := s.slot(); slot != nil && ok; slot = s.slot() {
		b, ok = w.fast(k, f.layout.key(slot), b)
		from := len(w.keys)
		w.keys = append(w.keys, b[start:]...)
		w.entries = append(w.entries, fastEntry{prefixOf(b[start:]), from, len(w.keys), f.layout.elem(slot)})
		b = b[:start]
	}
	w.walk.inKey = inKey
	if !ok {
		return b, false
	}
	all := w.entries[first:]
	if len(all) <= 12 {
		for i := 1; i < len(all); i++ {
			for j := i; j > 0 && w.order(all[j], all[j-1]) < 0; j-- {
				all[j], all[j-1] = all[j-1], all[j]
			}
		}
	} else {
		slices.SortFunc(all, w.order)
	}
	for i := 1; i < len(all); i++ {
		if w.order(all[i-1], all[i]) == 0 {
			return b, false
		}
	}
	return b, uint64(len(all)) == m.used
}

func (w *Walker) order(a, b fastEntry) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	}
	return bytes.Compare(w.keys[a.from:a.to], w.keys[b.from:b.to])
}

// prefixOf returns the first eight bytes as a number that orders as they do.
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
