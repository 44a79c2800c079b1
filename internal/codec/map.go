package codec

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"
)

// mapping writes a map ordered by the bytes of its keys. Objects that keys point to are not
// numbered, so a key that is a pointer is refused.
func (c *Codec) mapping(p *plan, made map[reflect.Type]*plan) error {
	key, err := c.make(p.typ.Key(), made)
	if err != nil {
		return err
	}
	elem, err := c.make(p.typ.Elem(), made)
	if err != nil {
		return err
	}
	t := p.typ
	p.write = func(w *writer, at unsafe.Pointer) {
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
			w.buf = append(w.buf, e.key...)
			elem.write(w, e.elem.Addr().UnsafePointer())
		}
		w.depth--
	}
	p.read = func(r *reader, at unsafe.Pointer) {
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
			from := r.data
			alone := reader{data: r.data, depth: r.depth, inKey: true}
			key.read(&alone, k.Addr().UnsafePointer())
			if r.data, r.err = alone.data, alone.err; r.err != nil {
				return
			}
			this := from[:len(from)-len(r.data)]
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
		r.depth--
	}
	return nil
}

// copied returns a copy of v that has an address, whatever fields it came by.
func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}
