package codec

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// Limits for values.
const (
	depthMost = 1_000   // how deep a value may be nested
	emptyMost = 100_000 // the largest number of elements in a list whose elements have no bytes
)

// object identifies a value that a pointer leads to, by its address and its type.
type object struct {
	at unsafe.Pointer
	of *plan
}

type writer struct {
	buf   []byte
	met   map[object]int
	types []*plan
	depth int
	inKey bool
	err   error
}

// begin makes a used writer ready for another value, which it appends to buf.
func (w *writer) begin(buf []byte) { *w = writer{buf: buf, types: w.types[:0]} }

func (w *writer) uint(x uint64) { w.buf = binary.AppendUvarint(w.buf, x) }

func (w *writer) byte(b byte) { w.buf = append(w.buf, b) }

func (w *writer) bytes(b []byte) { w.buf = append(w.buf, b...) }

func (w *writer) string(s string) { w.buf = append(w.buf, s...) }

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) failf(format string, args ...any) { w.fail(fmt.Errorf(format, args...)) }

func (w *writer) enter() bool {
	if w.depth++; w.depth > depthMost {
		w.fail(errDeep)
	}
	return w.err == nil
}

func (w *writer) leave() { w.depth-- }

// again writes the number of an object if the object was written before. Otherwise it gives the object a
// number, and returns false.
func (w *writer) again(id object) bool {
	if n, met := w.met[id]; met {
		w.uint(uint64(n) + 2)
		return true
	}
	if w.met == nil {
		w.met = map[object]int{}
	}
	w.met[id] = len(w.met)
	return false
}

// presence writes 0 for a value that is nil, and 1 for any other. It returns whether the value is present,
// so that the caller has to write it.
func (w *writer) presence(isNil bool) bool {
	if isNil {
		w.byte(0)
		return false
	}
	w.byte(1)
	return true
}

// dynamic writes the type of v and then v.
func (w *writer) dynamic(c *Codec, v reflect.Value) {
	p, err := c.plan(v.Type())
	if err != nil {
		w.fail(err)
		return
	}
	known := false
	for k, of := range w.types {
		if of == p {
			w.uint(uint64(k) + 2)
			known = true
			break
		}
	}
	if !known {
		w.types = append(w.types, p)
		w.byte(1)
		w.uint(uint64(len(p.name)))
		w.string(p.name)
		w.buf = binary.BigEndian.AppendUint64(w.buf, p.shape)
	}
	if w.enter() {
		c := p.spare()
		c.of.Set(v)
		p.write(w, c.at)
		c.of.SetZero()
		p.spares.Put(c)
		w.leave()
	}
}

// scratch is memory for one value of a type, which is used again.
type scratch struct {
	of reflect.Value
	at unsafe.Pointer
}

func (p *plan) spare() *scratch {
	if c, is := p.spares.Get().(*scratch); is {
		return c
	}
	v := reflect.New(p.typ)
	return &scratch{v.Elem(), v.UnsafePointer()}
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// Append appends a value to buf, preceded by its type. The value must not be nil.
func (c *Codec) Append(buf []byte, v any) ([]byte, error) {
	if v == nil {
		return buf, fmt.Errorf("a message is nil, which has no type; send a value")
	}
	w := writers.Get().(*writer)
	w.begin(buf)
	w.dynamic(c, reflect.ValueOf(v))
	out, err := w.buf, w.err
	w.begin(nil)
	writers.Put(w)
	if err != nil {
		return buf, err
	}
	return out, nil
}

type reader struct {
	data  []byte
	made  []object
	types []*plan
	depth int
	inKey bool
	err   error
	outer *plan // the plan of the type that dynamic has read last
}

// begin makes a used reader ready for the bytes of another value. It forgets the objects of the last one.
func (r *reader) begin(data []byte) {
	clear(r.made)
	*r = reader{data: data, made: r.made[:0], types: r.types[:0]}
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err, r.data = fmt.Errorf(format, args...), nil
	}
}

func (r *reader) enter() bool {
	if r.depth++; r.depth > depthMost {
		r.fail("%w", errDeep)
	}
	return r.err == nil
}

func (r *reader) leave() { r.depth-- }

// key reads the key of a map into the memory at an address, and returns the bytes of the key. ok is false if
// they are malformed.
func (r *reader) key(of *plan, at unsafe.Pointer) (as []byte, ok bool) {
	from := r.data
	alone := reader{data: r.data, depth: r.depth, inKey: true}
	of.read(&alone, at)
	r.data, r.err = alone.data, alone.err
	return from[:len(from)-len(r.data)], r.err == nil
}

func (r *reader) must(fits bool, t reflect.Type) {
	if !fits {
		r.fail("a number does not fit into a %s", t)
	}
}

func (r *reader) has(n int) bool {
	if len(r.data) < n {
		r.fail("the bytes end within a value")
	}
	return r.err == nil
}

func (r *reader) byte() byte {
	if !r.has(1) {
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// bytes returns the next n bytes. They are not a copy.
func (r *reader) bytes(n int) []byte {
	if !r.has(n) {
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.data)
	switch {
	case r.err != nil:
		return 0
	case n <= 0:
		r.fail("a number ends too late, or never")
		return 0
	case n > 1 && r.data[n-1] == 0:
		r.fail("a number is longer than it needs to be")
		return 0
	}
	r.data = r.data[n:]
	return x
}

// count reads how many elements follow. Each takes up at least least bytes, so count rejects a number for
// which the remaining bytes cannot suffice.
func (r *reader) count(least int) int {
	n := r.uint()
	if most := uint64(emptyMost); least == 0 && n > most || least > 0 && n > uint64(len(r.data)/least) {
		r.fail("%d elements are announced, and %d bytes are left", n, len(r.data))
		return 0
	}
	return int(n)
}

func (r *reader) presence() bool {
	b := r.byte()
	if b > 1 {
		r.fail("the byte that says whether a value is nil is neither 0 nor 1")
	}
	return r.err == nil && b == 1
}

func (r *reader) dynamic(c *Codec) reflect.Value {
	var p *plan
	switch n := r.uint(); {
	case r.err != nil || n == 0:
		return reflect.Value{}
	case n == 1:
		name := r.bytes(r.count(1))
		shape := r.bytes(8)
		if r.err != nil {
			return reflect.Value{}
		}
		var err error
		if p, err = c.find(name, binary.BigEndian.Uint64(shape)); err != nil {
			r.fail("%w", err)
			return reflect.Value{}
		}
		for _, of := range r.types {
			if of == p {
				r.fail("the type %s is introduced twice", p.name)
			}
		}
		r.types = append(r.types, p)
	case n-2 < uint64(len(r.types)):
		p = r.types[n-2]
	default:
		r.fail("a value refers to the type number %d, and %d types were introduced", n-1, len(r.types))
		return reflect.Value{}
	}
	if !r.has(p.least) || !r.enter() {
		return reflect.Value{}
	}
	v := reflect.New(p.typ)
	p.read(r, v.UnsafePointer())
	r.leave()
	r.outer = p
	return v.Elem()
}

// eface has the memory layout of an interface that holds a value which is not a pointer: the type, and the
// address of the value.
type eface struct{ typ, at unsafe.Pointer }

// held returns v, to which nothing else refers, in an interface. It does not copy v if interfaces hold
// values of the type by their address.
func (p *plan) held(v reflect.Value) any {
	if p.direct {
		return v.Interface()
	}
	e := eface{p.word, v.Addr().UnsafePointer()}
	return *(*any)(unsafe.Pointer(&e))
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// Decode reads a value that Append wrote, and returns an error for bytes of any other form. An error is one
// line about the bytes.
func (c *Codec) Decode(data []byte) (any, error) {
	r := readers.Get().(*reader)
	r.begin(data)
	v := r.dynamic(c)
	err, left, p := r.err, len(r.data), r.outer
	r.begin(nil)
	readers.Put(r)
	switch {
	case err != nil:
		return nil, err
	case !v.IsValid():
		return nil, fmt.Errorf("the bytes have nil where a value is required")
	case left > 0:
		return nil, fmt.Errorf("%d bytes follow the value, and none should; do both ends have the same types?", left)
	}
	return p.held(v), nil
}
