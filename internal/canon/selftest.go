package canon

import (
	"fmt"
	"maps"
	"reflect"
	"sync"
	"unsafe"
)

// Fast reports whether the memory of maps and interfaces is used as this
// version of Go lays it out. If not, reflection is used, which takes several
// times as long and gives the same results; reason says why.
func (w *Walker) Fast() (fast bool, reason string) { return w.layout == "", w.layout }

// layoutFault is what the self-test found wrong, or "".
var layoutFault = sync.OnceValue(selfTest)

// selfTest makes maps of many sizes and kinds, full of holes too, and compares
// what is seen in their memory with what the language shows; then it copies
// them and uses both.
func selfTest() (fault string) {
	if !layoutKnown {
		return "the layout of maps is not known for this version of Go or this machine"
	}
	defer func() {
		if p := recover(); p != nil {
			fault = fmt.Sprint("the self-test failed: ", p)
		}
	}()
	number := new(int)
	testMaps(func(i int) (int, int) { return i, -i })
	testMaps(func(i int) (uint32, bool) { return uint32(i), i%2 == 0 })
	testMaps(func(i int) (string, *int) { return fmt.Sprint(i), number })
	testMaps(func(i int) ([3]byte, struct{}) { return [3]byte{byte(i), byte(i >> 8)}, struct{}{} })
	testMaps(func(i int) (uint8, any) { return uint8(i), i })
	testMaps(func(i int) (int16, [129]byte) { return int16(i), [129]byte{128: byte(i)} })
	testMaps(func(i int) ([17]uint64, string) { return [17]uint64{16: uint64(i)}, "x" })
	testMaps(func(i int) (int, pairOf) { return i, pairOf{i, "x", number} })
	return ""
}

type pairOf struct {
	n int
	s string
	p *int
}

func testMaps[K, V comparable](entry func(int) (K, V)) {
	sizes := []int{0, 1, 7, 8, 9, 40}
	if reflect.TypeFor[K]() == reflect.TypeFor[int]() {
		sizes = append(sizes, 1000) // several tables
	}
	for _, n := range sizes {
		m := map[K]V{}
		for i := range n + n/4 {
			k, v := entry(i)
			m[k] = v
		}
		for i := range n / 4 {
			k, _ := entry(4 * i)
			delete(m, k)
		}
		testMap(m, entry)
	}
}

// testMap sees the entries of m in memory, then copies it and changes both.
func testMap[K, V comparable](m map[K]V, entry func(int) (K, V)) {
	l := layoutOf(reflect.TypeOf(m))
	seen := map[K]V{}
	var s slots
	for s.begin(*(**swissMap)(unsafe.Pointer(&m)), &l); ; {
		slot := s.slot()
		if slot == nil {
			break
		}
		seen[*(*K)(l.key(slot))] = *(*V)(l.elem(slot))
	}
	before := maps.Clone(m)
	w := newWalker()
	o, err := w.Copy(m)
	if err != nil {
		panic(err)
	}
	c := o.(map[K]V)
	if !maps.Equal(seen, m) || len(c) != len(m) {
		panic(fmt.Sprintf("the entries of a %T are not where they were looked for", m))
	}
	for i := range 40 {
		k, v := entry(i)
		if i%3 == 0 {
			delete(c, k)
		} else {
			c[k] = v
		}
	}
	for k, v := range before {
		if m[k] != v {
			panic(fmt.Sprintf("a %T and its copy have entries in common", m))
		}
		m[k], c[k] = v, v
	}
	for i := range 40 {
		k, _ := entry(i)
		if _, was := before[k]; !was {
			delete(c, k)
		}
	}
	if !maps.Equal(m, before) || !maps.Equal(c, before) {
		panic(fmt.Sprintf("the copy of a %T cannot be used", m))
	}
}
