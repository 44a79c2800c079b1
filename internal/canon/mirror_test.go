package canon

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

type mirrored struct {
	n     int
	name  string
	flat  map[uint32]mirroredPart
	texts map[int]string
	lists map[int16][]string
	deep  map[int]map[int]mirroredPart
	part  mirroredPart
	parts []mirroredPart
	array [5]struct{ text string }
	any   any
	none  []struct{}
}

type mirroredPart struct {
	a uint8
	b int64
}

// change changes one thing in the object.
func (m *mirrored) change(r *rand.Rand) {
	k := r.IntN(30)
	part := mirroredPart{uint8(k), int64(k) << 40}
	switch r.IntN(16) {
	case 0:
		m.n, m.name, m.part = k, fmt.Sprint(k), part
	case 1:
		m.array[k%5].text = fmt.Sprint(k)
	case 2:
		m.parts = append(m.parts, part)
	case 3:
		m.parts = m.parts[:len(m.parts)/2]
	case 4:
		m.parts = nil
	case 5:
		m.any = [...]any{nil, k, fmt.Sprint(k), part, &part}[k%4]
	case 6:
		m.none = make([]struct{}, k%3)
	case 7:
		m.flat = [...]map[uint32]mirroredPart{nil, {}, m.flat}[k%3]
	case 8:
		clear(m.texts)
		clear(m.deep[k%4])
	case 9:
		delete(m.flat, uint32(k))
		delete(m.texts, k)
		delete(m.deep, k%4)
	case 10:
		m.lists[int16(k%9)] = append(m.lists[int16(k%9)], fmt.Sprint(k))
	case 11:
		m.deep[k%4] = map[int]mirroredPart{}
	default:
		for range 9 * k {
			if m.flat != nil {
				m.flat[uint32(r.IntN(2000))] = part
			}
		}
		m.texts[r.IntN(40)] = fmt.Sprint(k)
		if m.deep[k%4] != nil {
			m.deep[k%4][r.IntN(20)] = part
		}
	}
}

// TestMirrors shows an object in a mirror after each of many changes, and checks that the mirror is equal to
// the object as it was then, even after the object has changed again.
func TestMirrors(t *testing.T) {
	w := mustNew(t, Options{})
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := &mirrored{texts: map[int]string{}, lists: map[int16][]string{}, deep: map[int]map[int]mirroredPart{}}
		m := w.Mirror(v)
		if !w.known {
			if m != nil {
				t.Fatal("there is a mirror of maps whose memory is not known")
			}
			t.Skip("the memory of maps is not known")
		}
		for range 500 {
			if !m.Show(v) {
				t.Fatalf("seed %d: no mirror shows %#v", seed, v)
			}
			before, err := w.Copy(v)
			if err != nil {
				t.Fatal(err)
			}
			for range r.IntN(3) {
				v.change(r)
			}
			// NB: DeepEqual looks keys up in its second argument.
			if is := m.Is().(*mirrored); !reflect.DeepEqual(before, is) {
				t.Fatalf("seed %d: the object was\n%#v\nthe mirror is\n%#v", seed, before, is)
			}
		}
		v.any = &v.part
		if m.Show(v) {
			t.Fatal("a mirror shows a pointer in an interface")
		}
	}
	type loop []loop
	for _, v := range []any{nil, mirrored{}, &struct{ p *int }{}, &struct{ f func() }{}, &struct{ l loop }{}, &struct{ m map[any]int }{}} {
		if w.Mirror(v) != nil {
			t.Errorf("there is a mirror of %T", v)
		}
	}
}

// TestMirrorsKeepTheirMemory checks that showing an object whose lists and maps keep their sizes allocates
// no memory.
func TestMirrorsKeepTheirMemory(t *testing.T) {
	w := mustNew(t, Options{})
	v := &mirrored{flat: map[uint32]mirroredPart{}, texts: map[int]string{1: "one"}, parts: make([]mirroredPart, 3)}
	for k := range uint32(50) {
		v.flat[k] = mirroredPart{}
	}
	m := w.Mirror(v)
	if m == nil {
		t.Skip("the memory of maps is not known")
	}
	m.Show(v)
	if n := testing.AllocsPerRun(100, func() { v.flat[7] = mirroredPart{a: v.flat[7].a + 1}; v.parts[0].a++; m.Show(v) }); n > 0 {
		t.Errorf("showing an object of the same form allocates %v times", n)
	}
}
