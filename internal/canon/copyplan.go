package canon

import (
	"errors"
	"reflect"
	"time"
)

// copyOp says how a part of an object's memory is copied.
type copyOp uint8

const (
	copyRaw       copyOp = 1 + iota // bytes without pointers
	copyString                      // strings are shared, since they do not change
	copyWord                        // a pointer that the copy shares with the original
	copyHeader                      // the header of a slice that the copy shares
	copyWords                       // an interface whose value the copy shares
	copyPointer                     // of type plan
	copySlice                       // of type plan
	copyMap                         // of type plan
	copyInterface                   // of type plan
	copyItems                       // an array: count elements of type plan
	copyFunction                    // of type plan
	copyMade                        // a field at size in the struct of type plan: see made.go
)

// copyStep copies the part of a value that begins at the offset off. Memory that no step covers stays zero.
type copyStep struct {
	op    copyOp
	off   uintptr
	size  uintptr // of copyRaw; of copyMade, the offset of the field
	count int     // of copyItems
	fixed bool    // of copyFunction: it is shared if it is not a method value, since it never changes
	plan  *copyPlan
}

// copyPlan describes how values of one type are copied. Its steps are compiled when they
// are first needed, since types may contain pointers to themselves.
type copyPlan struct {
	typ   reflect.Type
	size  uintptr
	elem  *copyPlan // of pointers, slices, arrays and maps
	key   *copyPlan // of maps
	steps []copyStep
	ready bool // whether steps are compiled

	raw    bool // whether the only step is a copyRaw of the whole value
	holes  bool // whether parts stay zero on purpose, as locks do
	still  bool // whether nothing in the value can change, so that interfaces share it
	makes  bool // whether a field in the value is made again: see Made
	owns   bool // whether the function of a Made may take a pointer to the value
	direct bool // see fast.Direct

	made *Made // how a field of the struct is made; for copyMade

	list   reflect.Type // the type []typ
	layout *mapLayout   // the layout of a map that can be copied group by group

	// The fields from here on are set when an interface was first found to hold the type.
	met    bool
	shared bool // copies share the value, since it belongs to the World, cannot change, or cannot be walked
	boxed  bool // the value is shared only since it cannot change: a copy may as well have its own
	fixed  bool // the value cannot change, or belongs to the World
}

// immutable lists types of the standard library whose objects never change, so that copies share them. Errors
// made by errors.New must be shared: programs compare them by address, so a copy would be another error.
var immutable = map[reflect.Type]bool{
	reflect.TypeOf(errors.New("")):    true,
	reflect.TypeFor[*time.Location](): true,
}

// copyPlan returns the plan by which values of t are copied.
func (c *copies) copyPlan(t reflect.Type) *copyPlan {
	if cp := c.ways[t]; cp != nil {
		return cp
	}
	cp := &copyPlan{typ: t, size: t.Size(), list: reflect.SliceOf(t)}
	c.ways[t] = cp
	return cp
}

// dynamicCopyPlan returns the plan for copying a value of type t that an interface holds.
func (c *copies) dynamicCopyPlan(t reflect.Type) *copyPlan {
	cp := c.copyPlan(t)
	if cp.met {
		return cp
	}
	cp.meet(c)
	return cp
}

// meet decides how an interface that holds a value of this type is copied.
func (cp *copyPlan) meet(c *copies) {
	cp.met = true
	c.meet(cp.typ)
	cp.prepare(c)
	cp.shared = c.ofWorld(cp.typ) || immutable[cp.typ] || c.fixedType(cp.typ) || !c.walkable(cp.typ)
	cp.boxed = cp.still && !cp.shared
	cp.fixed = cp.still || c.ofWorld(cp.typ) || immutable[cp.typ] || c.fixedType(cp.typ)
	cp.shared = cp.shared || cp.still
}

// prepare compiles the steps of cp, unless they are compiled.
func (cp *copyPlan) prepare(c *copies) {
	if cp.ready {
		return
	}
	cp.ready = true
	k := &copyCompiler{of: c}
	k.add(cp.typ, 0)
	cp.compiled(k, c.owns(cp.typ))
}

// compiled completes cp with the steps that k has compiled. owns says whether a function of Options.Made may
// take a pointer to a value of this plan as its owner.
func (cp *copyPlan) compiled(k *copyCompiler, owns bool) {
	cp.ready, cp.steps, cp.holes, cp.owns = true, k.steps, k.holes, owns
	cp.still = true
	for _, s := range cp.steps {
		switch s.op {
		case copyRaw, copyString, copyWord, copyHeader, copyWords:
		default:
			cp.still = false
		}
		cp.makes = cp.makes || s.op == copyMade || s.op == copyItems && s.plan.makes
	}
	cp.raw = len(cp.steps) == 1 && cp.steps[0].op == copyRaw && cp.steps[0].size == cp.size
}

type copyCompiler struct {
	of    *copies
	steps []copyStep
	holes bool
}

func (c *copyCompiler) step(op copyOp, off uintptr, plan *copyPlan) {
	c.steps = append(c.steps, copyStep{op: op, off: off, plan: plan})
}

// bytes adds a step for size bytes without pointers at the offset off. If they adjoin the previous such step,
// it extends that step. Padding between two parts ends a step, since padding need not be initialized and is
// not copied.
func (c *copyCompiler) bytes(off, size uintptr) {
	if n := len(c.steps); n > 0 {
		if last := &c.steps[n-1]; last.op == copyRaw && last.off+last.size == off {
			last.size += size
			return
		}
	}
	if size > 0 {
		c.steps = append(c.steps, copyStep{op: copyRaw, off: off, size: size})
	}
}

// add adds the steps that copy a value of type t at the offset off.
func (c *copyCompiler) add(t reflect.Type, off uintptr) {
	of := c.of
	switch {
	case t.Kind() != reflect.Interface && of.ofWorld(t), immutable[t], t == timeType:
		c.share(t, off)
		return
	case t == mutexType, t == rwMutexType:
		c.holes = true // the lock is not held in the copy
		return
	case of.leftOut(t) && !of.walkable(t), t.Kind() != reflect.Interface && of.fixedType(t):
		c.share(t, off)
		return
	case t.PkgPath() == atomicPath && t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type.Kind() == reflect.Array:
		// atomic.Pointer[T]: see compileAtomic
		if v, ok := t.FieldByName("v"); ok && v.Type.Kind() == reflect.UnsafePointer {
			c.add(t.Field(0).Type.Elem(), off+v.Offset)
			return
		}
	}
	switch t.Kind() {
	case reflect.String:
		c.step(copyString, off, nil)
	case reflect.Pointer:
		if t.Elem().Size() == 0 {
			c.step(copyWord, off, nil)
			return
		}
		c.step(copyPointer, off, of.copyPlan(t).leading(of))
	case reflect.Slice:
		c.step(copySlice, off, of.copyPlan(t).leading(of))
	case reflect.Map:
		c.step(copyMap, off, of.copyPlan(t).mapping(of))
	case reflect.Interface:
		c.step(copyInterface, off, of.copyPlan(t))
	case reflect.Array:
		c.array(t, off)
	case reflect.Struct:
		for i := range t.NumField() {
			c.field(t, t.Field(i), off)
		}
	case reflect.Func:
		c.step(copyFunction, off, of.copyPlan(t))
	default: // numbers are bytes; channels are shared
		c.share(t, off)
	}
}

func (c *copyCompiler) array(t reflect.Type, off uintptr) {
	e := c.of.copyPlan(t.Elem())
	e.prepare(c.of)
	c.holes = c.holes || e.holes
	switch n := t.Len(); {
	case e.raw:
		c.bytes(off, t.Size())
	case n <= unrolled:
		for i := range uintptr(n) {
			c.add(t.Elem(), off+i*e.size)
		}
	default:
		c.steps = append(c.steps, copyStep{op: copyItems, off: off, count: n, plan: e})
	}
}

// field adds the steps that copy the field f of the struct type t, which lies at the offset off.
func (c *copyCompiler) field(t reflect.Type, f reflect.StructField, off uintptr) {
	of := c.of
	made := of.madeField(t, f.Name)
	if made != nil {
		c.steps = append(c.steps, copyStep{op: copyMade, off: off, size: f.Offset, plan: &copyPlan{typ: t, made: made}})
	}
	off += f.Offset
	switch {
	case f.Name == "_" || made != nil:
	case f.Type.Kind() == reflect.Func && of.fixedField(t, f):
		c.steps = append(c.steps, copyStep{op: copyFunction, off: off, plan: of.copyPlan(f.Type), fixed: true})
	case of.sharesField(t, f):
		c.share(f.Type, off)
	default:
		c.add(f.Type, off)
	}
}

// sharesField reports whether the copy of a struct of type t shares the value of the field f with the
// original. That is so in two cases: a rule declares the functions in the field immutable, or the field is
// left out of the state and its value cannot be walked. Other functions, and lists of them, are copied even if
// they are left out.
func (w *compiler) sharesField(t reflect.Type, f reflect.StructField) bool {
	if w.fixedField(t, f) {
		return true
	}
	opaque := w.opaqueField(t, f.Name)
	return (opaque || f.Tag.Get("mc") == "-") && !w.ofWorld(f.Type) && !w.walkable(f.Type) && !functions(f.Type)
}

// functions reports whether t is a function type, or a list or a map of functions, which may be nested. It
// gives up at lists that are nested very deeply, since these may be lists of themselves.
func functions(t reflect.Type) bool {
	const nested = 16
	for range nested {
		switch t.Kind() {
		case reflect.Func:
			return true
		case reflect.Slice, reflect.Array:
		case reflect.Map:
			if !pointerFree(t.Key()) {
				return false
			}
		default:
			return false
		}
		t = t.Elem()
	}
	return false
}

// share adds a step for a value that the copy shares with the original.
func (c *copyCompiler) share(t reflect.Type, off uintptr) {
	switch t.Kind() {
	case reflect.String:
		c.step(copyString, off, nil)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		c.step(copyWord, off, nil)
	case reflect.Slice:
		c.step(copyHeader, off, nil)
	case reflect.Interface:
		c.step(copyWords, off, nil)
	case reflect.Array:
		for i := range uintptr(t.Len()) {
			c.share(t.Elem(), off+i*t.Elem().Size())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			c.share(t.Field(i).Type, off+t.Field(i).Offset)
		}
	default:
		c.bytes(off, t.Size())
	}
}

// leading completes the plan of a pointer or a slice: it sets the plan of the elements.
func (cp *copyPlan) leading(c *copies) *copyPlan {
	cp.elem = c.copyPlan(cp.typ.Elem())
	return cp
}

// mapping completes the plan of a map: it sets the plans of the keys and the elements.
func (cp *copyPlan) mapping(c *copies) *copyPlan {
	if cp.elem != nil {
		return cp
	}
	t := cp.typ
	cp.leading(c)
	cp.key = &copyPlan{typ: t.Key(), size: t.Key().Size(), ready: true}
	k := &copyCompiler{of: c}
	if pointerFree(t.Key()) {
		k.share(t.Key(), 0)
		cp.layout = c.layoutOf(t)
	} else {
		k.add(t.Key(), 0)
	}
	cp.key.steps = k.steps
	return cp
}

// walkable reports whether every type that t leads to can be walked. If so, a value of t can be copied, even
// if it is left out of the state.
func (w *compiler) walkable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && !w.ofWorld(t) && !immutable[t] {
		t = t.Elem() // a rule may name the element type
	}
	return w.walkableParts(t, map[reflect.Type]bool{})
}

// walkableParts is walkable for the types that t leads to. seen has the types that were checked before.
func (w *compiler) walkableParts(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || t == timeType || immutable[t] || w.ofWorld(t) || t.Kind() != reflect.Interface && (implements(t, summarizerType) || w.fixedType(t)) {
		return true
	}
	seen[t] = true
	walkable := func(t reflect.Type) bool { return w.leftOut(t) || w.walkableParts(t, seen) }
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return walkable(t.Elem())
	case reflect.Map:
		return walkable(t.Key()) && walkable(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == atomicPath {
			_, r := w.plan(t)
			return r == nil
		}
		for i := range t.NumField() {
			f := t.Field(i)
			opaque := w.opaqueField(t, f.Name)
			opaque = w.fixedField(t, f) || opaque || w.madeField(t, f.Name) != nil
			if !opaque && f.Name != "_" && f.Tag.Get("mc") != "-" && !walkable(f.Type) {
				return false
			}
		}
	}
	return true
}
