package canon

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"macemc/internal/canon/fast"
)

// packs skips a test if the layout of values in memory is not known, since nothing is packed then.
func packs(t testing.TB) {
	t.Helper()
	if !fast.Known {
		t.Skip("without package fast nothing is packed")
	}
}

// unpacked packs v, unpacks it by another Walker, and returns the result. If v cannot be packed, it
// returns nil and the reason.
func unpacked(t testing.TB, w *Walker, v any) (u any, why string) {
	t.Helper()
	pool := NewPool()
	packed, why := w.Pack(pool, v)
	if why != "" || v == nil {
		return nil, why
	}
	bytes := string(packed)
	other := walkerOf(w.omissions)
	u = other.Unpack(pool, []byte(bytes))
	again, why := other.Pack(pool, u)
	if len(again) != len(bytes) { // a list without elements has no memory in it any more, which is one byte too
		t.Fatalf("%T is packed as %x, and once unpacked as %x%s", v, bytes, again, why)
	}
	return u, ""
}

// samePacked checks that the unpacked value is equal to v, and that changing one does not change the other.
// It returns false if v cannot be packed.
func samePacked(t testing.TB, w *Walker, v any) bool {
	t.Helper()
	before := walkedCopy(t, w, v)
	u, why := unpacked(t, w, v)
	if why != "" {
		return false
	}
	if got := walkedCopy(t, w, u); got != before {
		t.Fatalf("packed and unpacked, %T\n%s\nis\n%s\n%s\n%s", v, before.text, got.text, before.naive, got.naive)
	}
	scribble(u)
	if got := walkedCopy(t, w, v); got != before {
		t.Fatalf("changing the unpacked %T changed\n%s\nto\n%s", v, before.text, got.text)
	}
	u, _ = unpacked(t, w, v)
	scribble(v)
	if got := walkedCopy(t, w, u); got != before {
		t.Fatalf("changing the original %T changed the unpacked value\n%s\nto\n%s", v, before.text, got.text)
	}
	return true
}

func TestPackTwin(t *testing.T) {
	packs(t)
	w, packed := mustNew(t, Options{}), 0
	const all = 1500
	for seed := range uint64(all) {
		m := newMaker(seed)
		typ := handTypes[int(seed)%len(handTypes)]
		if seed%2 == 0 {
			typ = m.typ(3)
		}
		if samePacked(t, w, m.value(typ)) {
			packed++
		}
	}
	if packed < all/2 {
		t.Errorf("%d of %d values can be packed", packed, all)
	}
	t.Logf("%d of %d values can be packed", packed, all)
}

func FuzzPack(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Add(uint64(168), uint64(530)) // a map which contains itself
	f.Fuzz(func(t *testing.T, typeSeed, one uint64) {
		samePacked(t, mustNew(t, Options{}), newMaker(one).value(newMaker(typeSeed).typ(3)))
	})
}

func TestPackOfMany(t *testing.T) {
	packs(t)
	v := []pair[*base, map[int]int]{}
	for i := range 1000 {
		p := pair[*base, map[int]int]{&base{id: int8(i)}, map[int]int{i: i}}
		v = append(v, p, p)
	}
	if !samePacked(t, mustNew(t, Options{}), v) {
		t.Error("a list of objects and maps cannot be packed")
	}
}

// TestPackOfNode checks that a node with values of all common types can be packed.
func TestPackOfNode(t *testing.T) {
	packs(t)
	w := mustNew(t, Options{})
	if !samePacked(t, w, newBenchNode(20)) {
		_, why := w.Pack(NewPool(), newBenchNode(20))
		t.Error("a common node cannot be packed: " + why)
	}
	if !samePacked(t, w, []any{time.Unix(1, 2), "text", strings.Repeat("long", 100), map[string]any{"a": 1, "b": []int{}}, error(nil), 7}) {
		t.Error("a list of common values cannot be packed")
	}
}

type inner struct{ a, b int }

type overlaps struct {
	whole *inner
	part  *int
	list  []int
	tail  []int
}

func TestPackRefuses(t *testing.T) {
	packs(t)
	w, one, list := mustNew(t, Options{}), &inner{1, 2}, []int{1, 2, 3}
	for _, c := range []struct {
		v   any
		why string
	}{
		{&overlaps{whole: one, part: &one.b}, "overlaps"},
		{&overlaps{list: list, tail: list[1:]}, "overlaps"},
		{map[any]int{&one: 1, 2: 3}, "no canonical order"},
		{map[any]int{1: 1}, "keys that hold pointers"},
		{map[int][200]byte{1: {}}, "large entries"},
		{&withFunc{}, "functions have no comparable identity"},
	} {
		packed, why := w.Pack(NewPool(), c.v)
		if packed != nil || !strings.Contains(why, c.why) && !strings.Contains(why, "keys that hold") {
			t.Errorf("%T is packed, or for another reason: %q; want %q", c.v, why, c.why)
		}
		samePacked(t, w, &link{next: &link{}}) // usable after a refusal
	}
}

// TestPackSurvivesCollection uses unpacked values after garbage collections: memory to which they have
// pointers that the collector does not know would be lost.
func TestPackSurvivesCollection(t *testing.T) {
	packs(t)
	w := mustNew(t, Options{})
	var all []any
	want := w.Text(newBenchNode(20))
	for range 50 {
		u, _ := unpacked(t, w, newBenchNode(20))
		all = append(all, u)
		runtime.GC()
		for range 100 {
			newBenchNode(2)
		}
	}
	for _, c := range all {
		if got := w.Text(c); got != want {
			t.Fatalf("the unpacked value became\n%s; want\n%s", got, want)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	packs(b)
	w, pool, v := mustNew(b, Options{}), NewPool(), any(newBenchNode(2))
	packed, _ := w.Pack(pool, v)
	packed = append([]byte(nil), packed...)
	b.Run("Pack", func(b *testing.B) {
		for range b.N {
			w.Pack(pool, v)
		}
	})
	b.Run("Unpack", func(b *testing.B) {
		for range b.N {
			w.Unpack(pool, packed)
		}
	})
	b.Run("Copy", func(b *testing.B) {
		for range b.N {
			mustCopy(b, w, v)
		}
	})
}
