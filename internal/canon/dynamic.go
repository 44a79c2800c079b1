package canon

import (
	"reflect"
	"unsafe"
)

// Dynamic is a number for the type of what v holds: equal for equal types
// within a process, and got without a look at the type. It is for tables.
func Dynamic(v any) uintptr {
	if !layoutKnown {
		return reflect.ValueOf(reflect.TypeOf(v)).Pointer()
	}
	return uintptr((*words)(unsafe.Pointer(&v)).typ)
}
