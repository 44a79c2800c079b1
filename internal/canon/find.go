package canon

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Finder finds all values of some types that the walk meets in a value, so that they can be changed in place.
// It skips values whose types cannot contain such values.
type Finder struct {
	w     *Walker
	types []reflect.Type
	plans map[*plan]*holding

	// The fields from here on are the state of one call of Find.
	met   func(reflect.Value)
	seen  once[object]
	lists once[list]
	later []func()
	inKey bool
	past  bool // zero values are skipped
	only  bool // only whether there is a value is asked, so met is not called
	found int  // values that were met so far
	whole any  // the value that Holds searches

	last    dynamicHolding
	opened  dynamicHolding          // of the pointer that an interface in memory held last
	held    []heldEntry             // the entries of the maps around the value that is searched now, a stack
	scratch map[*plan]reflect.Value // the copy of a map's element in which it searches now
}

// holding says whether values of one plan contain values of the Finder's types, and where.
type holding struct {
	looked  bool        // they are themselves values of the types
	may     bool        // they may contain a value of the types
	refused string      // why a value in them could not be found, or ""
	fields  []heldField // of a struct: the fields that may contain a value of the types
	elem    *holding
	key     *holding // of a map
}

// heldField is a field of a struct that may contain a value of the Finder's types.
type heldField struct {
	plan *plan
	off  uintptr
	of   *holding
}

// dynamicHolding is the holding of a type that an interface was found to hold, so that it need not be looked up again.
type dynamicHolding struct {
	typ  reflect.Type
	plan *plan
	of   *holding
}

// once is a set. Most of these sets have few members, which are searched one by one in few, since that is faster than
// a map; larger sets use many.
type once[T comparable] struct {
	few  []T
	many map[T]bool
}

const onceFew = 16

// add adds x, and reports whether it is new.
func (o *once[T]) add(x T) bool {
	switch {
	case len(o.few) < onceFew:
		if slices.Contains(o.few, x) {
			return false
		}
		o.few = append(o.few, x)
		return true
	case len(o.many) == 0:
		if o.many == nil {
			o.many = map[T]bool{}
		}
		for _, y := range o.few {
			o.many[y] = true
		}
	}
	if o.many[x] {
		return false
	}
	o.many[x] = true
	return true
}

func (o *once[T]) clear() {
	o.few = o.few[:0]
	clear(o.many)
}

// list identifies a slice that was visited, by its address and its length.
type list struct {
	object
	len int
}

// Finder returns a Finder that looks for values of these types, which must be structs that are walked by
// their fields.
func (w *Walker) Finder(types ...reflect.Type) *Finder {
	return &Finder{w: w, types: types, plans: map[*plan]*holding{}, scratch: map[*plan]reflect.Value{}}
}

// PassZero makes Find skip zero values. Then maps whose elements hold only zero values cost little.
func (f *Finder) PassZero() *Finder {
	f.past = true
	return f
}

// Find calls met with each place in v that holds a value of the types, in the order of the
// walk; entries of maps come in the order of the hashes of their keys. Each place is
// visited once, however many ways lead there. If met has changed values, the caller must
// call changed, which writes back those in interfaces and maps. The error names a value
// that cannot be found or changed, because it is in a key or in a part that is not walked.
func (f *Finder) Find(v any, met func(reflect.Value)) (changed func(), err error) {
	f.met = met
	if err := f.search(func() { f.dynamic(reflect.ValueOf(v), nil) }); err != nil {
		return nil, err
	}
	later := f.later
	if len(later) == 0 {
		return unchanged, nil
	}
	return func() {
		for _, write := range slices.Backward(later) { // inner values first
			write()
		}
	}, nil
}

func unchanged() {}

// search calls walk, which searches a value. If walk meets a value that cannot be found or changed, search returns
// the reason as an error. It begins by clearing what the previous search has left in f.
func (f *Finder) search(walk func()) (err error) {
	f.later, f.inKey, f.found = nil, false, 0
	f.seen.clear()
	f.lists.clear()
	clear(f.held) // these may be left from a search that ended early
	f.held = f.held[:0]
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(cannotFind)
			if !ok {
				panic(r)
			}
			err = refused
		}
	}()
	walk()
	return nil
}

// Holds reports whether v holds a value of the types, which may be zero.
func (f *Finder) Holds(v any) bool {
	if t := reflect.TypeOf(v); t == nil || f.lacks(t) {
		return false
	}
	past := f.past
	f.past, f.only, f.whole = false, true, v
	err := f.search(f.holdsWhole)
	f.past, f.only, f.whole = past, false, nil
	return f.found > 0 || err != nil
}

func (f *Finder) holdsWhole() {
	any, _ := f.w.plan(reflect.TypeFor[any]())
	f.inside(any, unsafe.Pointer(&f.whole))
}

// lacks reports whether no value of type t can contain a value of the Finder's types.
func (f *Finder) lacks(t reflect.Type) bool {
	p, r := f.w.plan(t)
	return r != nil || f.of(p).lacks()
}

func (h *holding) lacks() bool { return !h.may && h.refused == "" }

// Check returns the reason why a value inside of a t could not be found or changed, or "" if every one can
// be.
func (f *Finder) Check(t reflect.Type) string {
	if p, r := f.w.plan(t); r == nil {
		return f.of(p).refused
	}
	return ""
}

type cannotFind string

func (c cannotFind) Error() string { return string(c) }

func (f *Finder) looked(t reflect.Type) bool { return slices.Contains(f.types, t) }

// of returns the holding of a plan. It computes it at the first call.
func (f *Finder) of(p *plan) *holding {
	if h, known := f.plans[p]; known {
		return h
	}
	h := &holding{may: true, looked: f.looked(p.typ)} // the entry exists before the fields are examined, since the type may contain itself
	f.plans[p] = h
	h.may = f.holds(p, h)
	return h
}

func (f *Finder) holds(p *plan, h *holding) bool {
	switch p.op {
	case opInterface:
		return true
	case opSlice, opArray, opPointer, opAtomic, opAtomicPointer:
		return f.within(p.elem, h)
	case opMap:
		return f.keyed(p, h)
	case opStruct:
		return f.structure(p, h)
	case opSummary:
		f.hides(p.typ, p.typ, "is told by its Summary", h)
	case opContent:
		f.hides(p.typ, p.typ, "is immutable", h)
	}
	return false
}

func (f *Finder) within(p *plan, h *holding) bool {
	of := f.of(p)
	h.refused, h.elem = cmp.Or(h.refused, of.refused), of
	return of.may
}

func (f *Finder) keyed(p *plan, h *holding) bool {
	if f.static(p.typ.Key(), map[reflect.Type]bool{}) {
		h.refused = cmp.Or(h.refused, fmt.Sprintf("a %s has keys that hold one; key the map by something else", p.typ))
	}
	h.key = f.of(p.key)
	return f.within(p.elem, h) || h.key.may
}

func (f *Finder) structure(p *plan, h *holding) bool {
	if f.looked(p.typ) {
		return true
	}
	may, walked := false, map[int]bool{}
	for _, field := range p.fields {
		walked[field.index] = true
		is := f.within(field.plan, h)
		if may = is || may; is {
			h.fields = append(h.fields, heldField{field.plan, field.off, h.elem})
		}
	}
	for i := range p.typ.NumField() {
		if field := p.typ.Field(i); !walked[i] && !f.w.opaqueType(field.Type) && !f.w.skipped(field.Type) {
			f.hides(field.Type, p.typ, "has one in "+field.Name+", which is left out of the state", h)
		}
	}
	return may
}

// hides sets h.refused if the walk skips a part of type t that may contain a value of the Finder's types, so that
// Find would miss it. in is the type of the value that contains the part, and how says why the walk skips it.
func (f *Finder) hides(t, in reflect.Type, how string, h *holding) {
	if f.static(t, map[reflect.Type]bool{}) {
		h.refused = cmp.Or(h.refused, fmt.Sprintf("a %s %s", in, how))
	}
}

// static reports whether values of t may contain a value of the Finder's types that is not behind an
// interface. seen has the types that were examined before.
func (f *Finder) static(t reflect.Type, seen map[reflect.Type]bool) bool {
	if f.looked(t) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return f.static(t.Elem(), seen)
	case reflect.Map:
		return f.static(t.Key(), seen) || f.static(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f.static(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// The methods below walk. A value lies at an address, and its plan may hold a value of the types.

func (f *Finder) value(p *plan, h *holding, at unsafe.Pointer) {
	if h.refused != "" {
		panic(cannotFind(h.refused))
	}
	if !h.may {
		return
	}
	switch p.op {
	case opStruct:
		if h.looked {
			f.leaf(p, at)
			return
		}
		for i := range h.fields {
			field := &h.fields[i]
			f.value(field.plan, field.of, unsafe.Add(at, field.off))
		}
	case opArray:
		f.items(p, h, at, p.typ.Len())
	case opSlice:
		all := *(*[]byte)(at)
		first := unsafe.Pointer(unsafe.SliceData(all))
		if f.lists.add(list{object{uintptr(first), p}, len(all)}) {
			f.items(p, h, first, len(all))
		}
	case opPointer:
		f.pointer(p, h, *(*unsafe.Pointer)(at))
	case opAtomicPointer:
		f.pointer(p, h, *(*unsafe.Pointer)(unsafe.Add(at, p.off)))
	case opAtomic:
		f.value(p.elem, h.elem, unsafe.Add(at, p.off))
	case opInterface:
		f.inside(p, at)
	case opMap:
		f.entries(p, h, at)
	}
}

func (f *Finder) leaf(p *plan, at unsafe.Pointer) {
	v := reflect.NewAt(p.typ, at).Elem()
	switch {
	case f.past && v.IsZero():
	case !f.seen.add(object{uintptr(at), p}):
	case f.inKey:
		panic(cannotFind("a key of a map holds one; key the map by something else"))
	default:
		if f.found++; !f.only {
			f.met(v)
		}
	}
}

func (f *Finder) items(p *plan, h *holding, first unsafe.Pointer, n int) {
	size := p.elem.typ.Size()
	for i := range n {
		f.value(p.elem, h.elem, unsafe.Add(first, uintptr(i)*size))
	}
}

// pointer searches the object to which a pointer leads.
func (f *Finder) pointer(p *plan, h *holding, to unsafe.Pointer) {
	if to == nil || !f.seen.add(object{uintptr(to), p}) {
		return
	}
	was := f.inKey
	f.inKey = false
	f.value(p.elem, h.elem, to)
	f.inKey = was
}

// inside searches the value in the interface at an address. p is the plan of the interface.
func (f *Finder) inside(p *plan, at unsafe.Pointer) {
	q, value := f.w.met(at)
	if q == nil && f.w.known {
		q, value, _ = f.w.open(p, at) // a refusal is reported by the walk
	}
	switch {
	case q == nil:
	case q.op == opPointer:
		if f.opened.plan != q {
			f.opened = dynamicHolding{plan: q, of: f.of(q)}
		}
		f.value(q, f.opened.of, value)
		return
	case f.of(q).lacks():
		return
	case f.only && f.w.known: // nothing will be changed, so it need not be copied
		f.value(q, f.of(q), value)
		return
	}
	v := reflect.NewAt(p.typ, at).Elem()
	f.dynamic(v.Elem(), v.Set)
}

// dynamic searches a value that an interface holds. A value that is not a pointer cannot be changed in place:
// dynamic searches a copy of it, and calls write with the copy if something was found there.
func (f *Finder) dynamic(v reflect.Value, write func(reflect.Value)) {
	if !v.IsValid() {
		return
	}
	if t := v.Type(); f.last.typ != t {
		p, r := f.w.plan(t)
		if r != nil {
			return // the walk refuses this value with a better error
		}
		f.last = dynamicHolding{t, p, f.of(p)}
	}
	p, h := f.last.plan, f.last.of
	switch {
	case h.lacks():
		return
	case p.op == opPointer:
		if h.refused != "" {
			panic(cannotFind(h.refused))
		}
		f.pointer(p, h, v.UnsafePointer())
		return
	case p.op == opMap:
		f.value(p, h, addr(cleaned(v)))
		return
	}
	f.copied(p, cleaned(v), write)
}

// cleaned returns an addressable copy of v, without the mark of unexported fields.
func cleaned(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// copied searches c, a copy of a value. If it finds something, it arranges that write is called with c when
// the caller has made its changes.
func (f *Finder) copied(p *plan, c reflect.Value, write func(reflect.Value)) {
	at := len(f.later)
	if write != nil {
		f.later = append(f.later, nil)
	}
	before := f.found
	f.value(p, f.of(p), addr(c))
	switch {
	case write == nil:
	case f.found == before:
		f.later[at] = unchanged
	default:
		f.later[at] = func() { write(c) }
	}
}

// entries searches the elements of the map at an address, in the order of the hashes of their keys. It also searches
// the keys, but a value found in a key is an error, since it cannot be changed. If the layout of maps in memory is
// known, it searches the elements in place, otherwise in copies.
func (f *Finder) entries(p *plan, h *holding, at unsafe.Pointer) {
	m := *(*unsafe.Pointer)(at)
	if m == nil || !f.seen.add(object{uintptr(m), p}) {
		return
	}
	first := len(f.held)
	if quick := f.past && !h.key.may; f.w.known {
		var c cursor
		for f.w.enter(&c, p, at, 1); c.next(); {
			if !quick || !f.idle(p.elem, h.elem, c.elem) {
				f.held = append(f.held, heldEntry{key: c.key, elem: c.elem})
			}
		}
	} else {
		for it := reflect.NewAt(p.typ, at).Elem().MapRange(); it.Next(); {
			if !quick || !f.idle(p.elem, h.elem, addr(f.element(p.elem, it))) {
				f.held = append(f.held, heldEntry{key: addr(cleaned(it.Key())), elem: addr(cleaned(it.Value()))})
			}
		}
	}
	f.sort(p, first)
	for k := first; k < len(f.held); k++ { // the list may move
		e := f.held[k]
		f.key(p.key, h.key, e.key)
		if h.elem.may && !selfEqual(p.key, e.key) { // setting the element of a NaN key would add another entry
			panic(cannotFind("a map may hold one under a key that is not equal to itself (NaN); key the map by something else"))
		}
		if f.w.known {
			f.value(p.elem, h.elem, e.elem)
			continue
		}
		elem := reflect.NewAt(p.elem.typ, e.elem).Elem()
		f.copied(p.elem, elem, func(elem reflect.Value) {
			reflect.NewAt(p.typ, at).Elem().SetMapIndex(reflect.NewAt(p.key.typ, e.key).Elem(), elem)
		})
	}
	clear(f.held[first:])
	f.held = f.held[:first]
}

// heldEntry is an entry of a map that is being searched.
type heldEntry struct {
	key, elem unsafe.Pointer
	sum       Hash
}

// sort orders f.held, from index first on, by the hashes of the keys.
func (f *Finder) sort(p *plan, first int) {
	all := f.held[first:]
	if len(all) < 2 {
		return
	}
	for i := range all {
		all[i].sum, _ = f.w.Sum(reflect.NewAt(p.key.typ, all[i].key).Elem().Interface()) // a refusal is reported by the walk
	}
	slices.SortFunc(all, func(a, b heldEntry) int {
		return cmp.Or(cmp.Compare(a.sum.Hi, b.sum.Hi), cmp.Compare(a.sum.Lo, b.sum.Lo))
	})
}

// selfEqual reports whether the key at an address is equal to itself; a NaN is not.
func selfEqual(p *plan, key unsafe.Pointer) bool {
	switch p.op {
	case opBool, opInt, opUint, opString, opName:
		return true
	}
	v := reflect.NewAt(p.typ, key).Elem()
	return v.Equal(v)
}

// element returns an addressable copy of the element at which it is. The copy is valid until element is
// called again for the same type.
func (f *Finder) element(p *plan, it *reflect.MapIter) reflect.Value {
	v, made := f.scratch[p]
	if !made {
		v = reflect.New(p.typ).Elem()
		f.scratch[p] = v
	}
	v.SetIterValue(it)
	return v
}

// idle reports whether it is plain from the value itself, without following pointers, slices and maps, that
// nothing will be found in it.
func (f *Finder) idle(p *plan, h *holding, at unsafe.Pointer) bool {
	if h.refused != "" || !h.may {
		return h.refused == ""
	}
	switch p.op {
	case opStruct:
		if h.looked {
			return reflect.NewAt(p.typ, at).Elem().IsZero()
		}
		for i := range h.fields {
			if field := &h.fields[i]; !f.idle(field.plan, field.of, unsafe.Add(at, field.off)) {
				return false
			}
		}
		return true
	case opInterface:
		v := reflect.NewAt(p.typ, at).Elem()
		if v.IsNil() {
			return true
		}
		q, r := f.w.plan(v.Elem().Type())
		return r == nil && f.of(q).lacks()
	case opSlice, opMap, opPointer:
		return *(*unsafe.Pointer)(at) == nil // this is the first word of a slice, too
	}
	return false
}

func (f *Finder) key(p *plan, h *holding, key unsafe.Pointer) {
	if !h.may {
		return
	}
	was := f.inKey
	f.inKey = true
	f.value(p, h, key)
	f.inKey = was
}
