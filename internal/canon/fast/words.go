package fast

import (
	"reflect"
	"unsafe"
)

// Words are the two words of an interface value in memory. The first is the type, or, in an interface
// type with methods, the table of these methods for the type. The second is the value or a pointer to
// it.
type Words struct{ Type, Data unsafe.Pointer }

// Direct reports whether an interface holds values of t in its second word,
// rather than a pointer to them. A pointer to a value is never nil.
func Direct(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return (*Words)(unsafe.Pointer(&zero)).Data == nil
}

// Types is a cache with a value for each type. Place computes the place of a type in it from the
// first word of an interface that holds the type. If two types have the same place, the later one
// replaces the earlier one.
type Types[P any] [256]struct {
	Type unsafe.Pointer
	Of   *P
}

// Place returns the index in Types of the type that the first word of an interface stands for.
func Place(word unsafe.Pointer) uint8 {
	return uint8(uint64(uintptr(word)) * 0x9e3779b97f4a7c15 >> 56)
}
