package canon

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Copy returns a deep copy of v with the same hash and text. Copy and original share no
// memory that could be written, except as listed here.
//
// Pointers, maps and slices that lead to one object in v lead to one object in the copy,
// also in cycles. Pointers into an object or a list lead to the same place in its copy.
// Slices whose arrays overlap, counting their capacities, overlap in the same way in the
// copy. Other slices have no spare capacity in the copy: memory between the length and the
// capacity is copied only if another slice shows it.
//
// Values that Options.Skip leaves out belong to the World, and the copy holds the same
// value. But a pointer to a struct that embeds such a value is copied with everything else
// in the struct: a layer's Env leads to the copied layer. A value that implements a skipped
// interface by its own methods is not copied, so it has to be set again on entry. Values
// that a tag or a rule leaves out are copied if their types can be walked. Otherwise
// (channels, and what leads to them or to functions) the copy holds the same value. Inside
// of a [Summarizer] only such values are shared.
//
// Functions in fields are copied, too. A method value is bound to the copy of its receiver,
// if the receiver's type was met in v. Copy refuses v if another function has variables of
// its own, since these would be shared with the original. See [Walker.Bound].
//
// Strings, errors made by errors.New, and time zones never change and are shared. A lock is
// not held in the copy. Pointers to package variables lead to copies of these.
//
// Copy refuses v by its static type, as Sum does. It calls no Summary.
func (w *Walker) Copy(v any) (any, error) { return w.copies.copy(v) }

func (c *copies) copy(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	t := reflect.TypeOf(v)
	if r := c.accept(t); r != nil {
		return nil, r.under(t)
	}
	c.from = v
	c.copyDynamic(c.any, unsafe.Pointer(&c.to), unsafe.Pointer(&c.from))
	if c.refused == "" && (c.spare || c.overlap()) {
		c.to = nil
		if c.merge() {
			c.again(c.any)
		}
	}
	if c.refused == "" {
		c.finish()
	}
	out, refused := c.to, c.refused
	c.release()
	if refused != "" {
		return nil, fmt.Errorf("cannot copy %s: %s", t, refused)
	}
	return out, nil
}

// ready makes c.any, the plan by which roots are copied.
func (c *copies) ready() { c.any = c.copyPlan(reflect.TypeFor[any]()) }

// accept returns the reason why a root of type t cannot be copied, or nil if it can be.
func (c *copies) accept(t reflect.Type) *refusal {
	if c.root != t {
		if _, r := c.plan(t); r != nil {
			return r
		}
		c.root = t
		c.meet(t)
	}
	return nil
}

// copies makes the copies of a Walker. It holds a plan for each type that was copied, and
// the state of the copy under way, which release clears.
type copies struct {
	*compiler
	ways  map[reflect.Type]*copyPlan // the plans by which values are copied
	any   *copyPlan                  // of type any
	types dynamicTypes[copyPlan]
	funcs map[uintptr]*funcWay    // by the addresses of their code
	met   map[reflect.Type]bool   // the types of values met so far
	named map[string]reflect.Type // these types by the names that they have as receivers

	root     reflect.Type // the type of roots that was accepted last
	from, to any
	blocks   []block // in the order in which they were met
	maps     []copiedMap
	blockAt  addressIndex // of blocks
	mapAt    addressIndex // of maps
	groups   []group      // sorted; in the second pass
	spans    []span       // the memory of blocks, sorted; used by overlap alone
	makings  []making     // fields to be made when the rest is complete
	owner    *owner       // the innermost object around what is copied
	spare    bool         // a slice was met twice, and has capacity beyond its length
	second   bool         // the second pass, in which addresses are translated
	depth    int
	refused  string
}

func (c *copies) release() {
	clear(c.blocks)
	clear(c.maps)
	clear(c.groups)
	clear(c.makings)
	c.makings, c.owner = c.makings[:0], nil
	c.blocks, c.maps, c.groups = c.blocks[:0], c.maps[:0], c.groups[:0]
	c.from, c.to = nil, nil
	c.spare, c.second, c.depth, c.refused = false, false, 0, ""
	c.blockAt.reset()
	c.mapAt.reset()
}

// copySteps copies the value at from to the memory at to. cp is the plan of its type. That
// memory is zero, or holds an earlier copy of the same value.
func (c *copies) copySteps(cp *copyPlan, to, from unsafe.Pointer) {
	for i := range cp.steps {
		s := &cp.steps[i]
		t, f := unsafe.Add(to, s.off), unsafe.Add(from, s.off)
		switch s.op {
		case copyRaw:
			if s.size == 8 {
				*(*[8]byte)(t) = *(*[8]byte)(f)
			} else {
				copy(unsafe.Slice((*byte)(t), s.size), unsafe.Slice((*byte)(f), s.size))
			}
		case copyString:
			*(*string)(t) = *(*string)(f)
		case copyWord:
			*(*unsafe.Pointer)(t) = *(*unsafe.Pointer)(f)
		case copyHeader:
			*(*[]byte)(t) = *(*[]byte)(f)
		case copyWords:
			*(*[2]unsafe.Pointer)(t) = *(*[2]unsafe.Pointer)(f)
		case copyPointer:
			if p := *(*unsafe.Pointer)(f); p != nil {
				*(*unsafe.Pointer)(t) = c.copyObject(s.plan.elem, p)
			}
		case copySlice:
			c.copySlice(s.plan, t, f)
		case copyMap:
			if m := *(*unsafe.Pointer)(f); m != nil {
				*(*unsafe.Pointer)(t) = c.copyMap(s.plan, m)
			}
		case copyInterface:
			c.copyDynamic(s.plan, t, f)
		case copyItems:
			c.copyItems(s.plan, t, f, s.count)
		case copyFunction:
			if p := *(*unsafe.Pointer)(f); p != nil {
				*(*unsafe.Pointer)(t) = c.copyFunc(s.plan, p, s.fixed)
			}
		case copyMade:
			c.later(s, t, f)
		default:
			panic(fmt.Sprintf("macemc bug: canon cannot copy by op %d", s.op))
		}
	}
}

func (c *copies) copyItems(cp *copyPlan, to, from unsafe.Pointer, n int) {
	switch {
	case cp.raw:
		size := uintptr(n) * cp.size
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
	case len(cp.steps) == 1 && cp.steps[0].op == copyString && cp.size == unsafe.Sizeof(""):
		copy(unsafe.Slice((*string)(to), n), unsafe.Slice((*string)(from), n))
	default:
		for i := range uintptr(n) {
			c.copySteps(cp, unsafe.Add(to, i*cp.size), unsafe.Add(from, i*cp.size))
		}
	}
}

// copyObject copies the object at p, whose plan is cp, unless the copy has it already, and
// returns the address of its copy.
func (c *copies) copyObject(cp *copyPlan, p unsafe.Pointer) unsafe.Pointer {
	if c.second {
		return c.translate(p)
	}
	if b := c.find(p, cp, 1); b != nil && b.len == 1 {
		return b.to
	}
	cp.prepare(c)
	to := cp.alloc(1)
	c.add(block{p, to, cp, 1, 1})
	if c.enter() {
		if cp.owns {
			c.copyOwner(cp, to, p)
		} else {
			c.copySteps(cp, to, p)
		}
	}
	c.depth--
	return to
}

// enter enters one more level of nesting. It returns false if that is too deep, and then
// refuses the value.
func (c *copies) enter() bool {
	c.depth++
	if c.depth > depthMax {
		c.refused = fmt.Sprintf("it is nested deeper than %d levels", depthMax)
	}
	return c.refused == ""
}

// alloc returns zeroed memory for n values of the plan's type. Memory with pointers must be
// allocated as that type, so that the garbage collector finds them. For values without
// pointers, and for several strings, alloc need not know the type.
func (cp *copyPlan) alloc(n int) unsafe.Pointer {
	switch {
	case cp.size == 0 || n == 0:
		return unsafe.Pointer(&nothing)
	case cp.raw:
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, (cp.size*uintptr(n)+7)/8)))
	case n == 1:
		return reflect.New(cp.typ).UnsafePointer()
	case len(cp.steps) == 1 && cp.steps[0].op == copyString && cp.size == unsafe.Sizeof(""):
		return unsafe.Pointer(unsafe.SliceData(make([]string, n)))
	default:
		return reflect.MakeSlice(cp.list, n, n).UnsafePointer()
	}
}

// nothing is the address of objects, and of the elements of slices, that take up no memory.
var nothing [0]byte

func (c *copies) copySlice(cp *copyPlan, to, from unsafe.Pointer) {
	s := *(*[]byte)(from) // data, length and capacity lie in the same places for every slice type
	if s == nil {
		return
	}
	e := cp.elem
	n, data := len(s), unsafe.Pointer(unsafe.SliceData(s))
	e.prepare(c)
	if cap(s) == 0 || e.size == 0 {
		putSlice(to, unsafe.Pointer(&nothing), n, n)
		return
	}
	if c.second {
		putSlice(to, c.translate(data), n, cap(s))
		return
	}
	if b := c.find(data, e, cap(s)); b != nil && b.len == n {
		c.spare = c.spare || cap(s) > n // a value that is appended to one of them may appear in the other
		putSlice(to, b.to, n, n)
		return
	}
	copied := e.alloc(n)
	c.add(block{data, copied, e, n, cap(s)})
	if c.enter() {
		c.copyItems(e, copied, data, n)
	}
	c.depth--
	putSlice(to, copied, n, n)
}

// putSlice writes the header of a slice to the memory at to.
func putSlice(to, data unsafe.Pointer, len, cap int) {
	*(*sliceHeader)(to) = sliceHeader{data, len, cap}
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// copyHeld copies the interface at from, with the value that it holds, by reflection. cp is
// the plan of the interface type.
func (c *copies) copyHeld(cp *copyPlan, to, from unsafe.Pointer) {
	i := reflect.NewAt(cp.typ, from).Elem()
	if i.IsNil() {
		return
	}
	e := c.dynamicCopyPlan(i.Elem().Type())
	o := reflect.NewAt(cp.typ, to).Elem()
	if e.shared {
		o.Set(i)
		return
	}
	if e.makes {
		c.refused = byValue(e, "an interface")
		return
	}
	held, copied := reflect.New(e.typ), reflect.New(e.typ)
	held.Elem().Set(i.Elem())
	if c.enter() {
		c.copySteps(e, copied.UnsafePointer(), held.UnsafePointer())
	}
	c.depth--
	o.Set(copied.Elem())
}

// copyMap copies the map m, whose plan is cp, unless the copy has it already, and returns
// its copy.
func (c *copies) copyMap(cp *copyPlan, m unsafe.Pointer) unsafe.Pointer {
	if to := c.findMap(m); to != nil {
		return to
	}
	cp.elem.prepare(c)
	if !c.enter() {
		c.depth--
		return nil
	}
	defer c.leave()
	if cp.elem.makes {
		c.refused = byValue(cp.elem, "a map")
		return nil
	}
	if cp.layout == nil {
		return c.copyEntries(cp, m)
	}
	return c.copyGroups(cp, m)
}

func (c *copies) leave() { c.depth-- }

// copyEntries makes a map and copies all entries of the map p into it, by reflection.
func (c *copies) copyEntries(cp *copyPlan, p unsafe.Pointer) unsafe.Pointer {
	m := reflect.NewAt(cp.typ, unsafe.Pointer(&p)).Elem()
	o := reflect.MakeMapWithSize(cp.typ, m.Len())
	c.addMap(p, o.UnsafePointer())
	key, elem := reflect.New(cp.key.typ), reflect.New(cp.elem.typ)
	for it := m.MapRange(); it.Next(); {
		key.Elem().SetIterKey(it)
		elem.Elem().SetIterValue(it)
		k, e := reflect.New(cp.key.typ), reflect.New(cp.elem.typ)
		c.copySteps(cp.key, k.UnsafePointer(), key.UnsafePointer())
		c.copySteps(cp.elem, e.UnsafePointer(), elem.UnsafePointer())
		o.SetMapIndex(k.Elem(), e.Elem())
	}
	return o.UnsafePointer()
}
