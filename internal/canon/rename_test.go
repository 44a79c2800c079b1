package canon

import (
	"reflect"
	"testing"
)

type tag struct{ n uint32 }

type tagged struct {
	one   tag
	other any
	list  []tag
	few   [3]tag
	flags map[tag]bool
	named map[tag]*tagged
	inner struct {
		count uint32
		tag   tag
	}
	at *tag
}

func taggedBy(to func(uint32) uint32) *tagged {
	t := func(n uint32) tag { return tag{to(n)} }
	v := &tagged{one: t(1), other: t(2), list: []tag{t(3), t(1)}, few: [3]tag{t(1), t(1), t(4)}, flags: map[tag]bool{t(1): true, t(2): false}}
	v.named = map[tag]*tagged{t(1): {one: t(2)}, t(2): {one: t(3)}, t(4): v}
	v.inner.count, v.inner.tag = 1, t(2)
	v.at = &v.few[2]
	return v
}

// TestRename checks that the hash with replaced names is the hash of the value that has these names.
func TestRename(t *testing.T) {
	w, err := New(Options{Names: reflect.TypeFor[tag]()})
	if err != nil {
		t.Fatal(err)
	}
	plain := walkerOf(omissions{})
	for _, to := range [][]uint32{{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 4, 3, 2, 1}, {0, 2, 3, 4, 1}} {
		w.Rename(to)
		got, err := w.Sum(taggedBy(func(n uint32) uint32 { return n }))
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Sum(taggedBy(func(n uint32) uint32 { return to[n] }))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("with the names %v the sum is %v, want %v", to, got, want)
		}
		if !w.Met(3) || w.Met(5) {
			t.Errorf("3, which is met, and 5, which is not: %v, %v", w.Met(3), w.Met(5))
		}
	}
	if _, err := New(Options{Names: reflect.TypeFor[uint64]()}); err == nil {
		t.Error("a name of 8 bytes is accepted")
	}
}
