package canon

import (
	"bytes"
	"unsafe"

	"macemc/internal/canon/fast"
)

// A Mold is a value into which packed values (see Walker.Pack) of one form are written, one after another,
// without allocating memory. A value can be a Mold only if its memory has a fixed form: pointers and
// interfaces that lead to one object each, and bytes.
type Mold struct {
	value any
	form  []byte // the packed value from which the Mold was made
	runs  []moldRun
	words []moldWord
}

// moldRun is a stretch of the Mold's memory without pointers. A packed value has these bytes at the offset
// in.
type moldRun struct {
	at   unsafe.Pointer
	size int
	in   int
}

// moldWord is a pointer in the Mold's memory, or one of the two words of an interface: its address, and its
// contents, which never change.
type moldWord struct{ at, is unsafe.Pointer }

// MoldOf makes v into a Mold. The caller must not use v any more. It returns nil if v has slices, maps,
// strings, functions, locks, nil pointers, two pointers to one object, or values that Pack cannot pack.
func (w *Walker) MoldOf(p *Pool, v any) *Mold {
	packed, why := w.Pack(p, v)
	if why != "" {
		return nil
	}
	m := &Mold{value: v, form: bytes.Clone(packed)}
	b := molder{Mold: m, copies: &w.copies, pool: p}
	if !b.dynamic(w.copies.any, unsafe.Pointer(&m.value)) || !bytes.Equal(b.packed, m.form) {
		return nil
	}
	return m
}

// Value returns the value into which Fill writes. It always returns the same one.
func (m *Mold) Value() any { return m.value }

// Fill writes a packed value into the Mold. The packed value must come from Mold.Pack, or from Walker.Pack
// with the same Pool. If it has another form than the Mold, Fill returns false and changes nothing.
func (m *Mold) Fill(packed []byte) bool {
	if len(packed) != len(m.form) {
		return false
	}
	at := 0
	for i := range m.runs {
		s := &m.runs[i]
		if string(packed[at:s.in]) != string(m.form[at:s.in]) {
			return false
		}
		at = s.in + s.size
	}
	if string(packed[at:]) != string(m.form[at:]) {
		return false
	}
	m.Refill(packed)
	return true
}

// Refill is Fill for a packed value that Fill has accepted before.
func (m *Mold) Refill(packed []byte) {
	for i := range m.words {
		if w := &m.words[i]; *(*unsafe.Pointer)(w.at) != w.is {
			*(*unsafe.Pointer)(w.at) = w.is
		}
	}
	for i := range m.runs {
		s := &m.runs[i]
		copy(unsafe.Slice((*byte)(s.at), s.size), packed[s.in:])
	}
}

// Pack appends the Mold's value in packed form to b, as Walker.Pack would write it. It returns false if a
// pointer or an interface in the value has been changed.
func (m *Mold) Pack(b []byte) ([]byte, bool) {
	for i := range m.words {
		if w := &m.words[i]; *(*unsafe.Pointer)(w.at) != w.is {
			return b, false
		}
	}
	from := len(b)
	b = append(b, m.form...)
	for i := range m.runs {
		s := &m.runs[i]
		copy(b[from+s.in:], unsafe.Slice((*byte)(s.at), s.size))
	}
	return b, true
}

// molder finds the runs and words of a Mold, while it packs the Mold's value once more.
type molder struct {
	*Mold
	*copies
	pool   *Pool
	packed []byte
	met    []unsafe.Pointer
}

func (b *molder) word(at unsafe.Pointer) {
	b.words = append(b.words, moldWord{at, *(*unsafe.Pointer)(at)})
}

func (b *molder) constant(c constant) bool {
	n, ok := b.pool.number(c)
	b.packed = putUvarint(b.packed, uint64(n))
	return ok
}

func (b *molder) dynamic(cp *copyPlan, at unsafe.Pointer) bool {
	words := (*fast.Words)(at)
	if words.Type == nil || !b.constant(constant{a: words.Type}) {
		return false
	}
	b.word(unsafe.Pointer(&words.Type))
	b.word(unsafe.Pointer(&words.Data))
	switch e := b.held(cp, at); {
	case e.shared && !e.boxed:
		return b.constant(constant{a: words.Data})
	default:
		return e.direct && b.steps(e, unsafe.Pointer(&words.Data))
	}
}

func (b *molder) steps(cp *copyPlan, at unsafe.Pointer) bool {
	if cp.holes || cp.makes || cp.owns {
		return false
	}
	for i := range cp.steps {
		s := &cp.steps[i]
		f, fits := unsafe.Add(at, s.off), true
		switch s.op {
		case copyRaw:
			b.runs = append(b.runs, moldRun{f, int(s.size), len(b.packed)})
			b.packed = append(b.packed, unsafe.Slice((*byte)(f), s.size)...)
		case copyWord:
			b.word(f)
			fits = b.constant(constant{a: *(*unsafe.Pointer)(f)})
		case copyPointer:
			b.word(f)
			fits = b.object(s.plan.elem, *(*unsafe.Pointer)(f))
		case copyInterface:
			fits = b.dynamic(s.plan, f)
		default:
			fits = false
		}
		if !fits {
			return false
		}
	}
	return true
}

func (b *molder) object(cp *copyPlan, p unsafe.Pointer) bool {
	for _, met := range b.met {
		if p == met {
			return false
		}
	}
	if p == nil || len(b.met) > moldMost {
		return false
	}
	b.met = append(b.met, p)
	b.packed = putUvarint(b.packed, packHere)
	cp.prepare(b.copies)
	return b.steps(cp, p)
}

// moldMost is the largest number of objects in a Mold.
const moldMost = 16
