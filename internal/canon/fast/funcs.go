package fast

import (
	"reflect"
	"unsafe"
)

// A function value is a pointer to a closure: the address of its code, followed by its
// variables. Only the compiler knows these, except for a method value, whose one variable
// is the receiver.

// Bound returns the type of the struct that a method value is in memory, given the type
// of its receiver.
func Bound(receiver reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "Code", Type: reflect.TypeFor[uintptr]()},
		{Name: "Receiver", Type: receiver},
	})
}

// Code returns the address at which the machine code of a function value begins.
func Code(f unsafe.Pointer) uintptr { return *(*uintptr)(f) }
