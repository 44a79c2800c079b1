package world

import (
	"reflect"
	"regexp"
	"runtime"
	"unsafe"
)

// Bound names a function value in a node that has variables of its own: a
// method value, or a closure. A copy of the node would share them with the
// original, so such nodes are not copied, and engines that copy are not for
// them. "": there is none.
func (w *World) Bound() string {
	b := bound{seen: map[unsafe.Pointer]bool{}}
	for i := range w.nodes {
		b.look(reflect.ValueOf(w.nodes[i].seen.Node))
	}
	return b.found
}

// bound looks for function values with variables.
type bound struct {
	seen  map[unsafe.Pointer]bool
	found string
}

// variables match the names that Go gives to method values and to closures.
var variables = regexp.MustCompile(`-fm$|\.func\d+`)

func (b *bound) look(v reflect.Value) {
	if b.found != "" || !v.IsValid() || v.Type().Implements(envType) || v.Type().Implements(tableType) {
		return
	}
	switch v.Kind() {
	case reflect.Func:
		if !v.IsNil() {
			if f := runtime.FuncForPC(v.Pointer()); f == nil || variables.MatchString(f.Name()) {
				b.found = v.Type().String()
				if f != nil {
					b.found = f.Name()
				}
			}
		}
	case reflect.Pointer:
		if v.IsNil() || b.seen[v.UnsafePointer()] {
			return
		}
		b.seen[v.UnsafePointer()] = true
		b.look(v.Elem())
	case reflect.Interface:
		b.look(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			b.look(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.look(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			b.look(it.Value())
		}
	}
}
