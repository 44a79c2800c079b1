//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"
)

// env stands for the simulator's Env, and simEnv for its implementation.
type env interface{ Send(to int) }

type simEnv struct{ hook func() }

func (*simEnv) Send(int) {}

var skipEnv = Options{Skip: []reflect.Type{reflect.TypeFor[env]()}}

type service interface{ Name() string }

type lower struct {
	env   env
	above service
	sent  map[int]string
}

type upper struct {
	env   env
	below service
	held  any
	count int
}

func (*lower) Name() string { return "lower" }
func (*upper) Name() string { return "upper" }

func newLayers() *upper {
	l := &lower{env: &simEnv{hook: func() {}}, sent: map[int]string{1: "a", 2: "b"}}
	u := &upper{env: l.env, below: l, held: &simEnv{}, count: 3}
	l.above = u
	return u
}

func TestLayersPointingAtEachOther(t *testing.T) {
	w := mustNew(t, skipEnv)
	u := newLayers()
	same(t, w, u, newLayers())
	if got, want := w.Text(u), `&upper{below: &lower{above: =., sent: {1: "a", 2: "b"}}, held: -, count: 3}`; got != want {
		t.Errorf("text is %s, want %s", got, want)
	}

	unshared := newLayers()
	unshared.below.(*lower).above = newLayers() // equal, but not the same
	differ(t, w, u, unshared)

	other := newLayers()
	other.env, other.held, other.below.(*lower).env = nil, &simEnv{hook: func() {}}, nil
	same(t, w, u, other)
	other.below.(*lower).sent[1] = "b"
	differ(t, w, u, other)
}

func same(t *testing.T, w *Walker, a, b any) {
	t.Helper()
	if x, y := sums(t, w, a), sums(t, w, b); x != y {
		t.Errorf("want the same:\n%s\n%s", x.text, y.text)
	}
}

func differ(t *testing.T, w *Walker, a, b any) {
	t.Helper()
	x, y := sums(t, w, a), sums(t, w, b)
	if x.sum == y.sum || x.text == y.text {
		t.Errorf("want to differ in hash and text:\n%s %v\n%s %v", x.text, x.sum, y.text, y.sum)
	}
}

type summed struct {
	sum  Hash
	text string
}

func sums(t *testing.T, w *Walker, v any) summed {
	t.Helper()
	sum, err := w.Sum(v)
	if err != nil {
		t.Fatal(err)
	}
	return summed{sum, w.Text(v)}
}

type holder struct {
	inner link
	bytes []byte
	ptr   *link
	at    *byte
}

// TestInterior checks pointers to values that the walk also meets inline.
func TestInterior(t *testing.T) {
	w := mustNew(t, Options{})
	make := func() *holder {
		return &holder{inner: link{value: 1}, bytes: []byte("ab"), ptr: &link{value: 1}}
	}
	apart, within := make(), make()
	within.ptr = &within.inner
	differ(t, w, apart, within)

	first, second := make(), make()
	first.at, second.at = &first.bytes[0], &second.bytes[1]
	differ(t, w, first, second)

	// The pointer comes first, the bytes after it.
	type pointing struct {
		at    *byte
		bytes []byte
	}
	b, c := []byte("aa"), []byte("aa")
	differ(t, w, pointing{&b[0], b}, pointing{&b[1], b})
	same(t, w, pointing{&b[0], b}, pointing{&c[0], c})
	if got, want := w.Text(pointing{&b[1], b}), "pointing{at: &97, bytes: [97, =at]}"; got != want {
		t.Errorf("text is %s, want %s", got, want)
	}

	// An interface shows a pointer type that no plan knew: the walk restarts.
	type late struct {
		n   int16
		any any
	}
	l, m := &late{}, &late{}
	l.any, m.any = &l.n, new(int16)
	differ(t, w, l, m)
	fresh := mustNew(t, Options{})
	if a, b := sums(t, fresh, l), sums(t, w, l); a != b {
		t.Errorf("a fresh Walker says %v, a used one %v", a, b)
	}

	// Slices that share their memory are walked apart.
	list := []int{1, 2}
	same(t, w, pair[[]int, []int]{list, list}, pair[[]int, []int]{list, []int{1, 2}})
	same(t, w, pair[*struct{}, *struct{}]{&struct{}{}, &struct{}{}}, pair[*struct{}, *struct{}]{new(struct{}), new(struct{})})
	end := &struct {
		n    int8
		none struct{}
	}{}
	same(t, w, pair[*struct{}, *struct{}]{&end.none, new(struct{})}, pair[*struct{}, *struct{}]{new(struct{}), new(struct{})})
	// Shared maps are not.
	shared := map[int]int{}
	differ(t, w, pair[map[int]int, map[int]int]{shared, shared}, pair[map[int]int, map[int]int]{shared, map[int]int{}})
	// Two locks have nothing to show but where they are.
	type locks struct {
		a, b sync.Mutex
		use  *sync.Mutex
	}
	x, y := &locks{}, &locks{}
	x.use, y.use = &x.a, &y.b
	differ(t, w, x, y)
}

// TestInteriorOfCopies does the same for values that the walk meets as copies in scratch memory, since
// an interface holds them.
func TestInteriorOfCopies(t *testing.T) {
	w := mustNew(t, Options{})
	type copied struct {
		f    float32
		list []int8
		at   *int8
		in   *pair[int16, *int16]
	}
	list := []int8{1, 1}
	differ(t, w, copied{list: list, at: &list[0]}, copied{list: list, at: &list[1]})
	self := &pair[int16, *int16]{}
	self.second = &self.first
	differ(t, w, copied{in: self}, copied{in: &pair[int16, *int16]{second: new(int16)}})
}

// TestPastDoesNotMatter checks that a Walker which has compiled other plans before returns the same hash.
func TestPastDoesNotMatter(t *testing.T) {
	type shares struct {
		bytes []byte
		n     int
		p, q  *int32
	}
	v := &shares{bytes: []byte("abc"), p: new(int32)}
	v.q = v.p
	fresh, warm := mustNew(t, Options{}), mustNew(t, Options{})
	for _, p := range []any{new(byte), new(int), new([]byte), &v.p, new(int32)} {
		warm.Sum(p)
	}
	if a, b := sums(t, fresh, v), sums(t, warm, v); a != b {
		t.Errorf("a fresh Walker says %v, a used one %v", a, b)
	}
	// Lists that it has met before it knew of a pointer to what they hold.
	type within struct {
		list []int64
		word []string
		p    *int64
		q    *string
	}
	list, word := []int64{1, 1}, []string{"a", "a"}
	in := &within{list, word, &list[1], &word[1]}
	fresh, warm = mustNew(t, Options{}), mustNew(t, Options{})
	for _, v := range []any{list, word, pair[[]int64, []string]{list, word}} {
		warm.Sum(v)
	}
	if a, b := sums(t, fresh, in), sums(t, warm, in); a != b {
		t.Errorf("a fresh Walker says %v, one that has met such lists %v", a, b)
	}
	differ(t, warm, in, &within{list, word, &list[0], &word[0]})
}

// TestPointersAreNumbered checks that each object behind a pointer has a number of its own, as an inline value
// has.
func TestPointersAreNumbered(t *testing.T) {
	w := mustNew(t, Options{})
	x, y := new(int), new(int)
	differ(t, w, [3]*int{x, y, x}, [3]*int{x, y, y})
	type between struct {
		p  *int
		in int
		q  *int
	}
	out, in := &between{p: x, q: x}, &between{p: x}
	in.q = &in.in
	differ(t, w, out, in)
}

func float32s(bits uint32) float32 { return math.Float32frombits(bits) }

type counters struct {
	a atomic.Int64
	b atomic.Bool
	c atomic.Pointer[base]
	d atomic.Value
}

func TestDistinctions(t *testing.T) {
	w := mustNew(t, Options{})
	nan := math.NaN()
	quiet, other := math.Float64frombits(0x7ff8000000000002), math.Float64frombits(0x7ff8000000000003)
	type blank struct {
		a int32
		_ int32
	}
	type cell[T any] struct{ v T }
	type slot struct{ v any }
	for _, c := range []struct{ a, b any }{
		{[]int(nil), []int{}},
		{map[int]int(nil), map[int]int{}},
		{0.0, math.Copysign(0, -1)},
		{quiet, other},
		{cell[float32]{float32s(0x7fa00001)}, cell[float32]{float32s(0x7fe00001)}}, // differ in the quiet bit
		{int32(1), int64(1)}, {1, int64(1)}, {color(1), uint8(1)}, {"1", 1}, {1.0, 1}, {float32(1), 1.0},
		{cell[int8]{1}, cell[uint8]{1}},
		{slot{int8(1)}, slot{color(1)}},
		{slot{nil}, slot{(*int)(nil)}}, {slot{(*int)(nil)}, slot{(*int8)(nil)}}, {slot{(*base)(nil)}, slot{nil}},
		{slot{base{}}, slot{&base{}}}, {slot{struct{}{}}, slot{&struct{}{}}}, {slot{blank{}}, slot{base{}}},
		{[]string{"a", "b"}, []string{"ab"}}, {[]string{"a", "b"}, []string{"b", "a"}},
		{[][]int{{1}, {}}, [][]int{{}, {1}}}, {[]string{`a", "b`}, []string{"a", "b"}},
		{map[float64]int{nan: 1}, map[float64]int{nan: 2}},
		{map[float64]int{math.NaN(): 1}, map[float64]int{}},
		{map[string]string{"a": "b"}, map[string]string{"b": "a"}},
		{map[any]int{1: 1}, map[any]int{int8(1): 1}},
		{complex(0, 1), complex(1, 0)},
		{cell[complex64]{complex(1, 0)}, cell[complex64]{complex(0, 1)}},
		{time.Unix(1, 0), time.Unix(2, 0)}, {time.Unix(1, 0), time.Unix(1, 1)},
		{time.Unix(1, 0).UTC(), time.Unix(1, 0).In(time.FixedZone("x", 0))},
		{new(atomic.Int64), func() any { var x atomic.Int64; x.Store(1); return &x }()},
		{&counters{}, func() any { var x counters; x.c.Store(&base{}); return &x }()},
		{&counters{}, func() any { var x counters; x.d.Store(1); return &x }()},
		{&counters{}, func() any { var x counters; x.b.Store(true); return &x }()},
	} {
		differ(t, w, c.a, c.b)
		same(t, w, c.a, c.a)
	}
	same(t, w, []int{0}, make([]int, 1, 9))
	filled := [2]int32{1, 7}
	same(t, w, blank{a: 1}, *(*blank)(unsafe.Pointer(&filled)))
	same(t, w, map[float64]int{math.NaN(): 1, nan: 2, 3: 3}, map[float64]int{nan: 2, 3: 3, math.NaN(): 1})
	same(t, w, map[float64]any{nan: 1, 2: 2}, map[float64]any{2: 2, math.NaN(): 1})
	same(t, w, knot{skip: 1}, knot{skip: 2})
	same(t, w, nil, nil)
	same(t, w, time.Unix(1, 0).UTC(), time.Unix(1, 0).In(time.UTC))
}

// TestTwoTypesOfOneName checks that the walk distinguishes types of one name, or refuses them.
func TestTwoTypesOfOneName(t *testing.T) {
	w := mustNew(t, Options{})
	one := func() any { type local struct{ a int }; return local{1} }()
	two := func() any { type local struct{ a int }; return local{1} }()
	if _, err := w.Sum(one); err != nil {
		t.Fatal(err)
	}
	_, err := w.Sum(two)
	wantError(t, err, "cannot walk canon.local (canon.local): an interface also holds another type called macemc/internal/canon.local; move one of them out of its function, or rename it")

	// errors.joinError and our own have one short name.
	type joinError struct{ errs []error }
	differ(t, w, &joinError{[]error{}}, errors.Join(errors.New("x")))
	a, b := w.Text([]any{&joinError{}}), w.Text([]any{errors.Join(errors.New("x"))})
	if !strings.Contains(a, "&joinError{") || !strings.Contains(b, "&errors.joinError{") {
		t.Errorf("texts are %s and %s; want the second to be qualified", a, b)
	}
}

// tally has the number of its votes as its summary.
type tally struct{ votes map[*int]func() }

func (t *tally) Summary() any { return len(t.votes) }

// scrubbed has itself without its log as its summary.
type scrubbed struct {
	n    int
	next *scrubbed
	log  []string
}

func (s *scrubbed) Summary() any {
	c := *s
	c.log = nil
	return &c
}

// number has a value of another type as its summary, or one of its own type.
type number int

func (n number) Summary() any {
	if n > 0 {
		return int(n)
	}
	return -n
}

func TestSummary(t *testing.T) {
	w := mustNew(t, Options{})
	votes := func(n int) map[*int]func() {
		m := map[*int]func(){}
		for range n {
			m[new(int)] = nil
		}
		return m
	}
	type ballot struct {
		t tally
		a any
		m map[int]tally
		s []scrubbed
	}
	for _, f := range []func(n int) any{
		func(n int) any { return &ballot{t: tally{votes(n)}} },
		func(n int) any { return ballot{t: tally{votes(n)}} },
		func(n int) any { return ballot{a: tally{votes(n)}} },
		func(n int) any { return ballot{a: &tally{votes(n)}} },
		func(n int) any { return ballot{m: map[int]tally{1: {votes(n)}}} },
		func(n int) any { return []tally{{votes(n)}} },
		func(n int) any { return scrubbed{n: n, log: []string{"x"}} },
		func(n int) any { return ballot{s: []scrubbed{{n: n}}} },
	} {
		same(t, w, f(2), f(2))
		differ(t, w, f(2), f(3))
	}
	same(t, w, &scrubbed{log: []string{"a"}}, &scrubbed{log: []string{"b"}})
	differ(t, w, pair[number, int]{3, 0}, pair[number, int]{-3, 0})
	differ(t, w, []any{tally{votes(1)}}, []any{1})
	differ(t, w, absent{0}, absent{1})
	same(t, w, absent{1}, absent{2})
	keyed := func() any { return map[any]any{mapped{1}: 1, mapped{2}: 2, 3: new(int)} }
	for range 20 {
		same(t, w, keyed(), keyed())
	}
	differ(t, w, []any{inward{[3]int{1}}, inward{[3]int{1}}}, []any{inward{[3]int{1}}, inward{[3]int{2}}})
	same(t, w, make([]fleeting, 8), slices.Repeat([]fleeting{{lasting: true}}, 8))
	loop := &scrubbed{n: 1}
	loop.next = loop
	differ(t, w, loop, &scrubbed{n: 1, next: &scrubbed{n: 1}})
	if got, want := w.Text(pair[number, any]{-3, tally{votes(2)}}), "pair[number,interface {}]{first: ~3, second: tally(2)}"; got != want {
		t.Errorf("text is %s, want %s", got, want)
	}
	if p := w.plains[reflect.TypeFor[scrubbed]()]; p == nil || p.copies.used != 0 {
		t.Errorf("copies of summaries are in use when the walks are over: %+v", p)
	}
	if got, want := w.Text([]any{scrubbed{n: 1}}), "[]any[scrubbed~{n: 1, next: nil, log: nil}]"; got != want {
		t.Errorf("text is %s, want %s", got, want)
	}
}

// absent has the summary nil if n is positive, and otherwise itself.
type absent struct{ n int }

func (a absent) Summary() any {
	if a.n > 0 {
		return nil
	}
	return a
}

// mapped is a map's key whose summary holds a map that all keys share.
type mapped struct{ n int }

var shared = map[int]any{1: "a", 2: "b"}

func (m mapped) Summary() any { return pair[int, map[int]any]{m.n, shared} }

// inward has a pointer into itself as its summary.
type inward struct{ v [3]int }

func (i *inward) Summary() any { return &i.v }

// fleeting has a new object as its summary, which nothing else holds. It runs the garbage collector
// first, which could free the previous summary; those of lasting ones are kept alive.
type fleeting struct{ lasting bool }

var lasting []any

func (f fleeting) Summary() any {
	runtime.GC()
	s := &pair[*int, [6]int]{}
	if f.lasting {
		lasting = append(lasting, s)
	}
	return s
}

type panicky struct{ s []string }

func (p panicky) Summary() any { return p.s[0] }

// TestPanicInSummary checks that a walk that a panic ends leaves no scratch memory in use.
func TestPanicInSummary(t *testing.T) {
	testPanicInSummary(t, mustNew(t, Options{}))
	testPanicInSummary(t, mustSlow(t, Options{}))
}

func testPanicInSummary(t *testing.T, w *Walker) {
	t.Helper()
	copies := 1
	if w.known {
		copies = 0
	}
	walk := func() {
		defer func() { recover() }()
		w.Sum(map[int]any{1: panicky{}})
	}
	walk()
	walk()
	same(t, w, map[int]any{1: panicky{[]string{"a"}}}, map[int]any{1: panicky{[]string{"a", "b"}}})
	p := w.plans[reflect.TypeFor[panicky]()]
	if len(p.copies.vals) != copies || p.copies.used != 0 || len(w.entries) != 0 {
		t.Errorf("%d copies were made, %d are in use; want %d and 0; %d entries are", len(p.copies.vals), p.copies.used, copies, len(w.entries))
	}
}

// TestGolden compares hashes with values that every process and machine must compute.
func TestGolden(t *testing.T) {
	w := mustNew(t, skipEnv)
	for _, c := range []struct {
		v   any
		sum string
	}{
		{nil, "a6cd5e9392000f6ac44bdff4074eecdb"},
		{"hello", "5e52081c1f742d47e4a00cc5395c4669"},
		{newToy(), "4730341674bd0ef848a7742d2c1914b5"},
		{newLayers(), "ecf78fb51e213d41611853ff9967a045"},
		{newBenchNode(3), "882546c3afaad99d8a67c70bd14a0e11"},
		{time.Unix(7, 9).UTC(), "00213d56ba7e6b2a35da7f319522b1ee"},
		{[]any{1, int8(2), 3.5, "x", true, nil, [2]uint16{1, 2}, complex64(1)}, "8abba46fbca894c78162f7e13874a465"},
	} {
		sum, _ := w.Sum(c.v)
		if sum.String() != c.sum {
			t.Errorf("%s: %q; want %q", w.Text(c.v), sum, c.sum)
		}
	}
}

// TestWarmSumAllocatesNothing checks that a second Sum of a value of a common shape allocates no memory.
func TestWarmSumAllocatesNothing(t *testing.T) {
	w := mustNew(t, skipEnv)
	for _, v := range []any{newToy(), newLayers(), newBenchNode(9), benchMsg{1, 2, "x"}, &counters{}} {
		if n := testing.AllocsPerRun(20, func() { w.Sum(v) }); n != 0 {
			t.Errorf("%T: %v allocations a Sum; want none", v, n)
		}
	}
}

// TestScratchHoldsNothing checks that a value can be collected as garbage after a walk.
func TestScratchHoldsNothing(t *testing.T) {
	w := mustNew(t, Options{})
	held := func() weak.Pointer[link] {
		l := &link{value: 1}
		w.Sum(map[int]any{1: pair[*link, float32]{l, 0}})
		return weak.Make(l)
	}()
	w.Sum(1)
	runtime.GC()
	if held.Value() != nil {
		t.Error("the Walker keeps a walked value alive")
	}
	runtime.KeepAlive(w)
}
