//lint:file-ignore U1000 fields are there because the runtime has them

package fast

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// Map has the memory layout of the runtime's map. dir points to an array of dirLen tables; if dirLen is 0, to a
// single group, which has all entries, at most eight.
type Map struct {
	used    uint64
	seed    uintptr
	dir     unsafe.Pointer
	dirLen  int
	depth   uint8
	shift   uint8
	writing uint8
	tombs   bool
	cleared uint64
}

// Len returns the number of entries.
func (m *Map) Len() int { return int(m.used) }

// table is one of the hash tables of a map. It has the entries whose hashes begin with certain bits.
type table struct {
	used, capacity, growth uint16
	depth                  uint8
	index                  int // the index in dir of the first of the table's entries there
	groups                 unsafe.Pointer
	mask                   uint64 // the number of groups minus one
}

// tables returns the array dir. A table may fill several adjacent places of dir; the one at its index is the
// one to use.
func (m *Map) tables() []*table { return unsafe.Slice((**table)(m.dir), m.dirLen) }

// A group has eight slots for entries (see split), after a word of eight control bytes, one for each slot. The
// highest bit of a control byte is set if the slot is not full.
const (
	groupSlots = 8
	groupWord  = 8
	slotEmpty  = 0x8080808080808080
)

// Layout says where the memory of one map type has the parts of its slots.
type Layout struct {
	group, groups reflect.Type // the types of a group, and of a list of them
	groupSize     uintptr
	keyStep       uintptr // the distance from one slot's key to the next
	elemStep      uintptr // the same for elements, if split
	elemAt        uintptr // the offset of the element, from the group's start if split, else from the key
	keyFar        bool    // the slot holds a pointer to the key
	elemFar       bool
	flat          bool // nothing in a group is a pointer
}

// farSize is the size in bytes above which a slot holds a pointer to the key or the element.
const farSize = 128

// LayoutOf returns the layout of the map type t.
func LayoutOf(t reflect.Type) Layout {
	var l Layout
	k, e := t.Key(), t.Elem()
	if l.keyFar = k.Size() > farSize; l.keyFar {
		k = reflect.PointerTo(k)
	}
	if l.elemFar = e.Size() > farSize; l.elemFar {
		e = reflect.PointerTo(e)
	}
	fields := []reflect.StructField{{Name: "Control", Type: reflect.TypeFor[uint64]()}}
	if split {
		fields = append(fields,
			reflect.StructField{Name: "Keys", Type: reflect.ArrayOf(groupSlots, k)},
			reflect.StructField{Name: "Elems", Type: reflect.ArrayOf(groupSlots, e)})
		l.keyStep, l.elemStep = k.Size(), e.Size()
	} else {
		slot := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: k}, {Name: "Elem", Type: e}})
		fields = append(fields, reflect.StructField{Name: "Slots", Type: reflect.ArrayOf(groupSlots, slot)})
		l.keyStep, l.elemAt = slot.Size(), slot.Field(1).Offset
	}
	l.group = reflect.StructOf(fields)
	if split {
		l.elemAt = l.group.Field(2).Offset
	}
	l.groups, l.groupSize = reflect.SliceOf(l.group), l.group.Size()
	l.flat = pointerless(k) && pointerless(e)
	return l
}

// Near reports whether both keys and elements lie in the slots themselves.
func (l *Layout) Near() bool { return !l.keyFar && !l.elemFar }

// Flat reports whether nothing in the map's memory is a pointer.
func (l *Layout) Flat() bool { return l.flat }

// Adjoin reports whether each element begins where its key ends; size is that of the key.
func (l *Layout) Adjoin(size uintptr) bool { return !split && l.elemAt == size }

// Slots iterates over the full slots of a map, in the order of memory.
type Slots struct {
	l     *Layout
	group unsafe.Pointer
	full  uint64 // a bit for each full slot of the group that is yet to be visited
	more  uint64 // how many groups of the table are yet to be visited
	dir   []*table
	next  int // the index in dir of the next table
}

// Begin makes s begin at the first slot of m, which has the layout l.
func (s *Slots) Begin(m *Map, l *Layout) {
	*s = Slots{l: l}
	switch {
	case m.used == 0:
	case m.dirLen == 0:
		s.enter(m.dir)
	default:
		s.dir = m.tables()
	}
}

func (s *Slots) enter(group unsafe.Pointer) {
	s.group, s.full = group, ^*(*uint64)(group)&slotEmpty
}

// More reports whether there is another full slot, which the next call of Take or Entry returns.
func (s *Slots) More() bool { return s.full != 0 || s.advance() }

// Take returns the addresses of the next full slot's key and element in the slot. There may be pointers to them
// there: see Entry.
func (s *Slots) Take() (key, elem unsafe.Pointer) {
	at := uintptr(bits.TrailingZeros64(s.full) / 8)
	s.full &= s.full - 1
	key = unsafe.Add(s.group, groupWord+at*s.l.keyStep)
	if split {
		return key, unsafe.Add(s.group, s.l.elemAt+at*s.l.elemStep)
	}
	return key, unsafe.Add(key, s.l.elemAt)
}

// Entry returns the addresses of the next key and element themselves, also if the slot holds pointers to them.
func (s *Slots) Entry() (key, elem unsafe.Pointer) {
	key, elem = s.Take()
	if s.l.keyFar {
		key = *(*unsafe.Pointer)(key)
	}
	if s.l.elemFar {
		elem = *(*unsafe.Pointer)(elem)
	}
	return key, elem
}

// advance moves on to the next group with a full slot, and returns false if there is none.
func (s *Slots) advance() bool {
	for {
		switch {
		case s.more > 0:
			s.more--
			s.enter(unsafe.Add(s.group, s.l.groupSize))
		case s.next < len(s.dir):
			if t := s.dir[s.next]; t.index == s.next {
				s.more = t.mask
				s.enter(t.groups)
			}
			s.next++
		default:
			return false
		}
		if s.full != 0 {
			return true
		}
	}
}

// Entries copies the key and the element of one entry to the addresses of the new key and element.
type Entries func(toKey, toElem, key, elem unsafe.Pointer)

// Empty returns a new, empty map, which Fill can make a copy of m.
func (m *Map) Empty() *Map { return &Map{seed: m.seed} }

// Fill makes o, which Empty returned for m, a copy of m, group by group. The seed is the same, so keys have the
// same hashes. copied copies each entry; if it is nil, the groups are copied as bytes, which is correct only
// for maps without pointers.
func (o *Map) Fill(m *Map, l *Layout, copied Entries) {
	switch {
	case m.used == 0:
	case m.dirLen == 0:
		o.dir, o.used = l.copyGroups(m.dir, 1, copied), m.used
	default:
		dir := make([]*table, m.dirLen)
		for i, t := range m.tables() {
			if t.index != i {
				dir[i] = dir[t.index]
				continue
			}
			n := *t
			n.groups = l.copyGroups(t.groups, t.mask+1, copied)
			dir[i] = &n
		}
		*o = *m
		o.dir = unsafe.Pointer(unsafe.SliceData(dir))
	}
}

// Refill makes o a copy of m once more, in the memory that o has if that suffices. o must come from Empty for a
// map of the same layout, and only Fill and Refill may have written to it.
func (o *Map) Refill(m *Map, l *Layout, copied Entries) {
	switch {
	case m.used == 0:
		o.used = 0
		return
	case !o.fits(m):
		*o = Map{seed: m.seed}
		o.Fill(m, l, copied)
		return
	case m.dirLen == 0:
		l.copyGroup(o.dir, m.dir, copied)
	}
	for i, t := range m.tables() {
		if t.index == i {
			o.tables()[i].refill(l, t, copied)
		}
	}
	dir := o.dir
	*o = *m
	o.dir = dir
}

// refill makes o a copy of the table t, which has the same number of groups.
func (o *table) refill(l *Layout, t *table, copied Entries) {
	groups := o.groups
	*o = *t
	o.groups = groups
	for at := uintptr(0); at <= uintptr(t.mask)*l.groupSize; at += l.groupSize {
		l.copyGroup(unsafe.Add(groups, at), unsafe.Add(t.groups, at), copied)
	}
}

// fits reports whether each table of o has as many groups as that of m.
func (o *Map) fits(m *Map) bool {
	if o.dir == nil || o.dirLen != m.dirLen {
		return false
	}
	for i, t := range m.tables() {
		if to := o.tables()[i]; to.index != t.index || to.mask != t.mask {
			return false
		}
	}
	return true
}

// copyGroup copies the group at from to the memory at to.
func (l *Layout) copyGroup(to, from unsafe.Pointer, copied Entries) {
	if copied == nil {
		copy(unsafe.Slice((*byte)(to), l.groupSize), unsafe.Slice((*byte)(from), l.groupSize))
		return
	}
	*(*uint64)(to) = *(*uint64)(from)
	s := Slots{l: l}
	for s.enter(from); s.full != 0; {
		k, e := s.Take()
		copied(unsafe.Add(to, uintptr(k)-uintptr(from)), unsafe.Add(to, uintptr(e)-uintptr(from)), k, e)
	}
}

func (l *Layout) copyGroups(from unsafe.Pointer, n uint64, copied Entries) unsafe.Pointer {
	size := uintptr(n) * l.groupSize
	if copied == nil {
		to := unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		return to
	}
	var to unsafe.Pointer
	if n == 1 {
		to = reflect.New(l.group).UnsafePointer()
	} else {
		to = reflect.MakeSlice(l.groups, int(n), int(n)).UnsafePointer()
	}
	for at := uintptr(0); at < size; at += l.groupSize {
		l.copyGroup(unsafe.Add(to, at), unsafe.Add(from, at), copied)
	}
	return to
}

// pointerless reports whether values of t contain no pointers.
func pointerless(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return t.Len() == 0 || pointerless(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !pointerless(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
