package canon

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// The first byte in the encoding of a value that may be absent.
const (
	markNil   = iota // nil
	markHere         // the value's encoding follows
	markAgain        // the object was visited before; the number of that visit follows
	markOmit         // the value is left out
	markPlain        // the summary has the type of the value; its fields follow
)

// encodeRoot writes the encoding of the root v into w.buf. An inline value (one that lies inside another value)
// must be registered if pointers to its type exist. If a walk first learns of such a pointer type after it has
// passed an inline value of the type, encodeRoot walks v again from the start, with all plans compiled.
func (w *Walker) encodeRoot(v any) error {
	for {
		marks := w.marks
		w.begin()
		if w.now != nil {
			w.walk.count(w.now(v))
		}
		b, r := w.encodeAny(v, w.buf)
		w.buf, w.walk.busy = b, false
		if r != nil {
			return r.under(reflect.TypeOf(v))
		}
		if marks == w.marks {
			break
		}
	}
	// The encoding delimits itself, so the aliases that follow it are unambiguous.
	for _, n := range w.walk.aliases {
		w.buf = binary.AppendUvarint(w.buf, n)
	}
	return nil
}

func (w *Walker) begin() {
	s := &w.walk
	if s.busy {
		w.releaseScratch()
	}
	if len(s.keep) > 0 {
		clear(s.keep)
		s.keep = s.keep[:0]
	}
	s.aliases = s.aliases[:0]
	s.walkFlags = walkFlags{busy: true}
	w.buf = w.buf[:0]
	w.refs.reset()
}

// releaseScratch releases the scratch memory of a walk that a panic of a Summary method has ended.
func (w *Walker) releaseScratch() {
	for _, plans := range []map[reflect.Type]*plan{w.plans, w.plains} {
		for _, p := range plans {
			p.copies.used, p.frame = 0, 0
		}
	}
	w.held = nil
	clear(w.entries)
	w.entries, w.keys = w.entries[:0], w.keys[:0]
}

// encodeHeld appends the encoding of v to b. It stores v in w meanwhile, since the walk reads the two words
// of an interface from memory.
func (w *Walker) encodeHeld(v any, b []byte) ([]byte, *refusal) {
	w.held = v
	b, r := w.encodeDynamic(w.anyPlan(), unsafe.Pointer(&w.held), b)
	w.held = nil
	return b, r
}

func (w *Walker) anyPlan() *plan {
	if w.rootPlan == nil {
		w.rootPlan, _ = w.plan(reflect.TypeFor[any]())
	}
	return w.rootPlan
}

// putUvarint is binary.AppendUvarint, but faster for small numbers.
func putUvarint(b []byte, x uint64) []byte {
	if x < 0x80 {
		return append(b, byte(x))
	}
	return binary.AppendUvarint(b, x)
}

func put64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// encode appends to b the encoding of the value at an address, whose track is f, beginning with the step
// from.
//
// Each value counts as a visit in w.walk.seq, whether or not it is registered. So the number of a visit
// depends on the root alone, and not on the plans that this Walker has.
func (w *Walker) encode(f *track, from int, at unsafe.Pointer, b []byte) (_ []byte, r *refusal) {
	steps := f.steps // a new track may be laid during the walk, which then starts again
	for i := from; i < len(steps); i++ {
		s := &steps[i]
		p := unsafe.Add(at, s.off)
		w.walk.visit(uint64(s.visits))
		r = nil
		switch s.op {
		case stepRaw:
			b = append(b, unsafe.Slice((*byte)(p), s.size)...)
		case stepRaw1:
			b = append(b, *(*byte)(p))
		case stepRaw4:
			b = append(b, (*(*[4]byte)(p))[:]...)
		case stepRaw8:
			b = append(b, (*(*[8]byte)(p))[:]...)
		case stepSwapped:
			for i := range s.size {
				b = append(b, *(*byte)(unsafe.Add(p, s.size-1-i)))
			}
		case stepString:
			t := *(*string)(p)
			b = putUvarint(b, uint64(len(t)))
			b = append(b, t...)
		case stepBytes:
			b = w.encodeBytes(*(*[]byte)(p), b)
		case stepSlice:
			b, r = w.encodeSlice(s.plan, p, b)
		case stepItems:
			b, r = w.encodeItems(s.plan, p, int(s.size), b)
		case stepPointer:
			b, r = w.encodePointer(s.plan, *(*unsafe.Pointer)(p), b)
		case stepDynamic:
			b, r = w.encodeDynamic(s.plan, p, b)
		case stepMap:
			b, r = w.encodeMap(s.plan, p, b)
		case stepTime:
			b = w.encodeTime(p, b)
		case stepLock:
			r = checkUnheld(s.plan, (*sync.Mutex)(p))
		case stepRWLock:
			r = checkUnheld(s.plan, (*sync.RWMutex)(p))
		case stepSummary:
			b, r = w.encodeSummary(s.plan, p, b)
		case stepContent:
			b, r = w.encodeContent(s.plan, p, b)
		case stepName:
			b = binary.LittleEndian.AppendUint32(b, w.names.of(*(*uint32)(p)))
		case stepRegister:
			if !w.walk.copied {
				w.registerInline(s.plan, uintptr(p))
			}
		default:
			panic(fmt.Sprintf("macemc bug: canon has no encoding for step %d", s.op))
		}
		if r != nil {
			return b, s.place.name(r)
		}
	}
	w.walk.visit(f.visits)
	return b, nil
}

// wallAt and extAt are the offsets of the two clock words of a time.Time.
var wallAt, extAt = timeType.Field(0).Offset, timeType.Field(1).Offset

// encodeTime appends the encoding of the time.Time at an address: its distance from the present if there is
// one, and otherwise its two clock words and the name of its location.
func (w *Walker) encodeTime(at unsafe.Pointer, b []byte) []byte {
	if t := (*time.Time)(at); w.walk.relative {
		if t.IsZero() {
			return append(b, markNil)
		}
		return put64(append(b, markHere), uint64(t.Sub(w.walk.present)))
	}
	b = put64(b, *(*uint64)(unsafe.Add(at, wallAt)))
	b = put64(b, *(*uint64)(unsafe.Add(at, extAt)))
	loc := (*time.Time)(at).Location().String()
	b = putUvarint(b, uint64(len(loc)))
	return append(b, loc...)
}

// checkUnheld refuses the lock l if it is held. It finds out by trying to lock it, since the meaning of a
// lock's words in memory is not documented.
func checkUnheld(p *plan, l interface {
	sync.Locker
	TryLock() bool
}) *refusal {
	if !l.TryLock() {
		return refuse(p.typ, "it is held, and the goroutines that wait for it are not part of the state", "unlock it before the handler returns")
	}
	l.Unlock()
	return nil
}

// tooDeep returns the refusal of a value, inside of t, that is nested too deeply.
func tooDeep(t reflect.Type) *refusal {
	return refuse(t, fmt.Sprintf("it is nested deeper than %d levels", depthMax), "look for a slice which contains itself")
}

// Lists

// encodeBytes appends the byte slice s to b. Each byte counts as a visit.
func (w *Walker) encodeBytes(s, b []byte) []byte {
	if s == nil {
		return append(b, markNil)
	}
	b = putUvarint(append(b, markHere), uint64(len(s)))
	w.walk.visit(uint64(len(s)))
	return append(b, s...)
}

func (w *Walker) encodeSlice(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	list := *(*[]byte)(at) // data and length lie in the same places for every slice type
	if list == nil {
		return append(b, markNil), nil
	}
	b = putUvarint(append(b, markHere), uint64(len(list)))
	s := &w.walk
	if s.depth == depthMax {
		return b, tooDeep(p.typ)
	}
	before := s.down(false)
	b, r := w.encodeItems(p.elem, unsafe.Pointer(unsafe.SliceData(list)), len(list), b)
	s.up(before)
	return b, r
}

// encodeItems appends the encodings of n adjacent values, the first of them at an address. p is the plan of
// each.
func (w *Walker) encodeItems(p *plan, at unsafe.Pointer, n int, b []byte) ([]byte, *refusal) {
	f := w.trackOf(p)
	switch {
	case f.raw:
		w.walk.visit(uint64(n) * f.rawVisit)
		return append(b, unsafe.Slice((*byte)(at), uintptr(n)*f.size)...), nil
	case f.text:
		w.walk.visit(uint64(n) * f.rawVisit)
		for _, s := range unsafe.Slice((*string)(at), n) {
			b = putUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
		return b, nil
	}
	for i := range uintptr(n) {
		var r *refusal
		if b, r = w.encode(f, 0, unsafe.Add(at, i*f.size), b); r != nil {
			return b, r.in(fmt.Sprintf("[%d]", i))
		}
	}
	return b, nil
}

// References

// encodePointer appends the encoding of the pointer q, whose plan is p: that of the object to which it leads
// or, if the object was visited before, the number of that visit.
func (w *Walker) encodePointer(p *plan, q unsafe.Pointer, b []byte) ([]byte, *refusal) {
	s := &w.walk
	switch {
	case s.inKey:
		return b, refuse(p.typ, "a map key that holds a pointer has no canonical order", "key the map by a value")
	case q == nil:
		return append(b, markNil), nil
	}
	f, from := w.trackOf(p.elem), 0
	if f.size > 0 && !w.equal {
		seen := w.refs.find(uintptr(q), p.elem)
		if seen != nil {
			return putUvarint(append(b, markAgain), seen.seq), nil
		}
		// The next visit is registered here, as one by a pointer.
		w.refs.insert(uintptr(q), p.elem, s.seq+1, true)
		if from = f.inner; from > 0 {
			s.visit(uint64(f.steps[0].visits))
		}
	}
	b = append(b, markHere)
	if s.depth == depthMax {
		return b, tooDeep(p.typ)
	}
	before := s.down(false)
	b, r := w.encode(f, from, q, b)
	s.up(before)
	return b, r
}

// registerInline registers the visit of an inline value (one that lies inside another value) to whose type some
// pointer type points. If a pointer led to this same value earlier in the walk, it also appends the numbers of
// both visits to w.walk.aliases, with which the encoding ends: a pointer to the value and a pointer to an equal
// copy must give different hashes. If the earlier visit was inline too, as when two slices share an array, it
// appends nothing.
func (w *Walker) registerInline(p *plan, addr uintptr) {
	s := &w.walk
	if w.equal {
		return
	}
	seen := w.refs.find(addr, p)
	if seen == nil {
		w.refs.insert(addr, p, s.seq, false)
	} else if seen.byPointer && seen.seq != s.seq {
		s.aliases = append(s.aliases, s.seq, seen.seq)
	}
}

// encodeDynamic appends the encoding of the interface at an address, whose plan is p: the dynamic type and
// the value.
func (w *Walker) encodeDynamic(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	e, value := w.met(at)
	var r *refusal
	if e == nil {
		e, value, r = w.open(p, at)
		switch {
		case r != nil:
			return b, r
		case e == nil:
			return append(b, markNil), nil
		}
	}
	if e.op == opOmit {
		return append(b, markOmit), nil
	}
	b = put64(append(b, markHere), e.tag)
	s := &w.walk
	before := s.down(true)
	if s.depth > depthMax {
		r = tooDeep(e.typ)
	} else {
		b, r = w.encode(w.trackOf(e), 0, value, b)
	}
	s.up(before)
	w.shut(e)
	return b, r
}

// encodeSummary appends the encoding of the summary of the value at an address, in place of the value.
func (w *Walker) encodeSummary(p *plan, at unsafe.Pointer, b []byte) ([]byte, *refusal) {
	v := reflect.NewAt(p.typ, at)
	if w.walk.copied {
		// The summary may point into its receiver, which must not be scratch
		// memory: that is used again within this walk.
		v = reflect.New(p.typ)
		v.Elem().Set(reflect.NewAt(p.typ, at).Elem())
	}
	s := v.Interface().(Summarizer).Summary()
	w.walk.keep = append(w.walk.keep, s)
	e := reflect.ValueOf(s)
	if !p.summarizesItself(e) {
		return w.encodeDynamic(w.anyPlan(), unsafe.Pointer(&w.walk.keep[len(w.walk.keep)-1]), b)
	}
	plain, r := w.compiled(planKey{p.typ, true})
	if r != nil {
		return b, r
	}
	copied := w.walk.copied
	w.walk.copied = true
	c := plain.copies.take(reflect.Indirect(e))
	b, r = w.encode(w.trackOf(plain), 0, unsafe.Pointer(c.UnsafeAddr()), append(b, markPlain))
	plain.copies.give()
	w.walk.copied = copied
	return b, r
}

// summarizesItself reports whether e, the summary of a value of type T, is a T or a *T.
func (p *plan) summarizesItself(e reflect.Value) bool {
	if !e.IsValid() {
		return false
	}
	return e.Type() == p.typ || e.Type() == reflect.PointerTo(p.typ) && !e.IsNil()
}

// scratch is a stack of addressable copies of values of one type. It is a stack since the walk may be inside
// several such values at once.
type scratch struct {
	vals []reflect.Value
	used int
}

// take pushes a copy of v, which is addressable and valid until give.
func (s *scratch) take(v reflect.Value) reflect.Value {
	if s.used == len(s.vals) {
		s.vals = append(s.vals, reflect.New(v.Type()).Elem())
	}
	c := s.vals[s.used]
	c.Set(v)
	s.used++
	return c
}

// give pops the last copy. It clears the copy's memory so that this keeps nothing alive.
func (s *scratch) give() {
	s.used--
	s.vals[s.used].SetZero()
}
