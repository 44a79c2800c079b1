package canon

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// The first byte of a value which may be absent.
const (
	markNil   = iota // nil
	markHere         // the value follows
	markAgain        // met before; the number of that visit follows
	markOmit         // left out
	markPlain        // a summary of the same type: its fields follow
)

// encodeRoot writes the encoding of v into w.buf. If the walk compiles a plan for a pointer
// type, it may have passed inline values that it should have registered. Then it starts
// again, with all plans compiled.
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

// releaseScratch frees the scratch memory of a walk that was ended by a panic of a Summary.
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

// encodeHeld writes v while w holds it: the two words of an interface must lie in memory.
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

// putUvarint appends x as binary.AppendUvarint does.
func putUvarint(b []byte, x uint64) []byte {
	if x < 0x80 {
		return append(b, byte(x))
	}
	return binary.AppendUvarint(b, x)
}

func put64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// encode appends the value of a track at an address, beginning at one of its steps.
//
// Visits are numbered by w.walk.seq whether or not they are registered, so that the number
// of a visit depends on the value alone, and not on the plans that this Walker has.
func (w *Walker) encode(f *track, from int, at unsafe.Pointer, b []byte) (_ []byte, r *refusal) {
	steps := f.steps // the track may be laid anew meanwhile; then the walk starts again
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

// encodeTime writes the two clock words and the location's name, or, if there is a present,
// the distance from it.
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

// checkUnheld refuses a held lock. It tries to lock: the meaning of the lock's words in memory is not
// documented.
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

// tooDeep refuses a value that is nested deeper than any sensible one.
func tooDeep(t reflect.Type) *refusal {
	return refuse(t, fmt.Sprintf("it is nested deeper than %d levels", depthMax), "look for a slice which contains itself")
}

// Lists

// encodeBytes counts visits as if the bytes had been visited one by one.
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

// encodeItems writes n values of plan p that follow each other.
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

// encodePointer writes what the pointer q of plan p leads to, or the number of its first
// visit.
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

// registerInline registers the visit of an inline value of a type that pointers lead to. If a pointer has led
// to it before, that is part of the value, and is written after the encoding. It does not count if two slices
// share the value.
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

// encodeDynamic writes the value in the interface of plan p at an address, with its type.
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

// encodeSummary writes the summary in place of the value at an address.
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

// summarizesItself reports whether the summary e of a T is a T or a *T.
func (p *plan) summarizesItself(e reflect.Value) bool {
	if !e.IsValid() {
		return false
	}
	return e.Type() == p.typ || e.Type() == reflect.PointerTo(p.typ) && !e.IsNil()
}

// scratch is a stack of copies of values of one type. Copies have addresses, and the walk
// may be inside of several at once.
type scratch struct {
	vals []reflect.Value
	used int
}

// take returns an addressable copy of v, which is valid until give.
func (s *scratch) take(v reflect.Value) reflect.Value {
	if s.used == len(s.vals) {
		s.vals = append(s.vals, reflect.New(v.Type()).Elem())
	}
	c := s.vals[s.used]
	c.Set(v)
	s.used++
	return c
}

// give releases the copy taken last. It is cleared so that it keeps nothing alive.
func (s *scratch) give() {
	s.used--
	s.vals[s.used].SetZero()
}
