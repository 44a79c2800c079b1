package canon

import (
	"reflect"
	"unsafe"
)

// Values calls met with every value of a type that the walk meets in v, in fields
// and in keys of maps as well; entries of maps come in no order. What is told by a
// Summary is not looked into.
func (w *Walker) Values(v any, of reflect.Type, met func(any)) {
	f := &values{w: w, of: of, met: met, seen: map[object]bool{}}
	f.dynamic(reflect.ValueOf(v))
}

type values struct {
	w    *Walker
	of   reflect.Type
	met  func(any)
	seen map[object]bool // what pointers and maps led to
}

func (f *values) dynamic(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	if p, refused := f.w.plan(v.Type()); refused == nil {
		f.value(p, cleaned(v))
	}
}

// value looks into v, which is addressable and may be read.
func (f *values) value(p *plan, v reflect.Value) {
	if p.typ == f.of {
		f.met(v.Interface())
		return
	}
	switch p.op {
	case opStruct:
		for _, field := range p.fields {
			f.value(field.plan, reopen(v.Field(field.index)))
		}
	case opArray, opSlice:
		for i := range v.Len() {
			f.value(p.elem, v.Index(i))
		}
	case opPointer:
		f.pointer(p, v)
	case opAtomicPointer:
		f.pointer(p, reflect.NewAt(reflect.PointerTo(p.elem.typ), unsafe.Add(addr(v), p.off)).Elem())
	case opAtomic:
		f.value(p.elem, reflect.NewAt(p.elem.typ, unsafe.Add(addr(v), p.off)).Elem())
	case opInterface:
		f.dynamic(v.Elem())
	case opMap:
		if v.IsNil() || !f.first(p, v) {
			return
		}
		for it := v.MapRange(); it.Next(); {
			f.value(p.key, cleaned(it.Key()))
			f.value(p.elem, cleaned(it.Value()))
		}
	}
}

func (f *values) pointer(p *plan, v reflect.Value) {
	if !v.IsNil() && f.first(p, v) {
		f.value(p.elem, v.Elem())
	}
}

// first reports whether nothing led to v before.
func (f *values) first(p *plan, v reflect.Value) bool {
	at := object{v.Pointer(), p}
	known := f.seen[at]
	f.seen[at] = true
	return !known
}
