package canon

import (
	"testing"
)

type moldPoint struct {
	x    uint8
	y    uint32 // after padding
	list [3]int16
}

type moldNode struct {
	name  any // a pointer
	point *moldPoint
	flag  bool
	left  uint64 `mc:"-"`
}

// TestMolds changes everything in molds of random values and then fills them with other packed values. It checks
// that the mold is then equal to the value, and packs to the same bytes.
func TestMolds(t *testing.T) {
	packs(t)
	w, pool, molds := mustNew(t, Options{}), NewPool(), 0
	check := func(a, b any) {
		t.Helper()
		packed, why := w.Pack(pool, a)
		if why != "" {
			return
		}
		first := string(packed)
		m := w.MoldOf(pool, w.Unpack(pool, []byte(first)))
		if m == nil {
			return
		}
		molds++
		scribble(m.Value())
		for _, v := range []any{b, a, b} {
			packed, why := w.Pack(pool, v)
			if why != "" {
				continue
			}
			packed = []byte(string(packed))
			if !m.Fill(packed) {
				if len(packed) == len(first) && v == a {
					t.Fatalf("a mold made of %#v cannot be filled with it again", v)
				}
				continue
			}
			if got, want := walkedCopy(t, w, m.Value()), walkedCopy(t, w, v); got != want {
				t.Fatalf("filled with\n%s\nthe mold is\n%s", want.text, got.text)
			}
			if again, is := m.Pack(nil); !is || string(again) != string(packed) {
				t.Fatalf("filled with %x, the mold packs %x, %v", packed, again, is)
			}
			scribble(m.Value())
		}
	}
	node := func(k int) any {
		return &moldNode{&moldPoint{x: uint8(k)}, &moldPoint{uint8(k), uint32(k), [3]int16{int16(k), 7, -1}}, k%2 == 0, uint64(k)}
	}
	for k := range 20 {
		check(node(k), node(k+1))
	}
	if molds != 20 {
		t.Errorf("%d nodes of fixed form have molds; want 20", molds)
	}
	for seed := range uint64(1500) {
		m := newMaker(seed)
		typ := m.typ(3)
		check(m.value(typ), m.value(typ))
	}
	if molds < 100 {
		t.Errorf("%d values have molds", molds)
	}
	t.Logf("%d values have molds", molds)
}

// TestMoldNotices checks that a mold whose pointers were changed does not pack, and that a packed value of
// another form does not fill it.
func TestMoldNotices(t *testing.T) {
	packs(t)
	w, pool := mustNew(t, Options{}), NewPool()
	n := &moldNode{name: &moldPoint{}, point: &moldPoint{x: 1}}
	m := w.MoldOf(pool, n)
	if m == nil {
		t.Fatal("a node of fixed form has no mold")
	}
	packed, _ := m.Pack(nil)
	point := n.point
	n.point = &moldPoint{x: 2}
	if _, is := m.Pack(nil); is {
		t.Error("a mold packs an object that it did not have")
	}
	if !m.Fill(packed) || n.point != point || point.x != 1 {
		t.Errorf("a filled mold leads to %v at %p; want 1 at %p", n.point, n.point, point)
	}
	other, why := w.Pack(pool, &moldNode{name: &moldNode{}, point: &moldPoint{}})
	if why != "" || m.Fill(other) {
		t.Errorf("a mold was filled with another form (%s)", why)
	}
	for _, v := range []any{
		&moldNode{}, &moldNode{name: point, point: point}, &struct{ list []int }{[]int{1}}, &struct{ s string }{"a"},
		&struct{ m map[int]int }{map[int]int{}}, &struct{ any }{7},
	} {
		if w.MoldOf(pool, v) != nil {
			t.Errorf("%#v has a mold", v)
		}
	}
}
