package canon

import (
	"reflect"
	"runtime"
	"unsafe"

	"macemc/internal/canon/fast"
)

// This file calls package fast, which knows Go's runtime, and has an implementation by
// reflection beside each call. If fast must not be used, Walker.known is false and only
// reflection is left: the same bytes and copies, more slowly.

// Slow returns the reason why this process walks values by reflection, which takes several times as long as
// reading memory. It returns "" if it reads memory.
func Slow() string { return fast.Fault() }

// The types of package fast that canon uses without looking into them.
type (
	dynamicTypes[P any] = fast.Types[P]
	mapLayout           = fast.Layout
)

// memory says how a walk may read the maps of one type in memory.
type memory struct {
	layout *mapLayout
	entry  entryKind
}

// entryKind says how the walk reads an entry of a map.
type entryKind uint8

const (
	entryWalked  entryKind = iota
	entryRaw               // key and element are bytes
	entryTouches           // key and element are adjacent bytes
	entryShort             // they are bytes, at most a word each, and at least four together
)

// learn completes f, the track of p, if p is the plan of a map: it adds how the entries lie in memory.
func (w *Walker) learn(p *plan, f *track) {
	if p.op != opMap || !w.known {
		return
	}
	if f.layout == nil {
		l := fast.LayoutOf(p.typ)
		f.layout = &l
	}
	k, e := w.trackOf(p.key), w.trackOf(p.elem)
	switch {
	case !k.raw || !e.raw || !f.layout.Near():
		f.entry = entryWalked
	case f.layout.Adjoin(k.size):
		f.entry = entryTouches
	case isWord(k.size) && isWord(e.size) && k.size+e.size >= 4:
		f.entry = entryShort
	default:
		f.entry = entryRaw
	}
}

// Interfaces

// Dynamic returns a number for the dynamic type of v, for use as a table's key. Within a process, equal types
// have equal numbers. It is fast.
func Dynamic(v any) uintptr {
	if fast.On() {
		return uintptr((*fast.Words)(unsafe.Pointer(&v)).Type)
	}
	return slowly(v)
}

// slowly is Dynamic by reflection. It is a function of its own so that the compiler inlines Dynamic.
func slowly(v any) uintptr { return reflect.ValueOf(reflect.TypeOf(v)).Pointer() }

// encodeAny appends the encoding of v, a value that is in no variable of the root, so that it has no address
// from which the walk could read it.
func (w *Walker) encodeAny(v any, b []byte) (_ []byte, r *refusal) {
	typ := (*fast.Words)(unsafe.Pointer(&v)).Type
	d := &w.types[fast.Place(typ)]
	if typ == nil || d.Type != typ || d.Of.op == opOmit || d.Of.op != opPointer && d.Of.direct {
		return w.encodeHeld(v, b)
	}
	b = put64(append(b, markHere), d.Of.tag)
	w.walk.root()
	data := (*fast.Words)(unsafe.Pointer(&v)).Data
	if d.Of.op == opPointer {
		w.walk.visit(1)
		b, r = w.encodePointer(d.Of, data, b)
	} else {
		b, r = w.encode(w.trackOf(d.Of), 0, data, b)
	}
	runtime.KeepAlive(v)
	return b, r
}

// met returns the plan and the address of the value that the interface at an address holds, if a value of
// this type was met before. Otherwise, or if the layout of interfaces is not known, it returns nil.
func (w *Walker) met(at unsafe.Pointer) (*plan, unsafe.Pointer) {
	v := (*fast.Words)(at)
	d := &w.types[fast.Place(v.Type)]
	if d.Type != v.Type || v.Type == nil {
		return nil, nil
	}
	if d.Of.direct {
		return d.Of, unsafe.Pointer(&v.Data)
	}
	return d.Of, v.Data
}

// open returns the plan and the address of the value that the interface at an address holds. p is the plan of
// the interface. Unlike met, open compiles a plan for a type that is new. It returns a nil plan for a nil
// interface. If the layout of interfaces is not known, the address is that of a copy, which is valid until
// shut.
func (w *Walker) open(p *plan, at unsafe.Pointer) (*plan, unsafe.Pointer, *refusal) {
	v := reflect.NewAt(p.typ, at).Elem().Elem()
	if !v.IsValid() {
		return nil, nil, nil
	}
	e, r := w.dynamicPlan(v.Type())
	switch {
	case r != nil:
		return nil, nil, r
	case !w.known && e.op == opOmit:
		return e, nil, nil
	case !w.known:
		return e, unsafe.Pointer(e.copies.take(v).UnsafeAddr()), nil
	}
	e.direct = fast.Direct(e.typ)
	d := &w.types[fast.Place((*fast.Words)(at).Type)]
	d.Type, d.Of = (*fast.Words)(at).Type, e
	e, value := w.met(at)
	return e, value, nil
}

// shut ends the use of what open returned last.
func (w *Walker) shut(e *plan) {
	if !w.known {
		e.copies.give()
	}
}

// Maps

// mapLen returns the length of the map at an address, which is not nil and has plan p.
func (w *Walker) mapLen(p *plan, at unsafe.Pointer) int {
	if w.known {
		return (*(**fast.Map)(at)).Len()
	}
	return countLen(p, at)
}

func countLen(p *plan, at unsafe.Pointer) int { return reflect.NewAt(p.typ, at).Elem().Len() }

// cursor iterates over the entries of a map, in any order. The addresses of an entry stay valid until size
// further entries were visited, where size is the argument of Walker.enter.
type cursor struct {
	key, elem unsafe.Pointer
	slots     fast.Slots
	plan      *plan
	frame     *mapFrame
}

// enter makes c a cursor for the map at an address, whose plan is p.
func (w *Walker) enter(c *cursor, p *plan, at unsafe.Pointer, size int) {
	if !w.known {
		c.plan, c.frame = p, p.takeFrame(at, size)
		return
	}
	c.slots.Begin(*(**fast.Map)(at), w.trackOf(p).layout)
}

func (c *cursor) next() bool {
	if c.frame != nil {
		c.key, c.elem = c.frame.next()
		return c.key != nil
	}
	if !c.slots.More() {
		return false
	}
	c.key, c.elem = c.slots.Entry()
	return true
}

func (c *cursor) leave() {
	if c.frame != nil {
		c.plan.giveFrame()
	}
}

// sumOfNumbers is sumOfEntries for maps whose keys and elements are bytes that lie in the map's own memory.
func (w *Walker) sumOfNumbers(p *plan, at unsafe.Pointer, b []byte) (sum Hash, _ []byte) {
	f := p.track
	k, e := p.key.track, p.elem.track
	m := *(**fast.Map)(at)
	w.walk.visit(uint64(m.Len()) * (k.rawVisit + e.rawVisit))
	var s fast.Slots
	s.Begin(m, f.layout)
	switch f.entry {
	case entryTouches:
		size := k.size + e.size
		for s.More() {
			key, _ := s.Take()
			sum = sum.Add(ofBytes(unsafe.Slice((*byte)(key), size)))
		}
	case entryShort:
		for s.More() {
			key, elem := s.Take()
			sum = sum.Add(ofPair(word(key, k.size), word(elem, e.size), k.size, e.size))
		}
	default:
		start := len(b)
		for s.More() {
			key, elem := s.Take()
			b = append(b[:start], unsafe.Slice((*byte)(key), k.size)...)
			b = append(b, unsafe.Slice((*byte)(elem), e.size)...)
			sum = sum.Add(ofBytes(b[start:]))
		}
		b = b[:start]
	}
	return sum, b
}

// Copies

// copyDynamic copies the interface at from, with the value that it holds. cp is the plan of the interface.
func (c *copies) copyDynamic(cp *copyPlan, to, from unsafe.Pointer) {
	if !c.known {
		c.copyHeld(cp, to, from)
		return
	}
	f, t := (*fast.Words)(from), (*fast.Words)(to)
	if f.Type == nil {
		return
	}
	d := &c.types[fast.Place(f.Type)]
	if d.Type != f.Type {
		e := c.dynamicCopyPlan(reflect.NewAt(cp.typ, from).Elem().Elem().Type())
		e.direct = fast.Direct(e.typ)
		d.Type, d.Of = f.Type, e
	}
	e := d.Of
	switch {
	case e.shared:
		*t = *f
	case e.makes:
		c.refused = byValue(e, "an interface")
	case !c.enter(): // enter has recorded the refusal
	case e.direct:
		t.Type = f.Type
		c.copySteps(e, unsafe.Pointer(&t.Data), unsafe.Pointer(&f.Data))
		c.depth--
	default:
		box := e.alloc(1)
		c.copySteps(e, box, f.Data)
		*t = fast.Words{Type: f.Type, Data: box}
		c.depth--
	}
}

// layoutOf returns the layout of the maps of type t. It returns nil if the groups of entries of which such a
// map consists in memory cannot be copied one by one.
func (c *copies) layoutOf(t reflect.Type) *mapLayout {
	if !c.known {
		return nil
	}
	l := fast.LayoutOf(t)
	if !l.Near() {
		return nil
	}
	return &l
}

// copyGroups returns a copy of the map p, made group by group. cp is the plan of the map.
func (c *copies) copyGroups(cp *copyPlan, p unsafe.Pointer) unsafe.Pointer {
	m := (*fast.Map)(p)
	o := m.Empty()
	c.addMap(p, unsafe.Pointer(o))
	var entry fast.Entries
	if !cp.layout.Flat() || cp.elem.holes {
		entry = func(toKey, toElem, key, elem unsafe.Pointer) {
			c.copySteps(cp.key, toKey, key)
			c.copySteps(cp.elem, toElem, elem)
		}
	}
	o.Fill(m, cp.layout, entry)
	return unsafe.Pointer(o)
}

// code returns where the machine code of the function value f begins.
func (c *copies) code(cp *copyPlan, f unsafe.Pointer) uintptr {
	if c.known {
		return fast.Code(f)
	}
	return reflect.NewAt(cp.typ, unsafe.Pointer(&f)).Elem().Pointer()
}

// boundPlan returns the plan for the struct that a method value is in memory, given the type of its receiver.
// It is called only if the layout of functions is known.
func (c *copies) boundPlan(receiver reflect.Type) *copyPlan {
	t := fast.Bound(receiver)
	if cp := c.ways[t]; cp != nil {
		return cp
	}
	cp := c.copyPlan(t)
	cp.ready = true
	k := &copyCompiler{of: c}
	k.bytes(0, t.Field(0).Type.Size())
	k.add(receiver, t.Field(1).Offset)
	cp.steps, cp.holes = k.steps, k.holes
	return cp
}
