package canon

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// op is the way in which a plan's values are walked.
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
	opName    // a number that is renamed: see Options.Names
	opOmit    // left out
)

// plan says how values of one type are walked. Compiling the type sets the first two groups of fields, and
// compiling a pointer to the type later sets pointed. The other fields belong to the walk.
type plan struct {
	op     op
	typ    reflect.Type
	elem   *plan // of slice, array, pointer, map, atomic
	key    *plan
	fields []field
	off    uintptr // for opAtomic and opAtomicPointer, the offset of the field v

	plain   bool // no value inside has an identity, and the number of visits inside is fixed: see sumOfEntries
	pointed bool // a pointer to this type was met, so inline values are registered

	tag    uint64 // stands for the type in encodings (see identify)
	short  string // stands for the type in texts
	direct bool   // whether an interface holds values in its second word; known once one was met
	track  *track // the steps of its walk: see trackOf

	// The fields from here on are used by walks by reflection.
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

// compiler makes the plans of a Walker, and keeps them. A walk only reads these fields; in a plan it changes only
// the fields that belong to the walk.
type compiler struct {
	omissions
	plans  map[reflect.Type]*plan
	plains map[reflect.Type]*plan // plans that walk a Summarizer's own fields
	tags   map[uint64]reflect.Type
	shorts map[string]reflect.Type

	added []planKey // compiled since the outermost compilation began
	marks int       // how many plans became pointed; a walk restarts if this has grown
	known bool      // whether the memory of maps and interfaces is known: see Slow
	names names
}

// names are the numbers that a walk writes in place of the numbers in a value: see Options.Names.
type names struct {
	typ reflect.Type // nil if no numbers are replaced
	to  []uint32     // by number, the one to write in its place
	met []bool
}

func (n *names) rename(to []uint32) {
	n.to = to
	if len(n.met) < len(to) {
		n.met = make([]bool, len(to))
	}
	clear(n.met)
}

// visits returns how many values inside of a value of type n.typ the walk would visit if it did not write another
// number in place of the value: one for each field of a struct, and 0 for any other type.
func (n *names) visits() uint32 {
	if n.typ.Kind() == reflect.Struct {
		return uint32(n.typ.NumField())
	}
	return 0
}

// of returns the number to write in place of k.
func (n *names) of(k uint32) uint32 {
	if int(k) >= len(n.to) {
		return k
	}
	n.met[k] = true
	return n.to[k]
}

// planKey is the key of a plan: one of compiler.plans, or, if plain is set, one of compiler.plains.
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

// plan returns the plan of t. It compiles the plan at the first call.
func (w *compiler) plan(t reflect.Type) (*plan, *refusal) {
	return w.compiled(planKey{t, false})
}

// compiled returns the plan for a key. If a type that the plan needs is refused, it keeps none of the plans
// that it has made.
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

// dynamicPlan returns the plan of t with its tag set, as for a type that an interface holds.
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

// compile fills in p, the plan of a type. If plain is set, a type that implements Summarizer is walked by its
// fields, not by its Summary. compile returns a refusal if the type cannot be walked.
func (w *compiler) compile(p *plan, plain bool) *refusal {
	t := p.typ
	if w.opaqueType(t) || w.skipped(t) {
		p.omit()
		return nil
	}
	if t.Kind() != reflect.Interface && w.fixedType(t) {
		p.content()
		return nil
	}
	if !plain && t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && implements(t, summarizerType) {
		return p.summary()
	}
	if t == w.names.typ {
		p.name()
		return nil
	}
	if p.simple() {
		return nil
	}
	if t.PkgPath() == atomicPath && t.Kind() == reflect.Struct {
		return w.compileAtomic(p)
	}
	return w.compileKind(p)
}

func (p *plan) omit() { p.op, p.plain = opOmit, true }
func (p *plan) name() { p.op, p.plain = opName, true }

func (p *plan) summary() *refusal {
	if embeds(p.typ, summarizerType) {
		return refuse(p.typ, "it embeds a Summarizer, so its Summary may be that of the embedded field alone",
			"give the embedded field a name")
	}
	p.op = opSummary
	return nil
}

// simple completes p if values of its type contain no other values. It returns false if they may contain
// some.
func (p *plan) simple() bool {
	switch p.typ {
	case timeType:
		p.op = opTime
	case mutexType, rwMutexType:
		p.op = opMutex
	default:
		p.op = simpleOps[p.typ.Kind()]
	}
	p.plain = p.op != 0
	return p.plain
}

var simpleOps = [...]op{
	reflect.Bool: opBool,
	reflect.Int:  opInt, reflect.Int8: opInt, reflect.Int16: opInt, reflect.Int32: opInt, reflect.Int64: opInt,
	reflect.Uint: opUint, reflect.Uint8: opUint, reflect.Uint16: opUint, reflect.Uint32: opUint, reflect.Uint64: opUint,
	reflect.Float32: opFloat32, reflect.Float64: opFloat64, reflect.Complex64: opComplex64, reflect.Complex128: opComplex128,
	reflect.String: opString, reflect.UnsafePointer: 0,
}

func (w *compiler) compileKind(p *plan) *refusal {
	switch t := p.typ; t.Kind() {
	case reflect.Interface:
		p.dynamic()
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
	p.list(e)
	return nil
}

func (p *plan) dynamic() { p.op = opInterface }

// list makes p the plan of a list, whose elements have plan e.
func (p *plan) list(e *plan) {
	switch p.elem = e; {
	case p.typ.Kind() == reflect.Array:
		p.op, p.plain = opArray, e.plain
	case p.typ.Elem().Kind() == reflect.Uint8 && e.op == opUint:
		p.op = opBytes
	default:
		p.op = opSlice
	}
}

// structure makes p the plan of a struct that has no fields yet; add adds a field.
func (p *plan) structure() { p.op, p.plain = opStruct, true }

func (p *plan) add(f field) {
	p.plain = p.plain && f.plan.plain
	p.fields = append(p.fields, f)
}

// to makes p the plan of a pointer to values of plan e. as is the op with which such pointers are walked. first
// reports whether no pointer to values of plan e was known before.
func (p *plan) to(e *plan, as op) (first bool) {
	if e.op == opOmit {
		p.omit()
		return false
	}
	p.op, p.elem = as, e
	return e.point()
}

// point records that there are pointers to values of p. It returns true at the first call, unless values of p
// have size zero and so no identity.
func (p *plan) point() (first bool) {
	first = !p.pointed && p.typ.Size() > 0
	p.pointed = p.pointed || first
	return first
}

// table makes p the plan of a map. k is the plan of its keys, e that of its elements.
func (p *plan) table(k, e *plan) { p.op, p.key, p.elem = opMap, k, e }

// atomic makes p the plan of a type of sync/atomic. Its value, of plan e, lies at the offset off.
func (p *plan) atomic(e *plan, off uintptr) { p.op, p.elem, p.plain, p.off = opAtomic, e, e.plain, off }

func (w *compiler) compileStruct(p *plan) *refusal {
	p.structure()
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		// NB: no short circuit, or a rule for a tagged field would seem unused.
		opaque := w.opaqueField(p.typ, f.Name)
		opaque = w.fixedField(p.typ, f) || opaque
		w.leftOut(f.Type) // a rule for the type counts as used, since it may say that copies share the value
		if m := w.madeField(p.typ, f.Name); m != nil {
			if r := m.misfit(f); r != nil {
				return r.inField(p.typ, f.Name)
			}
			continue
		}
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
		p.add(field{plan: fp, name: f.Name, index: i, off: f.Offset})
	}
	return nil
}

func (w *compiler) compilePointer(p *plan) *refusal {
	return w.pointTo(p, opPointer, p.typ.Elem())
}

// pointTo makes p the plan of a pointer to t. From now on, inline values of t are registered. A walk under
// way may have passed some, and then has to start again.
func (w *compiler) pointTo(p *plan, op op, t reflect.Type) *refusal {
	e, r := w.plan(t)
	if r != nil {
		return r
	}
	if p.to(e, op) {
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
	p.table(k, e)
	return nil
}

// unorderable returns the part of a map's key type for which no order can be defined, or nil. k is the plan
// of the key. Keys in interfaces are checked when they are met.
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

// compileAtomic makes p the plan of a type of sync/atomic, which is walked as its field v: all of these types
// keep their value there.
func (w *compiler) compileAtomic(p *plan) *refusal {
	v, ok := p.typ.FieldByName("v")
	if !ok {
		return refuse(p.typ, "this version of sync/atomic is not known", "hold the value in a field of its own")
	}
	if v.Type.Kind() == reflect.UnsafePointer {
		// atomic.Pointer[T] is a struct whose first field is a [0]*T.
		p.off = v.Offset
		return w.pointTo(p, opAtomicPointer, p.typ.Field(0).Type.Elem().Elem())
	}
	e, r := w.plan(v.Type)
	if r != nil {
		return r
	}
	p.atomic(e, v.Offset)
	return nil
}

// pointerFree reports whether a plain copy of a t shares nothing with the original that could change: t leads
// to no pointer, slice, map, interface, channel or function. Strings and time.Time are immutable and allowed.
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
