package canon

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// op is what a plan does with a value.
type op uint8

const (
	opBool op = 1 + iota
	opInt
	opUint
	opFloat32
	opFloat64
	opComplex64
	opComplex128
	opString
	opBytes // a slice of plain bytes
	opSlice
	opArray
	opStruct
	opPointer
	opInterface
	opMap
	opTime
	opMutex
	opAtomic        // a type of sync/atomic that is walked as its field v
	opAtomicPointer // atomic.Pointer
	opSummary
	opContent // an immutable value, which counts by content and not by identity
	opOmit    // left out
)

// plan is what the walk does for one type. Compiling a type writes the first two groups;
// compiling a pointer to the type later sets pointed. The rest belongs to the walk.
type plan struct {
	op     op
	typ    reflect.Type
	elem   *plan // of slice, array, pointer, map, atomic
	key    *plan
	fields []field
	off    uintptr // for opAtomic and opAtomicPointer, the offset of the field v

	plain   bool // no identity and no variable number of visits below: see sumOfEntries
	pointed bool // a pointer to this type was met, so inline values are registered

	tag    uint64 // stands for the type in encodings (see identify)
	short  string // stands for the type in texts
	direct bool   // whether an interface holds values in its second word; known once one was met
	track  *track // the steps of its walk: see trackOf

	// Used by walks by reflection.
	copies scratch
	frames []*mapFrame
	frame  int // frames in use
}

// field is one field of a struct that is walked.
type field struct {
	plan  *plan
	name  string
	index int
	off   uintptr
}

// compiler makes plans and keeps them. Walks read them and marks, and change only the parts
// of a plan that belong to the walk.
type compiler struct {
	omissions
	plans  map[reflect.Type]*plan
	plains map[reflect.Type]*plan // plans that walk a Summarizer's own fields
	tags   map[uint64]reflect.Type
	shorts map[string]reflect.Type

	added []planKey // compiled since the outermost compilation began
	marks int       // how many plans became pointed; a walk restarts if this has grown
	known bool      // whether the memory of maps and interfaces is known: see Slow
}

// planKey finds a plan among w.plans, or among w.plains.
type planKey struct {
	typ   reflect.Type
	plain bool
}

var (
	stringerType   = reflect.TypeFor[fmt.Stringer]()
	summarizerType = reflect.TypeFor[Summarizer]()
	timeType       = reflect.TypeFor[time.Time]()
	mutexType      = reflect.TypeFor[sync.Mutex]()
	rwMutexType    = reflect.TypeFor[sync.RWMutex]()
	atomicPath     = reflect.TypeFor[atomic.Int32]().PkgPath()
)

// plan returns the plan of t, compiling it if it is new.
func (w *compiler) plan(t reflect.Type) (*plan, *refusal) {
	return w.compiled(planKey{t, false})
}

// compiled returns the plan for a key. It keeps plans only if everything that they need was
// compiled, so that a refused type leaves nothing behind.
func (w *compiler) compiled(k planKey) (*plan, *refusal) {
	if p, ok := w.cache(k)[k.typ]; ok {
		return p, nil
	}
	mark := len(w.added)
	p := &plan{typ: k.typ}
	w.cache(k)[k.typ] = p
	w.added = append(w.added, k)
	if r := w.compile(p, k.plain); r != nil {
		for _, a := range w.added[mark:] {
			delete(w.cache(a), a.typ)
		}
		w.added = w.added[:mark]
		return nil, r
	}
	if mark == 0 {
		w.added = w.added[:0]
	}
	return p, nil
}

// dynamicPlan returns the plan of t, with its tag.
func (w *compiler) dynamicPlan(t reflect.Type) (*plan, *refusal) {
	p, r := w.plan(t)
	if r == nil {
		r = w.identify(p)
	}
	if r != nil {
		return nil, r
	}
	return p, nil
}

func (w *compiler) cache(k planKey) map[reflect.Type]*plan {
	if k.plain {
		return w.plains
	}
	return w.plans
}

// compile fills p in. If plain is set, a Summarizer is compiled by its fields.
func (w *compiler) compile(p *plan, plain bool) *refusal {
	t := p.typ
	if w.opaqueType(t) || w.skipped(t) {
		p.op, p.plain = opOmit, true
		return nil
	}
	if t.Kind() != reflect.Interface && w.fixedType(t) {
		return w.compileContent(p)
	}
	if !plain && t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && implements(t, summarizerType) {
		return compileSummary(p)
	}
	switch {
	case t == timeType:
		p.op, p.plain = opTime, true
		return nil
	case t == mutexType || t == rwMutexType:
		p.op, p.plain = opMutex, true
		return nil
	case t.PkgPath() == atomicPath && t.Kind() == reflect.Struct:
		return w.compileAtomic(p)
	}
	return w.compileKind(p)
}

func compileSummary(p *plan) *refusal {
	if embeds(p.typ, summarizerType) {
		return refuse(p.typ, "it embeds a Summarizer, so its Summary may be that of the embedded field alone",
			"give the embedded field a name")
	}
	p.op = opSummary
	return nil
}

func (w *compiler) compileKind(p *plan) *refusal {
	switch t := p.typ; t.Kind() {
	case reflect.Bool:
		p.op, p.plain = opBool, true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.op, p.plain = opInt, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.op, p.plain = opUint, true
	case reflect.Float32:
		p.op, p.plain = opFloat32, true
	case reflect.Float64:
		p.op, p.plain = opFloat64, true
	case reflect.Complex64:
		p.op, p.plain = opComplex64, true
	case reflect.Complex128:
		p.op, p.plain = opComplex128, true
	case reflect.String:
		p.op, p.plain = opString, true
	case reflect.Interface:
		p.op = opInterface
	case reflect.Slice, reflect.Array:
		return w.compileList(p)
	case reflect.Struct:
		return w.compileStruct(p)
	case reflect.Pointer:
		return w.compilePointer(p)
	case reflect.Map:
		return w.compileMap(p)
	case reflect.Func:
		return refuse(t, "functions have no comparable identity", "hand over a value without one")
	case reflect.Chan:
		return refuse(t, "what is in a channel cannot be seen", "hand over a value without one")
	case reflect.Uintptr:
		return refuse(t, "an address differs from run to run", "use another integer type")
	case reflect.UnsafePointer:
		return refuse(t, "what it points to is unknown", "hand over a value without one")
	default:
		panic(fmt.Sprintf("macemc bug: canon has no case for kind %v", t.Kind()))
	}
	return nil
}

func (w *compiler) compileList(p *plan) *refusal {
	e, r := w.plan(p.typ.Elem())
	if r != nil {
		return r.in("[]")
	}
	p.elem = e
	if p.typ.Kind() == reflect.Array {
		p.op, p.plain = opArray, e.plain
		return nil
	}
	p.op = opSlice
	if p.typ.Elem().Kind() == reflect.Uint8 && e.op == opUint {
		p.op = opBytes
	}
	return nil
}

func (w *compiler) compileStruct(p *plan) *refusal {
	p.op, p.plain = opStruct, true
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		// NB: no short circuit, or a rule for a tagged field would seem unused.
		opaque := w.opaqueField(p.typ, f.Name)
		opaque = w.fixedField(p.typ, f) || opaque
		if opaque || f.Name == "_" || f.Tag.Get("mc") == "-" {
			continue
		}
		fp, r := w.plan(f.Type)
		if r != nil {
			return r.inField(p.typ, f.Name)
		}
		if fp.op == opOmit {
			continue
		}
		p.plain = p.plain && fp.plain
		p.fields = append(p.fields, field{plan: fp, name: f.Name, index: i, off: f.Offset})
	}
	return nil
}

func (w *compiler) compilePointer(p *plan) *refusal {
	return w.pointTo(p, opPointer, p.typ.Elem())
}

// pointTo makes p a pointer to t. From now on, inline values of t are
// registered; a walk under way has missed some and must start again.
func (w *compiler) pointTo(p *plan, op op, t reflect.Type) *refusal {
	e, r := w.plan(t)
	if r != nil {
		return r
	}
	if e.op == opOmit {
		p.op, p.plain = opOmit, true
		return nil
	}
	p.op, p.elem = op, e
	if !e.pointed && t.Size() > 0 {
		e.pointed = true
		w.marks++
	}
	return nil
}

func (w *compiler) compileMap(p *plan) *refusal {
	k, r := w.plan(p.typ.Key())
	if r != nil {
		return r.in("[key]")
	}
	if t := unorderable(k); t != nil {
		return refuse(t.typ, "a map key that is a pointer, or left out, has no canonical order",
			"key the map by a value").in("[key]")
	}
	e, r := w.plan(p.typ.Elem())
	if r != nil {
		return r.in("[]")
	}
	p.op, p.key, p.elem = opMap, k, e
	return nil
}

// unorderable returns the part of a key type that no walk can order, or nil. Keys in
// interfaces are checked when they are met.
func unorderable(k *plan) *plan {
	switch k.op {
	case opPointer, opAtomicPointer, opOmit:
		return k
	case opArray, opAtomic:
		return unorderable(k.elem)
	case opStruct:
		for _, f := range k.fields {
			if t := unorderable(f.plan); t != nil {
				return t
			}
		}
	}
	return nil
}

// compileAtomic compiles a type of sync/atomic as its value, which all of them keep in a
// field v.
func (w *compiler) compileAtomic(p *plan) *refusal {
	v, ok := p.typ.FieldByName("v")
	if !ok {
		return refuse(p.typ, "this version of sync/atomic is not known", "hold the value in a field of its own")
	}
	p.off = v.Offset
	if v.Type.Kind() == reflect.UnsafePointer {
		// atomic.Pointer[T] is a struct whose first field is a [0]*T.
		return w.pointTo(p, opAtomicPointer, p.typ.Field(0).Type.Elem().Elem())
	}
	e, r := w.plan(v.Type)
	if r != nil {
		return r
	}
	p.op, p.elem, p.plain = opAtomic, e, e.plain
	return nil
}

// pointerFree reports whether values of t lead to no memory that could change after they
// were copied: no pointer, slice, map, interface, channel or function. Strings and
// time.Time are immutable, so they do not count.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return t.Len() == 0 || pointerFree(t.Elem())
	case reflect.Struct:
		if t == timeType {
			return true
		}
		for i := range t.NumField() {
			if !pointerFree(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
