package canon

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"sync"
	"time"
)

// The first byte of a value which may be absent.
const (
	markNil   = iota // nil
	markHere         // the value follows
	markAgain        // met before: the number of that visit follows
	markOmit         // left out
	markPlain        // a summary of the same type: its fields follow
)

// encodeRoot writes the encoding of v into w.buf: by address, if that is
// possible and nothing is refused, else by reflection as below. A walk which compiled a plan
// for a pointer type may have passed inline values that it should have
// registered, so it starts again; then all plans are there.
func (w *Walker) encodeRoot(v any) error {
	if w.layout == "" && w.fastRoot(v) {
		return nil
	}
	rv := reflect.ValueOf(v)
	for {
		marks := w.marks
		w.begin()
		if r := w.encodeDynamic(&w.root, rv); r != nil {
			w.walk.busy = false
			return r.under(rv.Type())
		}
		if marks == w.marks {
			break
		}
	}
	w.walk.busy = false
	// The encoding delimits itself, so what follows it cannot be mistaken.
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

// releaseScratch takes back what a walk ended by a panic (of a Summary) held.
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

// encode writes the value v of p's type.
//
// Visits are numbered by w.walk.seq whether or not they are registered, so that
// the number of a visit depends on the value alone and not on the plans which
// this Walker happens to have.
func (w *Walker) encode(p *plan, v reflect.Value) *refusal {
	w.walk.seq++
	if p.pointed && !w.walk.copied && v.CanAddr() {
		w.registerInline(p, v.UnsafeAddr())
	}
	switch p.op {
	case opBool:
		w.putBool(v.Bool())
	case opInt:
		w.putInt(p.typ.Size(), uint64(v.Int()))
	case opUint:
		w.putInt(p.typ.Size(), v.Uint())
	case opFloat32, opComplex64:
		w.putRaw32(p, v)
	case opFloat64:
		w.put64(math.Float64bits(v.Float()))
	case opComplex128:
		c := v.Complex()
		w.put64(math.Float64bits(real(c)))
		w.put64(math.Float64bits(imag(c)))
	case opString:
		s := v.String()
		w.buf = binary.AppendUvarint(w.buf, uint64(len(s)))
		w.buf = append(w.buf, s...)
	case opBytes:
		return w.encodeBytes(p, v)
	case opSlice:
		return w.encodeSlice(p, v)
	case opArray:
		return w.encodeItems(p, v)
	case opStruct:
		return w.encodeStruct(p, v)
	case opPointer:
		return w.encodePointer(p, v)
	case opInterface:
		return w.encodeDynamic(&p.last, v.Elem())
	case opMap:
		return w.encodeMap(p, v)
	case opTime:
		w.encodeTime(v)
	case opMutex:
		return checkUnheld(p, v)
	case opAtomic:
		return w.encode(p.elem, p.held(v))
	case opAtomicPointer:
		return w.encodePointer(p, p.held(v))
	case opSummary:
		return w.encodeSummary(p, v)
	case opOmit:
	default:
		panic(fmt.Sprintf("macemc bug: canon has no encoding for op %d", p.op))
	}
	return nil
}

func (w *Walker) putBool(b bool) {
	var x byte
	if b {
		x = 1
	}
	w.buf = append(w.buf, x)
}

func (w *Walker) put64(x uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, x) }

// putInt writes the low size bytes of x.
func (w *Walker) putInt(size uintptr, x uint64) {
	switch size {
	case 1:
		w.buf = append(w.buf, byte(x))
	case 2:
		w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(x))
	case 4:
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(x))
	default:
		w.put64(x)
	}
}

// putRaw32 writes floats of 32 bits from memory: reflection would convert them
// to 64 bits, which changes the payload of a signalling NaN.
func (w *Walker) putRaw32(p *plan, v reflect.Value) {
	for _, x := range raw32(p, v) {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, x)
	}
}

func (w *Walker) encodeTime(v reflect.Value) {
	loc := v.Addr().Interface().(*time.Time).Location().String()
	w.put64(v.Field(0).Uint()) // wall
	w.put64(uint64(v.Field(1).Int()))
	w.buf = binary.AppendUvarint(w.buf, uint64(len(loc)))
	w.buf = append(w.buf, loc...)
}

// checkUnheld tries the lock: reflection could read its words, but what they
// mean is not ours to know.
func checkUnheld(p *plan, v reflect.Value) *refusal {
	m := v.Addr().Interface().(interface {
		sync.Locker
		TryLock() bool
	})
	if !m.TryLock() {
		return refuse(p.typ, "it is held, and who waits for it cannot be seen", "unlock it before the handler returns")
	}
	m.Unlock()
	return nil
}

// Lists

func (w *Walker) encodeBytes(p *plan, v reflect.Value) *refusal {
	if p.elem.pointed {
		return w.encodeSlice(p, v)
	}
	if v.IsNil() {
		w.buf = append(w.buf, markNil)
		return nil
	}
	b := v.Bytes()
	w.buf = append(w.buf, markHere)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(b)))
	w.buf = append(w.buf, b...)
	w.walk.seq += uint64(len(b)) // as if they had been visited one by one
	return nil
}

func (w *Walker) encodeSlice(p *plan, v reflect.Value) *refusal {
	if v.IsNil() {
		w.buf = append(w.buf, markNil)
		return nil
	}
	w.buf = append(w.buf, markHere)
	w.buf = binary.AppendUvarint(w.buf, uint64(v.Len()))
	copied := w.walk.copied
	w.walk.copied = false
	r := w.descend(p)
	if r == nil {
		r = w.encodeItems(p, v)
	}
	w.walk.copied = copied
	w.walk.depth--
	return r
}

// descend counts a level of nesting; the caller takes it back.
func (w *Walker) descend(p *plan) *refusal {
	w.walk.depth++
	if w.walk.depth > depthMax {
		return refuse(p.typ, fmt.Sprintf("it is nested deeper than %d levels", depthMax),
			"look for a slice which contains itself")
	}
	return nil
}

func (w *Walker) encodeItems(p *plan, v reflect.Value) *refusal {
	for i := range v.Len() {
		if r := w.encode(p.elem, v.Index(i)); r != nil {
			return r.in(fmt.Sprintf("[%d]", i))
		}
	}
	return nil
}

func (w *Walker) encodeStruct(p *plan, v reflect.Value) *refusal {
	for i := range p.fields {
		f := &p.fields[i]
		if r := w.encode(f.plan, f.of(v)); r != nil {
			return r.inField(p.typ, f.name)
		}
	}
	return nil
}

// References

// encodePointer writes what v points to, or the number of its first visit.
func (w *Walker) encodePointer(p *plan, v reflect.Value) *refusal {
	if w.walk.inKey {
		return refuse(p.typ, "a map key that holds a pointer has no canonical order", "key the map by a value")
	}
	if v.IsNil() {
		w.buf = append(w.buf, markNil)
		return nil
	}
	if p.elem.typ.Size() > 0 {
		seen := w.refs.find(v.Pointer(), p.elem)
		if seen != nil {
			w.putAgain(seen.seq)
			return nil
		}
		// The visit to come is the next; registered here, it is by pointer.
		w.refs.insert(v.Pointer(), p.elem, w.walk.seq+1, true)
	}
	w.buf = append(w.buf, markHere)
	copied := w.walk.copied
	w.walk.copied = false
	r := w.descend(p)
	if r == nil {
		r = w.encode(p.elem, v.Elem())
	}
	w.walk.copied = copied
	w.walk.depth--
	return r
}

func (w *Walker) putAgain(seq uint64) {
	w.buf = append(w.buf, markAgain)
	w.buf = binary.AppendUvarint(w.buf, seq)
}

// registerInline notes that an inline value of a pointed type is visited. If a
// pointer led to it before, then that is part of the value, and is written
// after the encoding. That two slices share it is not.
func (w *Walker) registerInline(p *plan, addr uintptr) {
	s := &w.walk
	seen := w.refs.find(addr, p)
	if seen == nil {
		w.refs.insert(addr, p, s.seq, false)
	} else if seen.byPointer && seen.seq != s.seq {
		s.aliases = append(s.aliases, s.seq, seen.seq)
	}
}

// encodeDynamic writes the value e that an interface holds, with its type.
func (w *Walker) encodeDynamic(last *dyn, e reflect.Value) *refusal {
	if !e.IsValid() {
		w.buf = append(w.buf, markNil)
		return nil
	}
	p, r := w.dynamicPlan(last, e.Type())
	if r != nil {
		return r
	}
	if p.op == opOmit {
		w.buf = append(w.buf, markOmit)
		return nil
	}
	w.buf = append(w.buf, markHere)
	w.put64(p.tag)
	if r := w.descend(p); r != nil {
		return r
	}
	r = w.encodeHeld(p, e)
	w.walk.depth--
	return r
}

// dynamicPlan returns the plan of t, with its tag.
func (w *Walker) dynamicPlan(last *dyn, t reflect.Type) (*plan, *refusal) {
	if last.typ == t {
		return last.plan, nil
	}
	p, r := w.plan(t)
	if r == nil {
		r = w.identify(p)
	}
	if r != nil {
		return nil, r
	}
	last.typ, last.plan = t, p
	return p, nil
}

// encodeHeld encodes a value that has no address, from a copy if need be.
func (w *Walker) encodeHeld(p *plan, e reflect.Value) *refusal {
	if !p.addr {
		return w.encode(p, e)
	}
	copied := w.walk.copied
	w.walk.copied = true
	r := w.encode(p, p.copies.take(e))
	p.copies.give()
	w.walk.copied = copied
	return r
}

// encodeSummary writes the summary in place of the value.
func (w *Walker) encodeSummary(p *plan, v reflect.Value) *refusal {
	w.walk.summarized = true
	if w.walk.copied {
		// The summary may point into its receiver, which must not be scratch
		// memory: that is used again within this walk.
		c := reflect.New(p.typ).Elem()
		c.Set(v)
		v = c
	}
	s := v.Addr().Interface().(Summarizer).Summary()
	w.walk.keep = append(w.walk.keep, s)
	e := reflect.ValueOf(s)
	if !p.summarizesItself(e) {
		return w.encodeDynamic(&p.last, e)
	}
	plain, r := w.compiled(planKey{p.typ, true})
	if r != nil {
		return r
	}
	w.buf = append(w.buf, markPlain)
	return w.encodeHeld(plain, reflect.Indirect(e))
}

// summarizesItself reports whether the summary e is a T or *T in place of a T.
func (p *plan) summarizesItself(e reflect.Value) bool {
	if !e.IsValid() {
		return false
	}
	return e.Type() == p.typ || e.Type() == reflect.PointerTo(p.typ) && !e.IsNil()
}
