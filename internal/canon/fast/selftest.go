package fast

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

// Fault returns the reason why this package must not be used, or "". The first call in a process runs the
// self-test.
var Fault = sync.OnceValue(func() string {
	if !Known {
		return fmt.Sprintf("the maps, functions and interfaces of %s on %s are not known", runtime.Version(), runtime.GOARCH)
	}
	fault := selfTest()
	if fault != "" {
		broken = true
	}
	return fault
})

// broken reports whether the self-test failed. Only Fault writes it.
var broken bool

// On reports whether this package may be used. It is for callers that cannot wait for the self-test: if that
// has not run, On assumes that it will pass.
func On() bool { return Known && !broken }

// selfTest checks what this package knows about memory, and returns the first mistake that it finds, or "".
// It puts values of several kinds into interfaces and looks at the two words, and binds methods to values.
// Then it makes maps of many sizes and kinds, some with many deleted entries. It compares the memory of each
// map with the entries that the language shows; if they agree, it copies the map, and changes both the map
// and the copy. A wrong address, which would crash the process, counts as a fault, too.
func selfTest() (fault string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer failed(&fault)
	number := new(int)
	type one struct{ at *int }
	testWords(7, false)
	testWords("text", false)
	testWords(struct{}{}, false)
	testWords([2]*int{number}, false)
	testWords(number, true)
	testWords((*int)(nil), true)
	testWords(one{number}, true)
	testWords([1]one{{number}}, true)
	a, b := &adder{n: 1}, &adder{n: 2}
	testBound(a.sum, b.sum, a, b)
	testBound(a.sumOf(), b.sumOf(), *a, *b)
	testBound(summer(a).sum, summer(b).sum, summer(a), summer(b))
	testMaps(func(i int) (int, int) { return i, -i })
	testMaps(func(i int) (uint32, bool) { return uint32(i), i%2 == 0 })
	testMaps(func(i int) (string, *int) { return fmt.Sprint(i), number })
	testMaps(func(i int) ([3]byte, struct{}) { return [3]byte{byte(i), byte(i >> 8)}, struct{}{} })
	testMaps(func(i int) (uint8, any) { return uint8(i), i })
	testMaps(func(i int) (int16, [129]byte) { return int16(i), [129]byte{128: byte(i)} })
	testMaps(func(i int) ([17]uint64, string) { return [17]uint64{16: uint64(i)}, "x" })
	testMaps(func(i int) (int, sample) { return i, sample{i, "x", number, i} })
	several := func(i int) (uint16, int) { return uint16(i), i }
	testMap(holed(1000, several), several) // in several tables
	return ""
}

type sample struct {
	n    int
	text string
	at   *int
	any  any
}

func failed(fault *string) {
	if p := recover(); p != nil {
		*fault = fmt.Sprintf("the self-test of %s's maps, functions and interfaces failed: %v", runtime.Version(), p)
	}
}

// testWords compares the two words of an interface that holds v with what they should be, and makes an
// interface of them. direct says whether the second word should be v itself. testWords panics if something
// differs.
func testWords[T comparable](v T, direct bool) {
	var holds, again any = v, nil
	seen := *(*Words)(unsafe.Pointer(&holds))
	at := seen.Data
	if direct {
		at = unsafe.Pointer(&seen.Data)
	}
	type other struct{ v T }
	var differs any = other{v}
	switch {
	case Direct(reflect.TypeFor[T]()) != direct,
		*(*T)(at) != v,
		(*Words)(unsafe.Pointer(&differs)).Type == seen.Type:
		panic(fmt.Sprintf("a %T is not held as expected", v))
	}
	*(*Words)(unsafe.Pointer(&again)) = seen
	if again != holds {
		panic(fmt.Sprintf("an interface made of the words of a %T differs", v))
	}
}

// testBound checks that f and g, values of one method, have the receivers r and s in memory, and makes f
// again with the receiver s. It panics if something differs.
func testBound[R comparable](f, g func() int, r, s R) {
	type closure struct {
		Code     uintptr
		Receiver R
	}
	words := func(f *func() int) *closure { return *(**closure)(unsafe.Pointer(f)) }
	t, in := Bound(reflect.TypeFor[R]()), *words(&f)
	switch {
	case t.Size() != unsafe.Sizeof(in), t.Field(1).Offset != unsafe.Offsetof(in.Receiver),
		Code(unsafe.Pointer(words(&f))) != reflect.ValueOf(f).Pointer(),
		in.Receiver != r, words(&g).Receiver != s, in.Code != words(&g).Code:
		panic(fmt.Sprintf("a method value of a %T is not as expected", r))
	}
	made := &closure{in.Code, s}
	again := *(*func() int)(unsafe.Pointer(&made))
	if again() != g() || again() == f() {
		panic(fmt.Sprintf("a method value of a %T cannot be made anew", r))
	}
}

// adder has methods for testBound.
type adder struct{ n, m int }

//go:noinline
func (a *adder) sum() int { return a.n + a.m }

//go:noinline
func (a adder) value() int { return a.n + a.m }

//go:noinline
func (a adder) sumOf() func() int { return a.value }

type summer interface{ sum() int }

func testMaps[K, V comparable](entry func(int) (K, V)) {
	for _, n := range []int{0, 1, 8, 9, 40} {
		testMap(holed(n, entry), entry)
	}
}

// holed returns a map of n entries, made by entry, from which further entries were deleted.
func holed[K, V comparable](n int, entry func(int) (K, V)) map[K]V {
	m := map[K]V{}
	for i := range n + n/4 {
		k, v := entry(i)
		m[k] = v
	}
	for i := range n / 4 {
		k, _ := entry(4 * i)
		delete(m, k)
	}
	return m
}

// testMap compares the entries of m as read from memory with m. Then it copies m, and changes both maps. It
// panics if something differs.
func testMap[K, V comparable](m map[K]V, entry func(int) (K, V)) {
	l := LayoutOf(reflect.TypeOf(m))
	inside := *(**Map)(unsafe.Pointer(&m))
	testTables(inside)
	seen := map[K]V{}
	var s Slots
	for s.Begin(inside, &l); s.More(); {
		k, v := s.Entry()
		seen[*(*K)(k)] = *(*V)(v)
	}
	if !maps.Equal(seen, m) || inside.Len() != len(m) {
		panic(fmt.Sprintf("the entries of a %T are not where they were looked for", m))
	}
	if l.Near() {
		testCopy(m, copyOf[K, V](inside, &l, false), entry)
	}
	if l.Near() && l.Flat() {
		testCopy(m, copyOf[K, V](inside, &l, true), entry)
	}
}

func copyOf[K, V comparable](m *Map, l *Layout, flat bool) (c map[K]V) {
	o := m.Empty()
	if flat {
		o.Fill(m, l, nil)
	} else {
		o.Fill(m, l, func(toKey, toElem, key, elem unsafe.Pointer) {
			*(*K)(toKey), *(*V)(toElem) = *(*K)(key), *(*V)(elem)
		})
	}
	*(**Map)(unsafe.Pointer(&c)) = o
	return c
}

// testCopy changes m and its copy c, and compares them each time. At the end both are as before.
func testCopy[K, V comparable](m, c map[K]V, entry func(int) (K, V)) {
	before := maps.Clone(m)
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

// testTables panics if the numbers of entries in the tables of m contradict each other.
func testTables(m *Map) {
	if m.dirLen == 0 {
		return
	}
	used := uint64(0)
	for i, t := range m.tables() {
		if t.index == i {
			used += uint64(t.used)
		}
		if uint64(t.capacity) != groupSlots*(t.mask+1) || t.used+t.growth > t.capacity || t.depth > m.depth {
			panic(fmt.Sprintf("the table of a map is not as expected: %+v", *t))
		}
	}
	if used != m.used || m.dirLen != 1<<m.depth {
		panic(fmt.Sprintf("the tables of a map are not as expected: %+v", *m))
	}
}
