package canon

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
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
// them and uses both. Then it walks one value of each shape in both ways.
func selfTest() (fault string) {
	if !layoutKnown {
		return "the layout of maps is not known for this version of Go or this machine"
	}
	defer failed(&fault)
	number := new(int)
	testMaps(func(i int) (int, int) { return i, -i })
	testMaps(func(i int) (uint32, bool) { return uint32(i), i%2 == 0 })
	testMaps(func(i int) (string, *int) { return fmt.Sprint(i), number })
	testMaps(func(i int) ([3]byte, struct{}) { return [3]byte{byte(i), byte(i >> 8)}, struct{}{} })
	testMaps(func(i int) (uint8, any) { return uint8(i), i })
	testMaps(func(i int) (int16, [129]byte) { return int16(i), [129]byte{128: byte(i)} })
	testMaps(func(i int) ([17]uint64, string) { return [17]uint64{16: uint64(i)}, "x" })
	testMaps(func(i int) (int, sample) { return i, sample{n: i, text: "x", at: number} })
	several := func(i int) (uint16, int) { return uint16(i), i }
	testMap(holed(1000, several), several) // in several tables
	testWalk(newSample())
	return ""
}

// sample has a field for each of the parts that a walk by address knows. It is
// comparable, so that it can lie in maps.
type sample struct {
	small  int8
	n      int
	yes    bool
	f      float32
	c      complex64
	text   string
	at     *int
	any    any
	maker  fmt.Stringer
	more   *samples
	list   [2]uint16
	apart  [5]struct{ a, b uint8 }
	nested struct{ in *int }
}

type samples struct {
	bytes   []byte
	words   []string
	numbers []int32
	all     []sample
	mu      sync.Mutex
	rw      sync.RWMutex
	when    time.Time
	count   atomic.Int32
	held    atomic.Pointer[sample]
	near    map[uint32]bool
	far     map[uint16]uint64
	refs    map[string]*sample
	keys    map[[2]uint8][]byte
	mixed   map[any]any
	back    *sample
}

func newSample() *sample {
	n := 7
	v := &sample{small: 1, n: 2, yes: true, f: 3, c: 4, text: "text", at: &n, any: time.Second, maker: time.Minute}
	v.list, v.nested.in, v.apart[4].b = [2]uint16{1, 2}, &v.n, 9
	v.more = &samples{
		bytes: []byte("bytes"), words: []string{"a", "bc"}, numbers: []int32{1, 2, 3}, all: []sample{{}, {any: v}, {maker: v}},
		when: time.Unix(1, 2), near: map[uint32]bool{}, far: map[uint16]uint64{},
		refs: map[string]*sample{"v": v, "w": {n: 1}, "nil": nil}, keys: map[[2]uint8][]byte{{1, 2}: nil, {2, 1}: {}},
		mixed: map[any]any{1: "one", "two": 2, [2]string{"x"}: struct{ p *sample }{v}}, back: v,
	}
	for _, l := range []interface{ TryLock() bool }{&v.more.mu, &v.more.rw} {
		l.TryLock()
	}
	v.more.mu.Unlock()
	v.more.rw.Unlock()
	v.more.count.Store(3)
	v.more.held.Store(&v.more.all[1])
	for i := range 20 {
		v.more.near[uint32(i)], v.more.far[uint16(i)] = i%2 == 0, uint64(i)
		v.more.refs[fmt.Sprint(i)] = &sample{n: i}
	}
	return v
}

func (s *sample) String() string { return s.text }

// testWalk compares the encodings of v and of a copy, by address and by
// reflection.
func testWalk(v any) {
	fast, slow := newWalker(), newWalker()
	slow.layout = "compared"
	c, err := fast.Copy(v)
	if err != nil {
		panic(err)
	}
	for _, x := range []any{v, c, [1]any{v}, nil} {
		if !fast.fastRoot(x) || slow.encodeRoot(x) != nil || !bytes.Equal(fast.buf, slow.buf) {
			panic(fmt.Sprintf("the two walks of a %T differ", x))
		}
	}
}

func failed(fault *string) {
	if p := recover(); p != nil {
		*fault = fmt.Sprint("the self-test failed: ", p)
	}
}

func testMaps[K, V comparable](entry func(int) (K, V)) {
	for _, n := range []int{0, 1, 8, 9, 40} {
		testMap(holed(n, entry), entry)
	}
}

// holed returns a map of n entries of which some more were deleted.
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

// testMap sees the entries of m in memory, then copies it and changes both.
func testMap[K, V comparable](m map[K]V, entry func(int) (K, V)) {
	l := layoutOf(reflect.TypeOf(m))
	seen := map[K]V{}
	inside := *(**swissMap)(unsafe.Pointer(&m))
	testTables(inside)
	var s slots
	for s.begin(inside, &l); ; {
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

// testTables checks that the counts in the tables of m fit each other.
func testTables(m *swissMap) {
	if m.dirLen == 0 {
		return
	}
	used := uint64(0)
	for i, t := range unsafe.Slice((**swissTable)(m.dir), m.dirLen) {
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
