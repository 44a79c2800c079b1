package canon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

type mark struct{ n int }

type marked struct {
	Plain   int
	One     mark
	list    []mark
	Array   [2]mark
	Pointer *mark
	Map     map[string]mark
	deep    map[int]struct{ in any }
	Any     any
	Holder  any
	Self    *marked
	Atomic  atomic.Pointer[mark]
	names   map[string]int
}

func finder(t *testing.T) *Finder {
	t.Helper()
	w, err := New(Options{Opaque: []string{"canon.markOpaque"}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Finder(reflect.TypeFor[mark]())
}

// slowFinder returns a Finder that uses reflection only.
func slowFinder(t *testing.T) *Finder {
	t.Helper()
	return mustSlow(t, Options{Opaque: []string{"canon.markOpaque"}}).Finder(reflect.TypeFor[mark]())
}

// TestFinderChangesEveryPlaceOnce numbers all marks in a value, and checks that each place is visited
// once although several ways lead there.
func TestFinderChangesEveryPlaceOnce(t *testing.T) {
	const text = `{Plain: 0, One: {n: 1}, list: [{n: 2}, {n: 3}], Array: [{n: 4}, {n: 5}], Pointer: =One, ` +
		`Map: {"a": {n: 7}, "b": {n: 6}}, deep: {7: {in: mark{n: 8}}}, Any: mark{n: 9}, Holder: []mark[{n: 10}], Self: =., Atomic: {n: 11}, names: {"x": 1}}`
	first := ""
	for k := range 10 { // whatever order a map has
		m := &marked{
			list: make([]mark, 2), Map: map[string]mark{"a": {}, "b": {}}, deep: map[int]struct{ in any }{7: {mark{}}},
			Any: mark{}, Holder: []mark{{}}, names: map[string]int{"x": 1},
		}
		m.Pointer, m.Self = &m.One, m
		m.Atomic.Store(&mark{})
		f, n := finder(t), 0
		if k%2 == 1 {
			f = slowFinder(t)
		}
		var places []*mark
		changed, err := f.Find(m, func(v reflect.Value) { places = append(places, v.Addr().Interface().(*mark)) })
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			n++
			p.n = n
		}
		changed()
		got := f.w.Text(m)
		if first == "" {
			first = got
		}
		if n != 11 || got != first {
			t.Fatalf("%d marks were met: %s; before: %s", n, got, first)
		}
	}
	if first != "&marked"+text {
		t.Errorf("numbered as they are met: %s", first)
	}
}

type markHidden struct {
	Seen int
	Left mark `mc:"-"`
}

//lint:ignore U1000 it is found by reflection
type markOpaque struct{ of mark }

//lint:ignore U1000 it is found by reflection
type markSummary struct{ in mark }

func (markSummary) Summary() any { return 1 }

func TestFinderRefusesWhatItCannotChange(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{&markHidden{}, "a canon.markHidden has one in Left, which is left out of the state"},
		{&struct{ In []markHidden }{}, "a canon.markHidden has one in Left, which is left out of the state"},
		{&struct{ S markSummary }{}, "a canon.markSummary is told by its Summary"},
		{map[mark]int{}, "a map[canon.mark]int has keys that hold one; key the map by something else"},
		{map[any]int{mark{}: 1}, "a key of a map holds one; key the map by something else"},
		{map[any]int{[2]any{&struct{ N any }{3}, mark{}}: 1}, "a key of a map holds one; key the map by something else"}, // beside a pointer, behind which one may be
		{map[float64]mark{math.NaN(): {}}, "a map may hold one under a key that is not equal to itself (NaN); key the map by something else"},
		{&struct{ O markOpaque }{}, ""},
		{map[struct{ A, B int }]mark{{}: {}}, ""},
		{&struct{ N any }{N: 3}, ""},
	} {
		for _, f := range []*Finder{finder(t), slowFinder(t)} {
			_, err := f.Find(c.v, func(reflect.Value) {})
			if got := fmt.Sprint(err); got != c.want && !(c.want == "" && err == nil) {
				t.Errorf("of %T: %s; want %s", c.v, got, c.want)
			}
		}
		ofType := c.want != "" && !strings.HasPrefix(c.want, "a key of a map holds one") && !strings.Contains(c.want, "NaN") // else it is the value's
		if got := finder(t).Check(reflect.TypeOf(c.v)); ofType && got != c.want || !ofType && got != "" {
			t.Errorf("of the type %T: %q; want %q", c.v, got, c.want)
		}
	}
}

func TestFinderEndsInCycles(t *testing.T) {
	list := []any{mark{}, nil}
	list[1] = list
	n := 0
	if _, err := finder(t).Find(&list, func(reflect.Value) { n++ }); err != nil || n != 1 {
		t.Errorf("a slice that contains itself has %d marks, %v", n, err)
	}
	if finder(t).Holds(map[string]any{"a": 1}) || !finder(t).Holds([]any{1, &mark{}}) {
		t.Error("Holds does not tell what holds a mark")
	}
}

// TestHoldsAllocatesNothing checks that Holds searches values in interfaces without copying them.
func TestHoldsAllocatesNothing(t *testing.T) {
	f := finder(t)
	if !f.w.known {
		t.Skip("reflection allocates")
	}
	v := any(struct{ Body any }{struct{ A, B any }{[2]int{1, 2}, struct{ C any }{"text"}}})
	f.Holds(v)
	if n := testing.AllocsPerRun(100, func() { f.Holds(v) }); n > 0 {
		t.Errorf("Holds allocates %v times", n)
	}
}

// TestFinderPassesZero compares a finder that skips zero values with one that visits all, for maps whose
// elements are plain, lie in interfaces, behind pointers and in slices.
func TestFinderPassesZero(t *testing.T) {
	type element struct {
		Name string
		At   mark
		Any  any
		List []mark
		To   *mark
	}
	of := func(rng *rand.Rand) map[int]element {
		all := map[int]element{}
		mark := func() mark { return mark{rng.IntN(3) / 2 * rng.IntN(100)} }
		for k := range rng.IntN(6) {
			e := element{Name: "x", At: mark()}
			switch rng.IntN(5) {
			case 0:
				e.Any = mark()
			case 1:
				e.Any = "no mark"
			case 2:
				e.List = append(e.List, mark(), mark())
			case 3:
				m := mark()
				e.To = &m
			}
			all[k] = e
		}
		return all
	}
	for seed := range uint64(300) {
		run := func(f *Finder) (met []int, text string) {
			all := of(rand.New(rand.NewPCG(seed, 1)))
			var places []*mark
			changed, err := f.Find(&all, func(v reflect.Value) {
				if m := v.Addr().Interface().(*mark); m.n != 0 {
					places, met = append(places, m), append(met, m.n)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range places {
				m.n = 1000 + i
			}
			changed()
			return met, f.w.Text(all)
		}
		every := slowFinder(t)
		met, text := run(every)
		passing := finder(t).PassZero()
		if got, now := run(passing); !slices.Equal(got, met) || now != text {
			t.Fatalf("seed %d: %v and %s; every one: %v and %s", seed, got, now, met, text)
		}
		if all := of(rand.New(rand.NewPCG(seed, 1))); passing.Holds(all) != every.Holds(all) {
			t.Fatalf("seed %d: Holds differs", seed)
		} else {
			for k, e := range all {
				for _, v := range []any{e, e.Any, [2]any{k, e}, struct{ In any }{e}, []any{&e, e.At}} {
					if passing.Holds(v) != every.Holds(v) {
						t.Fatalf("seed %d: Holds(%T) differs", seed, v)
					}
				}
			}
		}
	}
}
