// Package codec writes any value that the simulator accepts as a message, and
// reads it back: unexported fields, maps, pointers that are shared or lead in a
// circle, and what interfaces hold. There is nothing to register and no tag.
//
// The bytes are a function of the value: entries of maps are in the order of their
// keys' bytes, numbers are as short as they can be, and a reader refuses every
// other form. A value begins with its type, by name and by its shape, so that two
// builds that differ in it say so.
//
// A reader believes nothing. Every length is bounded by the bytes that are left,
// memory is taken for no more than those can fill, nesting is bounded, and only
// types of packages that were allowed are made.
package codec
