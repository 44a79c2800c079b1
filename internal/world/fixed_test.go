package world

import (
	"reflect"
	"testing"
)

// The text of an event is kept only if equal values always have the same text.
func TestIsFixed(t *testing.T) {
	type number int
	type plain struct {
		Name string
		At   [2]number
		Good bool
	}
	for _, v := range []any{"", number(1), plain{}, struct{}{}, [1]plain{}} {
		if !isFixed(reflect.TypeOf(v)) {
			t.Errorf("the texts of equal values of %T may differ", v)
		}
	}
	for _, v := range []any{new(int), struct{ At *plain }{}, []int{}, map[string]int{}, 0.0, struct{ Any any }{}, [1]error{}, func() {}, complex(0, 0)} {
		if isFixed(reflect.TypeOf(v)) {
			t.Errorf("the texts of equal values of %T are always the same", v)
		}
	}
}
