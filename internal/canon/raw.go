package canon

import (
	"reflect"
	"unsafe"
)

// raw32 returns the words of an addressable float32 or complex64.
func raw32(p *plan, v reflect.Value) []uint32 {
	n := int(p.typ.Size() / 4)
	return unsafe.Slice((*uint32)(unsafe.Pointer(v.UnsafeAddr())), n)
}

// held returns what a value of sync/atomic holds: for an atomic.Pointer the
// pointer, which the language allows to be read as one.
func (p *plan) held(v reflect.Value) reflect.Value {
	f := v.Field(p.value)
	if p.op == opAtomicPointer {
		return reflect.NewAt(reflect.PointerTo(p.elem.typ), unsafe.Pointer(f.UnsafeAddr())).Elem()
	}
	if p.addr {
		return reopen(f)
	}
	return f
}

// scratch is a stack of copies of values of one type. Copies have addresses;
// the walk may be within several at once.
type scratch struct {
	vals []reflect.Value
	used int
}

// take returns an addressable copy of the clean value v, until give.
func (s *scratch) take(v reflect.Value) reflect.Value {
	if s.used == len(s.vals) {
		s.vals = append(s.vals, reflect.New(v.Type()).Elem())
	}
	c := s.vals[s.used]
	c.Set(v)
	s.used++
	return c
}

// give ends the use of the copy taken last. It is cleared, so as to hold
// nothing alive.
func (s *scratch) give() {
	s.used--
	s.vals[s.used].SetZero()
}
