package codec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// plan has the functions that write and read values of one type. They take a pointer to the value.
type plan struct {
	typ   reflect.Type
	name  string
	shape uint64 // the hash of shapeOf: two builds with equal shapes write the type alike
	least int    // the least number of bytes that a value takes up
	write func(w *writer, at unsafe.Pointer)
	read  func(r *reader, at unsafe.Pointer)

	word   unsafe.Pointer // the first word of an interface that holds a value of the type
	direct bool           // whether the second word of such an interface may be the value itself and not its address
	spares sync.Pool      // of *scratch
}

// compiled returns the plan of t, and makes it at the first call. The caller holds the lock c.mu.
func (c *Codec) compiled(t reflect.Type) (*plan, error) {
	if p, ok := c.plans[t]; ok {
		return p, nil
	}
	made := map[reflect.Type]*plan{}
	p, err := c.make(t, made)
	if err != nil {
		return nil, fmt.Errorf("a %s cannot be sent: %w", t, err)
	}
	maps.Copy(c.plans, made)
	return p, nil
}

// walked reports whether a field of a struct is written.
func walked(f reflect.StructField) bool { return f.Name != "_" && f.Tag.Get("mc") != "-" }

var (
	mutexType   = reflect.TypeFor[sync.Mutex]()
	rwMutexType = reflect.TypeFor[sync.RWMutex]()
)

func (c *Codec) make(t reflect.Type, made map[reflect.Type]*plan) (*plan, error) {
	if p, ok := c.plans[t]; ok {
		return p, nil
	}
	if p, ok := made[t]; ok {
		return p, nil
	}
	p := newPlan(t)
	made[t] = p
	if err := c.kind(p, made); err != nil {
		return nil, err
	}
	return p, nil
}

// newPlan returns a plan of t without its functions.
func newPlan(t reflect.Type) *plan {
	p := &plan{typ: t, name: Name(t), shape: xxhash.Sum64String(shapeOf(t, map[reflect.Type]bool{})), least: 1, direct: true}
	if k := t.Kind(); k != reflect.Interface && (t.Size() != unsafe.Sizeof(uintptr(0)) || k == reflect.Int || k == reflect.Int64 || k == reflect.Uint || k == reflect.Uint64) {
		zero := reflect.Zero(t).Interface()
		p.word, p.direct = (*eface)(unsafe.Pointer(&zero)).typ, false
	}
	return p
}

// kind completes p by the kind of its type, such as slice or struct. It also makes the plans of the types of
// elements and fields. made has the plans that are being made, since types may contain themselves.
func (c *Codec) kind(p *plan, made map[reflect.Type]*plan) error {
	if p.alone() {
		return nil
	}
	switch t := p.typ; t.Kind() {
	case reflect.Interface:
		p.dynamic(c)
	case reflect.Slice, reflect.Array, reflect.Pointer:
		elem, err := c.make(t.Elem(), made)
		if err != nil {
			return err
		}
		p.of(elem)
	case reflect.Struct:
		fields, err := c.fields(t, made)
		if err != nil {
			return err
		}
		p.structure(fields)
	case reflect.Map:
		key, err := c.make(t.Key(), made)
		if err != nil {
			return err
		}
		elem, err := c.make(t.Elem(), made)
		if err != nil {
			return err
		}
		p.mapping(key, elem)
	default:
		return fmt.Errorf("a %s means nothing on another machine; send a value without one", t)
	}
	return nil
}

// alone completes p if its type is one whose values contain no other values. It returns false for other
// types.
func (p *plan) alone() bool {
	switch p.typ {
	case timeType:
		p.time()
		return true
	case mutexType, rwMutexType:
		p.nothing()
		return true
	}
	switch p.typ.Kind() {
	case reflect.Bool:
		p.bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.uint()
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		p.float()
	case reflect.String:
		p.string()
	default:
		return false
	}
	return true
}

// of completes p, the plan of a slice, an array or a pointer. elem is the plan of what it holds or leads
// to.
func (p *plan) of(elem *plan) {
	switch k := p.typ.Kind(); {
	case k == reflect.Array:
		p.array(elem)
	case k == reflect.Pointer:
		p.pointer(elem)
	case elem.typ.Kind() == reflect.Uint8:
		p.byteSlice()
	default:
		p.slice(elem)
	}
}

// nothing completes p, the plan of a type whose values take up no bytes.
func (p *plan) nothing() {
	p.least, p.write, p.read = 0, func(*writer, unsafe.Pointer) {}, func(*reader, unsafe.Pointer) {}
}

func (p *plan) bool() {
	p.write = func(w *writer, at unsafe.Pointer) {
		if *(*bool)(at) {
			w.byte(1)
		} else {
			w.byte(0)
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		b := r.byte()
		if b > 1 {
			r.fail("a bool is neither 0 nor 1")
		}
		*(*bool)(at) = b == 1
	}
}

func (p *plan) int() {
	t, size := p.typ, p.typ.Size()
	p.write = func(w *writer, at unsafe.Pointer) {
		var x int64
		switch size {
		case 1:
			x = int64(*(*int8)(at))
		case 2:
			x = int64(*(*int16)(at))
		case 4:
			x = int64(*(*int32)(at))
		default:
			x = *(*int64)(at)
		}
		w.uint(uint64(x)<<1 ^ uint64(x>>63))
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		u := r.uint()
		x := int64(u>>1) ^ -int64(u&1)
		switch size {
		case 1:
			*(*int8)(at) = int8(x)
			r.must(int64(int8(x)) == x, t)
		case 2:
			*(*int16)(at) = int16(x)
			r.must(int64(int16(x)) == x, t)
		case 4:
			*(*int32)(at) = int32(x)
			r.must(int64(int32(x)) == x, t)
		default:
			*(*int64)(at) = x
		}
	}
}

func (p *plan) uint() {
	t, size := p.typ, p.typ.Size()
	p.write = func(w *writer, at unsafe.Pointer) {
		switch size {
		case 1:
			w.uint(uint64(*(*uint8)(at)))
		case 2:
			w.uint(uint64(*(*uint16)(at)))
		case 4:
			w.uint(uint64(*(*uint32)(at)))
		default:
			w.uint(*(*uint64)(at))
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		x := r.uint()
		switch size {
		case 1:
			*(*uint8)(at) = uint8(x)
			r.must(x <= math.MaxUint8, t)
		case 2:
			*(*uint16)(at) = uint16(x)
			r.must(x <= math.MaxUint16, t)
		case 4:
			*(*uint32)(at) = uint32(x)
			r.must(x <= math.MaxUint32, t)
		default:
			*(*uint64)(at) = x
		}
	}
}

// float completes p, the plan of a floating-point type. A number is written as its bits, since there are
// several NaNs.
func (p *plan) float() {
	n := int(p.typ.Size())
	p.least = n
	p.write = func(w *writer, at unsafe.Pointer) { w.bytes(unsafe.Slice((*byte)(at), n)) }
	p.read = func(r *reader, at unsafe.Pointer) { copy(unsafe.Slice((*byte)(at), n), r.bytes(n)) }
}

func (p *plan) string() {
	p.write = func(w *writer, at unsafe.Pointer) {
		s := *(*string)(at)
		w.uint(uint64(len(s)))
		w.string(s)
	}
	p.read = func(r *reader, at unsafe.Pointer) { *(*string)(at) = string(r.bytes(r.count(1))) }
}

func (p *plan) time() {
	p.write = func(w *writer, at unsafe.Pointer) {
		b, err := reflect.NewAt(timeType, at).Elem().Interface().(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
		if err != nil {
			w.fail(err)
			return
		}
		w.uint(uint64(len(b)))
		w.bytes(b)
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		b := r.bytes(r.count(1))
		if r.err != nil {
			return
		}
		v := reflect.NewAt(timeType, at).Interface().(interface {
			UnmarshalBinary([]byte) error
			MarshalBinary() ([]byte, error)
		})
		if err := v.UnmarshalBinary(b); err != nil {
			r.fail("a time is malformed")
			return
		}
		if again, err := v.MarshalBinary(); err != nil || string(again) != string(b) {
			r.fail("a time is in another form than the one that is written")
		}
	}
}

var errDeep = errors.New("a value is nested too deeply, or a slice in it contains itself")

// dynamic completes p, the plan of an interface. A nil interface is written as 0. Otherwise the value
// follows its type, which is written as 1, its name and its shape when it first occurs in a message, and
// as its number later.
func (p *plan) dynamic(c *Codec) {
	t := p.typ
	p.write = func(w *writer, at unsafe.Pointer) {
		v := reflect.NewAt(t, at).Elem()
		if v.IsNil() {
			w.byte(0)
			return
		}
		w.dynamic(c, v.Elem())
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		if v := r.dynamic(c); v.IsValid() {
			if !v.Type().AssignableTo(t) {
				r.fail("a %s stands where there must be a %s", v.Type(), t)
				return
			}
			reflect.NewAt(t, at).Elem().Set(v)
		}
	}
}

func (p *plan) byteSlice() {
	p.write = func(w *writer, at unsafe.Pointer) {
		b := *(*[]byte)(at)
		if w.presence(b == nil) {
			w.uint(uint64(len(b)))
			w.bytes(b)
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		if r.presence() {
			b := r.bytes(r.count(1))
			*(*[]byte)(at) = append(make([]byte, 0, len(b)), b...)
		}
	}
}

func (p *plan) slice(elem *plan) {
	t, size := p.typ, p.typ.Elem().Size()
	type header struct {
		data unsafe.Pointer
		n, c int
	}
	p.write = func(w *writer, at unsafe.Pointer) {
		h := (*header)(at)
		if !w.presence(h.data == nil) {
			return
		}
		w.uint(uint64(h.n))
		if !w.enter() {
			return
		}
		for i := range h.n {
			elem.write(w, unsafe.Add(h.data, uintptr(i)*size))
		}
		w.leave()
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		if !r.presence() {
			return
		}
		n := r.count(elem.least)
		if !r.enter() {
			return
		}
		// Memory is taken as the elements come: a list of little ones that announce
		// themselves is bounded by its bytes, as each is at least so long.
		v := reflect.NewAt(t, at).Elem()
		v.Set(reflect.MakeSlice(t, 0, min(n, 64)))
		for i := range n {
			if v.Cap() == i {
				v.Grow(1)
			}
			v.SetLen(i + 1)
			elem.read(r, unsafe.Add((*header)(at).data, uintptr(i)*size))
			if r.err != nil {
				return
			}
		}
		r.leave()
	}
}

func (p *plan) array(elem *plan) {
	n, size := p.typ.Len(), p.typ.Elem().Size()
	p.least = n * elem.least
	p.write = func(w *writer, at unsafe.Pointer) {
		for i := range n {
			elem.write(w, unsafe.Add(at, uintptr(i)*size))
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		for i := range n {
			if elem.read(r, unsafe.Add(at, uintptr(i)*size)); r.err != nil {
				return
			}
		}
	}
}

// planned is a field of a struct that is written, with its plan and its offset.
type planned struct {
	of  *plan
	off uintptr
}

// fields returns the fields of the struct t that are written.
func (c *Codec) fields(t reflect.Type, made map[reflect.Type]*plan) (list []planned, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !walked(f) {
			continue
		}
		before := maps.Clone(made)
		of, err := c.make(f.Type, made)
		if err != nil && c.opaque != nil && c.opaque(t, f) {
			maps.DeleteFunc(made, func(t reflect.Type, _ *plan) bool { return before[t] == nil }) // they lead to it
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		list = append(list, planned{of, f.Offset})
	}
	return list, nil
}

func (p *plan) structure(fields []planned) {
	p.least = 0
	for _, f := range fields {
		p.least += f.of.least
	}
	p.write = func(w *writer, at unsafe.Pointer) {
		for i := range fields {
			fields[i].of.write(w, unsafe.Add(at, fields[i].off))
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		for i := range fields {
			if fields[i].of.read(r, unsafe.Add(at, fields[i].off)); r.err != nil {
				return
			}
		}
	}
}

// pointer completes p, the plan of a pointer to values of plan elem. An object is written where it is
// first met, and later only as its number.
func (p *plan) pointer(elem *plan) {
	t := p.typ.Elem()
	p.write = func(w *writer, at unsafe.Pointer) {
		q := *(*unsafe.Pointer)(at)
		if q == nil {
			w.byte(0)
			return
		}
		if w.inKey {
			w.failf("a map has keys with pointers (%s), which mean nothing on another machine", t)
			return
		}
		if t.Size() > 0 && w.again(object{q, elem}) {
			return
		}
		w.byte(1)
		if w.enter() {
			elem.write(w, q)
			w.leave()
		}
	}
	p.read = func(r *reader, at unsafe.Pointer) {
		switch n := r.uint(); {
		case r.err != nil || n == 0:
		case r.inKey:
			r.fail("a map has a key with a pointer")
		case n == 1:
			if !r.has(elem.least) || !r.enter() {
				return
			}
			q := reflect.New(t).UnsafePointer()
			if t.Size() > 0 {
				r.made = append(r.made, object{q, elem})
			}
			*(*unsafe.Pointer)(at) = q
			elem.read(r, q)
			r.leave()
		case n-2 >= uint64(len(r.made)):
			r.fail("a pointer refers to the value number %d, and %d values came before", n-1, len(r.made))
		case r.made[n-2].of != elem:
			r.fail("a pointer to a %s leads to an earlier value, which is a %s", t, r.made[n-2].of.typ)
		default:
			*(*unsafe.Pointer)(at) = r.made[n-2].at
		}
	}
}
