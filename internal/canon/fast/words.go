package fast

import (
	"reflect"
	"unsafe"
)

// Words are the two words of an interface: its type (of an interface with
// methods, the table of them for its type), and the value or a pointer to it.
type Words struct{ Type, Data unsafe.Pointer }

// Direct reports whether an interface holds values of t in its second word,
// rather than a pointer to them. A pointer to a value is never nil.
func Direct(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return (*Words)(unsafe.Pointer(&zero)).Data == nil
}

// Types is a cache that maps a type, given as the first word of an interface, to a value about it. Place
// gives the slot of a type; a slot has the type that was stored last.
type Types[P any] [256]struct {
	Type unsafe.Pointer
	Of   *P
}

// Place returns the index at which Types remembers a type: the word's upper bits after
// mixing.
func Place(word unsafe.Pointer) uint8 {
	return uint8(uint64(uintptr(word)) * 0x9e3779b97f4a7c15 >> 56)
}
