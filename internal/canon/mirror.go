package canon

import (
	"reflect"
	"unsafe"

	"macemc/internal/canon/fast"
)

// A Mirror is an object into which other objects of its type are copied, one after another, in the same
// memory. The copy is only for reading: two slices or maps that are the same object in the original are two
// objects in the mirror.
type Mirror struct {
	copies *copies
	plan   *copyPlan
	is     any // a pointer to the mirror's own object
	at     unsafe.Pointer
	failed bool
}

// Mirror returns a Mirror for objects of the type that v points to. It returns nil if v is no pointer, if
// Copy refuses its type, or if such an object leads to pointers, functions, locks, values that contain
// themselves, or maps whose memory is not known.
func (w *Walker) Mirror(v any) *Mirror {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer || w.copies.accept(t) != nil {
		return nil
	}
	of := w.copies.copyPlan(t.Elem())
	if w.copies.ofWorld(t) || !w.copies.mirrors(of, map[*copyPlan]bool{}) {
		return nil
	}
	o := reflect.New(t.Elem())
	return &Mirror{copies: &w.copies, plan: of, is: o.Interface(), at: o.UnsafePointer()}
}

// mirrors reports whether a Mirror can copy values of plan cp and all that they lead to. above has the plans
// of the values around them.
func (c *copies) mirrors(cp *copyPlan, above map[*copyPlan]bool) bool {
	cp.prepare(c)
	if cp.holes || cp.makes || cp.owns || above[cp] {
		return false
	}
	above[cp] = true
	defer delete(above, cp)
	for i := range cp.steps {
		s, is := &cp.steps[i], true
		switch s.op {
		case copyRaw, copyString, copyInterface:
		case copySlice:
			is = c.mirrors(s.plan.elem, above)
		case copyMap:
			is = s.plan.layout != nil && c.mirrors(s.plan.elem, above)
		case copyItems:
			is = c.mirrors(s.plan, above)
		default:
			is = false
		}
		if !is {
			return false
		}
	}
	return true
}

// Is returns a pointer to the mirror's object. It is always the same.
func (m *Mirror) Is() any { return m.is }

// Show makes the mirror equal to the object to which v points; v must have the type of the mirror. It returns
// false if an interface in the object holds a value that may change: then the mirror must not be used.
func (m *Mirror) Show(v any) bool {
	m.failed = false
	m.steps(m.plan, m.at, (*fast.Words)(unsafe.Pointer(&v)).Data)
	return !m.failed
}

// steps copies the value at from, whose plan is cp, to the mirror's memory at to.
func (m *Mirror) steps(cp *copyPlan, to, from unsafe.Pointer) {
	for i := range cp.steps {
		s := &cp.steps[i]
		t, f := unsafe.Add(to, s.off), unsafe.Add(from, s.off)
		switch s.op {
		case copyRaw:
			copy(unsafe.Slice((*byte)(t), s.size), unsafe.Slice((*byte)(f), s.size))
		case copyString:
			if *(*string)(t) != *(*string)(f) {
				*(*string)(t) = *(*string)(f)
			}
		case copyInterface:
			m.dynamic(s.plan, t, f)
		case copySlice:
			m.slice(s.plan.elem, t, f)
		case copyMap:
			m.table(s.plan, t, f)
		case copyItems:
			m.items(s.plan, t, f, s.count)
		}
	}
}

func (m *Mirror) items(cp *copyPlan, to, from unsafe.Pointer, n int) {
	if cp.raw {
		size := uintptr(n) * cp.size
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		return
	}
	for i := range uintptr(n) {
		m.steps(cp, unsafe.Add(to, i*cp.size), unsafe.Add(from, i*cp.size))
	}
}

// slice copies a slice of values of plan e, into the memory of the mirror's slice if it is large enough.
func (m *Mirror) slice(e *copyPlan, to, from unsafe.Pointer) {
	s, o := *(*[]byte)(from), (*sliceHeader)(to)
	switch n := len(s); {
	case s == nil:
		putSlice(to, nil, 0, 0)
	case n == 0 || e.size == 0:
		putSlice(to, unsafe.Pointer(&nothing), n, n)
	default:
		data, size := o.data, o.cap
		if size < n || data == unsafe.Pointer(&nothing) {
			data, size = e.alloc(n), n
		}
		putSlice(to, data, n, size)
		m.items(e, data, unsafe.Pointer(unsafe.SliceData(s)), n)
	}
}

// table copies a map into the memory of the mirror's map, or into new memory if that has not the same number
// of groups.
func (m *Mirror) table(cp *copyPlan, to, from unsafe.Pointer) {
	f, o := *(**fast.Map)(from), (**fast.Map)(to)
	switch {
	case f == nil:
		*o = nil
		return
	case *o == nil:
		*o = f.Empty()
	}
	if cp.layout.Flat() {
		(*o).Refill(f, cp.layout, nil)
		return
	}
	(*o).Refill(f, cp.layout, func(toKey, toElem, key, elem unsafe.Pointer) {
		m.steps(cp.key, toKey, key)
		m.steps(cp.elem, toElem, elem)
	})
}

// dynamic copies an interface. The value that it holds must be one that cannot change.
func (m *Mirror) dynamic(cp *copyPlan, to, from unsafe.Pointer) {
	f, t := (*fast.Words)(from), (*fast.Words)(to)
	switch {
	case *f == *t:
	case f.Type != nil && !m.copies.held(cp, from).fixed:
		m.failed = true
	default:
		*t = *f
	}
}
