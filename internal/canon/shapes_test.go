package canon

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/internal/canon/fast"
)

// bothWays checks that the walk writes the same bytes by reading memory and by
// reflection.
func bothWays(t testing.TB, v any) {
	t.Helper()
	fast, slow := mustNew(t, Options{}), mustSlow(t, Options{})
	for range 2 { // the plans are there the second time
		if err := fast.encodeRoot(v); err != nil {
			t.Fatal(err)
		}
		if err := slow.encodeRoot(v); err != nil {
			t.Fatal(err)
		}
		if string(fast.buf) != string(slow.buf) || fast.walk.seq != slow.walk.seq {
			t.Fatalf("%T: %x, %d visits\nbut without knowledge of the runtime %x, %d visits", v, fast.buf, fast.walk.seq, slow.buf, slow.walk.seq)
		}
	}
}

func entries[K comparable, V any](t testing.TB, entry func(int) (K, V)) {
	t.Helper()
	for _, n := range []int{0, 1, 2, 8, 9, 30, 1000} {
		m := map[K]V{}
		for i := range n {
			k, v := entry(i)
			m[k] = v
		}
		bothWays(t, m)
		if n < 1000 {
			bothWays(t, &m)
			var shared int // visits after a map are numbered alike
			bothWays(t, []any{m, &shared, m, &shared})
		}
		sameCopy(t, mustNew(t, Options{}), m)
	}
}

func TestShapesOfMaps(t *testing.T) {
	entries(t, func(i int) (int, int) { return i, i })
	entries(t, func(i int) (uint32, uint64) { return uint32(i), uint64(i) })
	entries(t, func(i int) (uint8, uint32) { return uint8(i), uint32(i) })
	entries(t, func(i int) (uint8, uint16) { return uint8(i), uint16(i) })
	entries(t, func(i int) (uint8, bool) { return uint8(i), i > 9 })
	entries(t, func(i int) (uint16, uint64) { return uint16(i), uint64(i) })
	entries(t, func(i int) ([3]byte, [3]uint64) { return [3]byte{byte(i), byte(i >> 8)}, [3]uint64{1, uint64(i)} })
	entries(t, func(i int) ([3]byte, uint32) { return [3]byte{byte(i), byte(i >> 8)}, 1 })
	entries(t, func(i int) (int16, struct{}) { return int16(i), struct{}{} })
	entries(t, func(i int) ([129]byte, bool) { return [129]byte{byte(i), byte(i >> 8)}, true })
	entries(t, func(i int) (int, [129]byte) { return i, [129]byte{byte(i)} })
	entries(t, func(i int) (string, string) { return fmt.Sprint(i), strings.Repeat("x", i) })
	entries(t, func(i int) (string, *int) { return strings.Repeat("x", i), new(int) })
	entries(t, func(i int) (float64, []int) { return float64(i) / 7, []int{i} })
	entries(t, func(i int) (pair[string, int8], any) { return pair[string, int8]{fmt.Sprint(i), int8(i)}, i })
	entries(t, func(i int) (any, map[int]string) { return []any{i, fmt.Sprint(i)}[i%2], map[int]string{i: "x"} })
	entries(t, func(i int) (time.Duration, pair[int8, int64]) { return time.Duration(i), pair[int8, int64]{1, 2} })
	nan := math.NaN()
	m := map[float64]uint64{}
	for i := range uint64(20) {
		m[nan] = i
	}
	bothWays(t, m)
	m2 := map[float64][]int{nan: {1}, math.Float64frombits(math.Float64bits(nan) + 1): {2}}
	bothWays(t, m2)
}

func TestShapesOfInterfaces(t *testing.T) {
	n := 1
	type single struct{ p *int }
	type hollow struct {
		_ struct{}
		p *int
		_ [0]string
	}
	for _, v := range []any{
		nil, 1, int8(-1), "x", true, 1.5, &n, single{&n}, hollow{p: &n}, [1]*int{&n}, [1]single{{&n}}, map[int]int{1: 2}, map[int]int(nil),
		[]int(nil), []int{}, []int{1}, struct{}{}, [0]int{}, (*int)(nil), []any{nil, &n, single{&n}, single{}},
		time.Unix(1, 2), time.Unix(1, 2).UTC(), []error{nil, fmt.Errorf("x")}, []fmt.Stringer{time.Second, nil, peer(3)},
		[9]string{"a"}, [9]*int{&n, 8: &n}, [2][5]int16{{1}}, [7]pair[int8, int64]{{1, 2}},
	} {
		bothWays(t, v)
		bothWays(t, []any{v, &n, v})
		bothWays(t, &struct{ a, b any }{v, v})
		sameCopy(t, mustNew(t, Options{}), v)
	}
}

// TestManyTypes walks a value with more types behind interfaces than the cache of types holds.
func TestManyTypes(t *testing.T) {
	var all []any
	for seed := range uint64(600) {
		m := newMaker(seed)
		all = append(all, m.value(m.typ(3)))
	}
	bothWays(t, all)
	sameCopy(t, mustNew(t, Options{}), all)
}

// TestManyObjects walks a value with more objects than are searched one by one.
func TestManyObjects(t *testing.T) {
	for _, n := range []int{6, 7, 8, 9, 10, 100, 5000} {
		var list []*base
		for i := range n {
			list = append(list, &base{id: int8(i)})
		}
		list = append(list, list...)
		bothWays(t, &list)
		same(t, mustNew(t, Options{}), list, mustCopy(t, mustNew(t, Options{}), list))
	}
}

// TestGrowingMap walks and copies a map while its tables split, one by one.
func TestGrowingMap(t *testing.T) {
	w, m := mustNew(t, Options{}), map[int]string{}
	for i := range 6000 {
		m[i] = "x"
		if i%100 == 0 {
			bothWays(t, m)
			c := mustCopy(t, w, m).(map[int]string)
			if a, b := mustSum(t, w, m), mustSum(t, w, c); a != b {
				t.Fatalf("%d entries: %v in the copy, want %v", i, b, a)
			}
			for k := range m {
				c[k+1_000_000] = "y"
				delete(c, k)
			}
			if len(c) != len(m) {
				t.Fatalf("%d entries; want %d", len(c), len(m))
			}
		}
	}
}

func mustSum(t testing.TB, w *Walker, v any) Hash {
	t.Helper()
	h, err := w.Sum(v)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHighFirst walks numbers as a machine does that stores the high byte first, and checks that the bytes
// are the same.
func TestHighFirst(t *testing.T) {
	type numbers struct {
		a uint16
		b [2]uint32
		c complex64
		d [5]int64
		e uint8
		m map[uint16]uint16
	}
	v := numbers{0x0102, [2]uint32{0x03040506, 7}, complex(1.5, -2), [5]int64{8, -9}, 10, nil}
	w := mustNew(t, Options{})
	if err := w.encodeRoot(v); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(w.buf)
	at := 1 + 8 // the mark and the tag of the type
	for _, size := range []int{2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 1} {
		slices.Reverse(want[at : at+size])
		at += size
	}
	defer func(was bool) { lowFirst = was }(lowFirst)
	lowFirst = !lowFirst
	w = mustSlow(t, Options{})
	if err := w.encodeRoot(v); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.buf, want) {
		t.Errorf("the encoding is\n%x, want\n%x", w.buf, want)
	}
	v.m = map[uint16]uint16{1: 2}
	if _, err := w.Sum(v); err != nil {
		t.Fatal(err)
	}
}

// TestFaultSwitchesOff checks that package fast is not used if its self-test fails, and that Slow
// returns the reason.
func TestFaultSwitchesOff(t *testing.T) {
	defer func(was func() string) { fast.Fault = was }(fast.Fault)
	fast.Fault = func() string { return "the self-test failed" }
	w := mustNew(t, Options{})
	if w.known || Slow() != "the self-test failed" {
		t.Errorf("known is %t, and why not: %q", w.known, Slow())
	}
	if c := mustCopy(t, w, newToy()); mustSum(t, w, c) != mustSum(t, w, newToy()) {
		t.Error("the copy differs")
	}
	if w.types != (dynamicTypes[plan]{}) || w.copies.types != (dynamicTypes[copyPlan]{}) {
		t.Error("the words of an interface were used")
	}
}

// pointsToItself has a pointer to a part of itself as its summary.
type pointsToItself struct{ n int }

func (s *pointsToItself) Summary() any { return &s.n }

// TestSummariesInBoxes checks that the target of one summary is not taken for that of another one, where
// both values were copied to the same scratch memory.
func TestSummariesInBoxes(t *testing.T) {
	type beside struct {
		p *int
		s pointsToItself
	}
	for _, w := range []*Walker{mustNew(t, Options{}), mustSlow(t, Options{})} {
		sum := func(second int) Hash {
			h, err := w.Sum([]any{beside{new(int), pointsToItself{1}}, beside{new(int), pointsToItself{second}}})
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		if one, two := sum(1), sum(2); one == two {
			t.Error("two values with different summaries are the same")
		}
	}
}
