package codec

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"
)

// mapping completes p, the plan of a map, given those of its keys and elements. Entries are written in
// the order of their keys' bytes. A key that is a pointer is refused, since objects that keys point to
// are not numbered.
func (p *plan) mapping(key, elem *plan) {
	t := p.typ
	p.write = func(w *writer, at unsafe.Pointer) { w.mapping(t, key, elem, at) }
	p.read = func(r *reader, at unsafe.Pointer) { r.mapping(t, key, elem, at) }
}

func (w *writer) mapping(t reflect.Type, key, elem *plan, at unsafe.Pointer) {
	v := reflect.NewAt(t, at).Elem()
	if !w.presence(v.IsNil()) || !w.enter() {
		return
	}
	type entry struct {
		key  []byte
		elem reflect.Value
	}
	var all []entry
	for it := v.MapRange(); it.Next(); {
		k, e := copied(it.Key()), copied(it.Value())
		alone := writer{depth: w.depth, inKey: true}
		key.write(&alone, k.Addr().UnsafePointer())
		if alone.err != nil {
			w.fail(alone.err)
			return
		}
		all = append(all, entry{alone.buf, e})
	}
	slices.SortFunc(all, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	w.uint(uint64(len(all)))
	for i, e := range all {
		if i > 0 && bytes.Equal(all[i-1].key, e.key) {
			w.failf("a map has two keys that look alike (NaN)")
			return
		}
		w.bytes(e.key)
		elem.write(w, e.elem.Addr().UnsafePointer())
	}
	w.leave()
}

func (r *reader) mapping(t reflect.Type, key, elem *plan, at unsafe.Pointer) {
	if !r.presence() {
		return
	}
	n := r.count(key.least + elem.least)
	if !r.enter() {
		return
	}
	v := reflect.NewAt(t, at).Elem()
	v.Set(reflect.MakeMap(t))
	var last []byte
	for i := range n {
		k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		this, ok := r.key(key, k.Addr().UnsafePointer())
		if !ok {
			return
		}
		if i > 0 && bytes.Compare(last, this) >= 0 {
			r.fail("the keys of a map are not in order")
			return
		}
		last = this
		if !k.Comparable() {
			r.fail("a map has a key that cannot be compared")
			return
		}
		elem.read(r, e.Addr().UnsafePointer())
		if r.err != nil {
			return
		}
		v.SetMapIndex(k, e)
	}
	r.leave()
}

// copied returns an addressable copy of v, which may come from an unexported field.
func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}
