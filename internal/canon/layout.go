package canon

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// This file knows what the language does not promise: the two words of an
// interface and the memory of a map. Nothing here is used before the self-test
// has found it to be so (see selftest.go); without it, reflection does the same.

// words are the two words of an interface: its type (or table of methods), and
// the value, or a pointer to it.
type words struct{ typ, data unsafe.Pointer }

// direct reports whether an interface holds values of t in its second word,
// rather than a pointer to them. A pointer to a value is never nil.
func direct(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return (*words)(unsafe.Pointer(&zero)).data == nil
}

// swissMap is the runtime's map. A map of at most eight entries may be a single
// group, which dir points to while dirLen is 0; else dir is an array of tables.
type swissMap struct {
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

type swissTable struct {
	used, capacity, growth uint16
	depth                  uint8
	index                  int // in dir, of the first of the table's entries there
	groups                 unsafe.Pointer
	mask                   uint64 // the number of groups, less one
}

// A group is a word of eight control bytes, whose highest bits are set where a
// slot is not full, and eight slots.
const (
	groupSlots = 8
	groupWord  = 8
	slotEmpty  = 0x8080808080808080
)

// mapLayout is where the slots of one type of map have their parts.
type mapLayout struct {
	group, groups   reflect.Type // of one, and a list of them
	flat            bool         // nothing in a group is a pointer
	groupSize       uintptr
	slotSize        uintptr
	elemAt          uintptr
	keyFar, elemFar bool // the slot has a pointer to it
}

// farSize is the size above which keys and elements are not in the slot.
const farSize = 128

func layoutOf(t reflect.Type) mapLayout {
	var l mapLayout
	k, e := t.Key(), t.Elem()
	if l.keyFar = k.Size() > farSize; l.keyFar {
		k = reflect.PointerTo(k)
	}
	if l.elemFar = e.Size() > farSize; l.elemFar {
		e = reflect.PointerTo(e)
	}
	slot := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: k}, {Name: "Elem", Type: e}})
	l.group = reflect.StructOf([]reflect.StructField{
		{Name: "Control", Type: reflect.TypeFor[uint64]()},
		{Name: "Slots", Type: reflect.ArrayOf(groupSlots, slot)},
	})
	l.groups, l.flat = reflect.SliceOf(l.group), pointerless(k) && pointerless(e)
	l.groupSize, l.slotSize, l.elemAt = l.group.Size(), slot.Size(), slot.Field(1).Offset
	return l
}

func (l *mapLayout) key(slot unsafe.Pointer) unsafe.Pointer {
	if l.keyFar {
		return *(*unsafe.Pointer)(slot)
	}
	return slot
}

func (l *mapLayout) elem(slot unsafe.Pointer) unsafe.Pointer {
	e := unsafe.Add(slot, l.elemAt)
	if l.elemFar {
		return *(*unsafe.Pointer)(e)
	}
	return e
}

// slots visits the full slots of a map, in the order of memory.
type slots struct {
	l     *mapLayout
	group unsafe.Pointer
	full  uint64 // a bit for each full slot still to come in group
	more  uint64 // groups to come in the table
	dir   []*swissTable
	next  int // in dir
}

func (s *slots) begin(m *swissMap, l *mapLayout) {
	*s = slots{l: l}
	switch {
	case m.used == 0:
	case m.dirLen == 0:
		s.enter(m.dir)
	default:
		s.dir = unsafe.Slice((**swissTable)(m.dir), m.dirLen)
	}
}

func (s *slots) enter(group unsafe.Pointer) {
	s.group, s.full = group, ^*(*uint64)(group)&slotEmpty
}

// slot returns the next full slot, or nil.
func (s *slots) slot() unsafe.Pointer {
	if s.full == 0 && !s.advance() {
		return nil
	}
	return s.take()
}

// take returns the next full slot of the group, which has one.
func (s *slots) take() unsafe.Pointer {
	at := uintptr(bits.TrailingZeros64(s.full) / 8)
	s.full &= s.full - 1
	return unsafe.Add(s.group, groupWord+at*s.l.slotSize)
}

// advance goes on to the next group with a full slot.
func (s *slots) advance() bool {
	for {
		switch {
		case s.more > 0:
			s.more--
			s.enter(unsafe.Add(s.group, s.l.groupSize))
		case s.next < len(s.dir):
			if t := s.dir[s.next]; t.index == s.next { // a table may have several entries
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

// pointerless reports whether values of t are bytes to the collector.
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
