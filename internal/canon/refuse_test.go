//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error is %v\nwant     %s", err, want)
	}
}

type withFunc struct{ step func(int) error }
type withChan struct{ in chan int }
type withAddress struct{ at uintptr }
type withUnsafe struct{ at unsafe.Pointer }
type withPointerKey struct{ m map[*int]int }
type withLock struct {
	mu sync.Mutex
	rw sync.RWMutex
	m  map[string]any
	s  []any
}
type deepFunc struct {
	a struct{ list []map[int]*withFunc }
}

// leaky has itself as its summary, with the function.
type leaky struct{ f func() }

func (l leaky) Summary() any { return l }

type withOptions struct {
	first  func()
	number int
	second []func()
}

type embedsSummary struct {
	number
	n int
}

func TestRefusedTypes(t *testing.T) {
	w := mustNew(t, skipEnv)
	for _, c := range []struct {
		v    any
		want string
	}{
		{withFunc{}, `cannot walk canon.withFunc.step (func(int) error): functions have no comparable identity; tag the field mc:"-" or add "canon.withFunc.step" to System.Opaque`},
		{&withChan{}, `cannot walk canon.withChan.in (chan int): what is in a channel cannot be seen; tag the field mc:"-" or add "canon.withChan.in" to System.Opaque`},
		{withAddress{}, `cannot walk canon.withAddress.at (uintptr): an address differs from run to run; tag the field mc:"-" or add "canon.withAddress.at" to System.Opaque`},
		{&atomic.Uintptr{}, `cannot walk atomic.Uintptr (uintptr): an address differs from run to run; use another integer type`},
		{withUnsafe{}, `cannot walk canon.withUnsafe.at (unsafe.Pointer): what it points to is unknown; tag the field mc:"-" or add "canon.withUnsafe.at" to System.Opaque`},
		{withPointerKey{}, `cannot walk canon.withPointerKey.m[key] (*int): a map key that is a pointer, or left out, has no canonical order; tag the field mc:"-" or add "canon.withPointerKey.m" to System.Opaque`},
		{map[env]int{}, `cannot walk map[canon.env]int[key] (canon.env): a map key that is a pointer, or left out, has no canonical order; key the map by a value`},
		{map[[1]pair[int, *int]]int{}, `cannot walk map[[1]canon.pair[int,*int]]int[key] (*int): a map key that is a pointer, or left out, has no canonical order; key the map by a value`},
		{map[withChan]int{}, `cannot walk map[canon.withChan]int[key].in (chan int): what is in a channel cannot be seen; tag the field mc:"-" or add "canon.withChan.in" to System.Opaque`},
		{deepFunc{}, `cannot walk canon.deepFunc.a.list[][].step (func(int) error): functions have no comparable identity; tag the field mc:"-" or add "canon.withFunc.step" to System.Opaque`},
		{withTimer{time.NewTimer(time.Hour)}, `cannot walk canon.withTimer.due.C (<-chan time.Time): what is in a channel cannot be seen; tag the field mc:"-" or add "canon.withTimer.due" to System.Opaque, or "time.Timer" if all of this type are caches, metrics or loggers`},
		{struct{ f func() }{}, `cannot walk struct { f func() }.f (func()): functions have no comparable identity; tag the field mc:"-" or add "*.f" to System.Opaque`},
		{func() {}, `cannot walk func() (func()): functions have no comparable identity; hand over a value without one`},
		{withOptions{}, `cannot walk canon.withOptions.first (func()): functions have no comparable identity; tag the field mc:"-" or add "canon.withOptions.first" to System.Opaque; if what they hold never changes, "canon.withOptions.func" in System.Immutable names all 2 functions of this type`},
		{[]any(nil), ""},
		{embedsSummary{}, `cannot walk canon.embedsSummary (canon.embedsSummary): it embeds a Summarizer, so its Summary may be that of the embedded field alone; give the embedded field a name`},
	} {
		checked := w.Check(reflect.TypeOf(c.v))
		_, summed := w.Sum(c.v)
		if c.want == "" {
			if checked != nil || summed != nil {
				t.Errorf("%T is refused: %v, %v", c.v, checked, summed)
			}
			continue
		}
		wantError(t, checked, c.want)
		wantError(t, summed, c.want)
		shown := "<cannot walk: " + strings.TrimPrefix(c.want, "cannot walk ") + ">"
		if got := w.Text(c.v); got != shown {
			t.Errorf("text is %s, want %s", got, shown)
		}
		if got := w.Lines(c.v); len(got) != 1 || got[0] != (Line{Value: shown}) {
			t.Errorf("lines are %v, want %s", got, shown)
		}
	}
}

func TestRefusedValues(t *testing.T) {
	w := mustNew(t, Options{})
	held := func() *withLock { l := &withLock{}; l.mu.Lock(); return l }
	read := &withLock{}
	read.rw.RLock()
	inMap := &withLock{m: map[string]any{"a": []*withLock{nil, held()}}}
	itself := []any{nil}
	itself[0] = itself
	inKey := &withLock{m: map[string]any{"x": map[any]int{pair[int, *int]{1, new(int)}: 1}}}
	byPointer := map[int]*sync.Mutex{2: {}}
	byPointer[2].Lock()
	byValue := map[uint8]sync.Mutex{3: {}}
	reflect.ValueOf(byValue).SetMapIndex(reflect.ValueOf(uint8(3)), reflect.ValueOf(byPointer[2]).Elem())
	bySummary := map[mapped]*sync.Mutex{{}: byPointer[2]}
	const advice = `it is held, and the goroutines that wait for it are not part of the state; tag the field mc:"-" or add "canon.withLock.`
	for _, c := range []struct {
		v    any
		want string
	}{
		{held(), `cannot walk canon.withLock.mu (sync.Mutex): ` + advice + `mu" to System.Opaque`},
		{read, `cannot walk canon.withLock.rw (sync.RWMutex): ` + advice + `rw" to System.Opaque`},
		{inMap, `cannot walk canon.withLock.m["a"][1].mu (sync.Mutex): ` + advice + `mu" to System.Opaque`},
		{byPointer, `cannot walk map[int]*sync.Mutex[2] (sync.Mutex): it is held, and the goroutines that wait for it are not part of the state; unlock it before the handler returns`},
		{byValue, `cannot walk map[uint8]sync.Mutex[3] (sync.Mutex): it is held, and the goroutines that wait for it are not part of the state; unlock it before the handler returns`},
		{bySummary, `cannot walk map[canon.mapped]*sync.Mutex[pair[int,map[int]interface {}]{first: 0, second: {1: "a", 2: "b"}}] (sync.Mutex): it is held, and the goroutines that wait for it are not part of the state; unlock it before the handler returns`},
		{leaky{}, `cannot walk canon.leaky.f (func()): functions have no comparable identity; tag the field mc:"-" or add "canon.leaky.f" to System.Opaque`},
		{&withLock{s: []any{1, func() {}}}, `cannot walk canon.withLock.s[1] (func()): functions have no comparable identity; tag the field mc:"-" or add "canon.withLock.s" to System.Opaque`},
		{inKey, `cannot walk canon.withLock.m["x"][key].second (*int): a map key that holds a pointer has no canonical order; tag the field mc:"-" or add "canon.pair.second" to System.Opaque`},
		{map[float64]any{math.NaN(): 1, math.Float64frombits(0x7ff8000000000001): 2}, `cannot walk map[float64]interface {} (map[float64]interface {}): two of its keys are the same to the walk (NaN, or differing in what is left out) and its elements may hold references, so they have no canonical order; key the map by another value`},
	} {
		_, err := w.Sum(c.v)
		wantError(t, err, c.want)
		slow := mustSlow(t, Options{})
		_, err = slow.Sum(c.v)
		wantError(t, err, c.want)
		for _, p := range slow.plans {
			if p.copies.used != 0 || p.frame != 0 {
				t.Errorf("after the refusal of a %T, scratch memory of %v is in use", c.v, p.typ)
			}
		}
	}
	_, err := w.Sum(itself)
	if err == nil || !strings.Contains(err.Error(), "[0][0]...[0][0]") || !strings.HasSuffix(err.Error(),
		"it is nested deeper than 50000 levels; look for a slice which contains itself") {
		t.Errorf("a slice which contains itself gives %v", err)
	}
	same(t, w, &withLock{}, &withLock{}) // unheld, and usable after all the refusals
	l := &withLock{}
	w.Sum(l)
	if !l.mu.TryLock() || !l.rw.TryLock() {
		t.Error("the walk left a lock held")
	}
}

type withTimer struct{ due *time.Timer }

// TestRefusedTypeLeavesNoPlans checks that a type that was refused once is refused
// again, and so are the types that lead to it.
func TestRefusedTypeLeavesNoPlans(t *testing.T) {
	type inner struct {
		self *inner
		f    func()
	}
	type outer struct {
		ok *base
		in *inner
	}
	w := mustNew(t, Options{})
	for range 2 {
		for _, v := range []any{outer{}, &inner{}, []any{&inner{}}} {
			if _, err := w.Sum(v); err == nil {
				t.Errorf("%T was walked, though it holds a function", v)
			}
		}
	}
	same(t, w, &base{id: 1}, &base{id: 1})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Opaque: []string{"node"}}, `opaque rule "node" is malformed; want pkg.Type.field, *.field or pkg.Type`},
		{Options{Opaque: []string{"a.B", "*.x.y"}}, `opaque rule "*.x.y" is malformed; want pkg.Type.field, *.field or pkg.Type`},
		{Options{Opaque: []string{"a. B"}}, `opaque rule "a. B" is malformed; want pkg.Type.field, *.field or pkg.Type`},
		{Options{Skip: []reflect.Type{reflect.TypeFor[any]()}}, `Options.Skip lists interface {}; want interface types with methods`},
		{Options{Skip: []reflect.Type{reflect.TypeFor[base]()}}, `Options.Skip lists canon.base; want interface types with methods`},
		{Options{Named: []reflect.Type{reflect.TypeFor[base]()}}, `Options.Named lists canon.base, which has no String method; add one or take it off the list`},
		{Options{Named: []reflect.Type{nil}}, `Options.Named lists <nil>, which has no String method; add one or take it off the list`},
	} {
		_, err := New(c.o)
		wantError(t, err, c.want)
	}
}

// wrapped embeds an Env, so it implements one, but has state of its own.
type wrapped struct {
	env
	n int
}

func TestSkip(t *testing.T) {
	w := mustNew(t, skipEnv)
	type node struct {
		env  env
		sim  *simEnv
		val  simEnv
		list []env
		n    int
	}
	a := node{env: &simEnv{}, sim: &simEnv{}, list: []env{&simEnv{}}, n: 1}
	b := node{list: []env{nil}, n: 1}
	same(t, w, a, b)
	b.n = 2
	differ(t, w, a, b)
	if got, want := w.Text(a), "node{list: [-], n: 1}"; got != want {
		t.Errorf("text is %s, want %s", got, want)
	}
	same(t, w, wrapped{&simEnv{}, 1}, wrapped{nil, 1})
	differ(t, w, wrapped{nil, 1}, wrapped{nil, 2})
	differ(t, w, []any{&simEnv{}}, []any{nil})
}

type opaque struct {
	cache  func()
	seed   int
	n      int
	logger *logger
}

type logger struct{ out chan int }

type boxed[T any] struct {
	gone T
	n    int
}

func TestOpaqueRules(t *testing.T) {
	for _, cache := range []string{"canon.opaque.cache", "macemc/internal/canon.opaque.cache", "*.cache"} {
		w := mustNew(t, Options{Opaque: []string{cache, "canon.logger", "opaque.opaque.seed", "*.seed", "canon.boxed.gone", "x/y.v3.Type"}})
		a, b := opaque{n: 1}, opaque{cache: func() {}, seed: 2, n: 1, logger: &logger{}}
		same(t, w, a, b)
		b.n = 2
		differ(t, w, a, b)
		same(t, w, boxed[func()]{n: 1}, boxed[func()]{func() {}, 1})
		if got, want := w.Text(b), "opaque{n: 2}"; got != want {
			t.Errorf("text is %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(w.Unused()), "[opaque.opaque.seed x/y.v3.Type]"; got != want {
			t.Errorf("unused rules are %s, want %s", got, want)
		}
	}
}

func TestPointerFree(t *testing.T) {
	for _, c := range []struct {
		t    reflect.Type
		want bool
	}{
		{reflect.TypeFor[benchMsg](), true}, {reflect.TypeFor[[2]pair[int, string]](), true},
		{timeType, true}, {reflect.TypeFor[uintptr](), true}, {reflect.TypeFor[[0]*int](), true},
		{reflect.TypeFor[*int](), false}, {reflect.TypeFor[[]int](), false}, {reflect.TypeFor[map[int]int](), false},
		{reflect.TypeFor[any](), false}, {reflect.TypeFor[withFunc](), false}, {reflect.TypeFor[withChan](), false},
		{reflect.TypeFor[[1]link](), false}, {reflect.TypeFor[withUnsafe](), false},
	} {
		if got := pointerFree(c.t); got != c.want {
			t.Errorf("pointerFree(%v) is %t", c.t, got)
		}
	}
}
