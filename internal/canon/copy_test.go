package canon

import (
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"
)

// scribbler changes all memory that can be reached from a value and written.
type scribbler struct{ seen map[naiveKey]bool }

func scribble(v any) {
	if v == nil {
		return
	}
	s := scribbler{map[naiveKey]bool{}}
	c := reflect.New(reflect.TypeOf(v)).Elem()
	c.Set(reflect.ValueOf(v))
	s.change(c)
}

func (s scribbler) change(v reflect.Value) {
	k := naiveKey{v.UnsafeAddr(), v.Type()}
	if s.seen[k] {
		return
	}
	s.seen[k] = true
	if immutable[v.Type()] {
		return
	}
	if v.Type() == timeType { // time zones are shared by all of us
		v.Set(reflect.ValueOf(time.Unix(9, 9)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 64)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() ^ 64)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() + 9)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(v.Complex() + 9)
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Struct:
		for i := range v.NumField() {
			s.change(clean(v.Field(i)))
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			s.change(v.Index(i))
		}
		if v.Kind() == reflect.Slice {
			reflect.Append(v, reflect.Zero(v.Type().Elem())) // into spare capacity, if any
		}
	case reflect.Pointer:
		if !v.IsNil() {
			s.change(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			c := reflect.New(v.Elem().Type()).Elem()
			c.Set(v.Elem())
			s.change(c)
		}
	case reflect.Map:
		k := naiveKey{v.Pointer(), v.Type()}
		if v.IsNil() || s.seen[k] {
			return
		}
		s.seen[k] = true
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			s.change(e)
			v.SetMapIndex(k, e)
		}
		if v.Type().Key().Kind() != reflect.Interface {
			k := reflect.New(v.Type().Key()).Elem()
			s.change(k)
			v.SetMapIndex(k, reflect.Zero(v.Type().Elem()))
		}
	}
}

// copiers returns two Walkers, one that reads memory and one that uses reflection.
func copiers(t testing.TB, o Options) []*Walker {
	return []*Walker{mustNew(t, o), mustSlow(t, o)}
}

// mustSlow returns a Walker as mustNew does, but one that uses reflection only.
func mustSlow(t testing.TB, o Options) *Walker {
	w := mustNew(t, o)
	w.known = false
	return w
}

func mustCopy(t testing.TB, w *Walker, v any) any {
	t.Helper()
	c, err := w.Copy(v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sameCopy checks that a copy is equal, and that neither changes with the other.
func sameCopy(t testing.TB, w *Walker, v any) {
	t.Helper()
	before := walkedCopy(t, w, v)
	c := mustCopy(t, w, v)
	if got := walkedCopy(t, w, c); got != before {
		t.Fatalf("the copy of %T\n%s\nis\n%s\n%s\n%s", v, before.text, got.text, before.naive, got.naive)
	}
	scribble(c)
	if got := walkedCopy(t, w, v); got != before {
		t.Fatalf("changing the copy of %T changed\n%s\nto\n%s", v, before.text, got.text)
	}
	c = mustCopy(t, w, v)
	scribble(v)
	if got := walkedCopy(t, w, c); got != before {
		t.Fatalf("changing the original %T changed the copy\n%s\nto\n%s", v, before.text, got.text)
	}
}

type copyForm struct {
	sum         Hash
	text, naive string
}

func walkedCopy(t testing.TB, w *Walker, v any) copyForm {
	t.Helper()
	s, err := w.Sum(v)
	if err != nil {
		t.Fatal(err)
	}
	return copyForm{s, w.Text(v), naiveForm(v)}
}

func TestCopyTwin(t *testing.T) {
	for _, w := range copiers(t, Options{}) {
		for seed := range uint64(1500) {
			m := newMaker(seed)
			typ := handTypes[int(seed)%len(handTypes)]
			if seed%2 == 0 {
				typ = m.typ(3)
			}
			sameCopy(t, w, m.value(typ))
		}
	}
}

func FuzzCopy(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Add(uint64(168), uint64(530)) // a map which contains itself
	f.Fuzz(func(t *testing.T, typeSeed, one uint64) {
		typ := newMaker(typeSeed).typ(3)
		for _, w := range copiers(t, Options{}) {
			sameCopy(t, w, newMaker(one).value(typ))
		}
	})
}

func TestCopyOfMaps(t *testing.T) {
	for _, w := range copiers(t, Options{}) {
		for _, n := range []int{0, 1, 8, 9, 1100} {
			type maps struct {
				a map[int]int
				b map[string]*int
				c map[[2]int8]struct{}
				d map[int][200]byte
				e map[[150]byte]*int
				f map[any]any
				g map[float64]string
				h map[int32]map[int]bool
			}
			m := &maps{map[int]int{}, map[string]*int{}, map[[2]int8]struct{}{}, map[int][200]byte{}, map[[150]byte]*int{}, map[any]any{}, map[float64]string{}, map[int32]map[int]bool{}}
			p := new(int)
			for i := range n {
				m.a[i], m.b[strings.Repeat("x", i%90)+string(rune(i))], m.c[[2]int8{int8(i), int8(i >> 8)}] = i, p, struct{}{}
				m.d[i], m.e[[150]byte{byte(i), byte(i >> 8)}], m.f[i] = [200]byte{1}, p, []int{i}
				m.g[float64(i)], m.h[int32(i)] = "x", map[int]bool{i: true}
			}
			m.g[math.NaN()], m.g[math.NaN()] = "y", "z"
			for i := range n / 3 {
				delete(m.a, 3*i)
				delete(m.h, int32(3*i))
			}
			c := mustCopy(t, w, m).(*maps)
			if x, y := sums(t, w, m), sums(t, w, c); x != y {
				t.Fatalf("%d entries: %v, %v", n, x, y)
			}
			for i := range n { // the copy can be used as a map
				if c.a[i] != m.a[i] || len(c.f[i].([]int)) != 1 || c.g[float64(i)] != "x" {
					t.Fatalf("entry %d of %d is %d in the copy", i, n, c.a[i])
				}
				c.a[n+i], c.h[int32(n+i)] = 1, nil
				delete(c.a, i)
			}
			if n > 0 && len(c.a) != n {
				t.Errorf("%d entries; want %d", len(c.a), n)
			}
		}
	}
}

func TestCopyOfLayers(t *testing.T) {
	for _, w := range copiers(t, skipEnv) {
		u := newLayers()
		c := mustCopy(t, w, u).(*upper)
		l := c.below.(*lower)
		if c == u || l == u.below || l.above != c || c.env != u.env || c.held != u.held || l.env != u.env {
			t.Errorf("the copy is %s", w.Text(c))
		}
		same(t, w, u, c)
		l.sent[1] = "x"
		same(t, w, u, newLayers())
	}
}

// aboveEnv is the Env that a layer passes to its upper node; port leads back to the layer.
type aboveEnv struct {
	env
	port any
}

type layer struct {
	over  *upper
	above aboveEnv `mc:"-"`
	heap  env
	raw   env
}

func TestCopyLeadsToCopiedLayer(t *testing.T) {
	for _, w := range copiers(t, skipEnv) {
		world := &simEnv{}
		l := &layer{over: &upper{}, raw: world}
		l.above = aboveEnv{world, l}
		l.heap = &aboveEnv{world, l}
		l.over.env = &l.above // kept by the upper node
		c := mustCopy(t, w, l).(*layer)
		if c.above.port != c || c.heap.(*aboveEnv).port != c || c.over.env != &c.above || c.raw != world || c.above.env != world {
			t.Errorf("the copy does not lead to itself: %+v of %+v", c, l)
		}
	}
}

// holdsOut has fields of every sort that is left out of the state.
type holdsOut struct {
	n      int
	rng    *base   `mc:"-"`
	cache  func()  `mc:"-"`
	list   []*base `mc:"-"`
	log    *logger
	any    any
	ch     chan int
	m      map[int]*logger
	_      *int
	worlds env              `mc:"-"`
	chans  map[int]chan int `mc:"-"`
	held   any              `mc:"-"`
	bad    struct {
		p *base
		f func()
	} `mc:"-"`
}

func TestCopyOfWhatIsLeftOut(t *testing.T) {
	o := Options{Skip: skipEnv.Skip, Opaque: []string{"canon.logger", "*.ch"}}
	for _, w := range copiers(t, o) {
		v := &holdsOut{n: 1, rng: &base{1, 2}, cache: nothingDone, list: []*base{{3, 4}}, log: &logger{}, any: &logger{},
			ch: make(chan int), m: map[int]*logger{1: {}}, worlds: &simEnv{}}
		v.list = append(v.list, v.rng)
		v.bad.p, v.bad.f = v.rng, nothingDone
		v.chans, v.held = map[int]chan int{}, &struct{ c chan int }{make(chan int)}
		c := mustCopy(t, w, v).(*holdsOut)
		same(t, w, v, c)
		if c.rng == v.rng || *c.rng != *v.rng || c.list[1] != c.rng || *c.list[0] != *v.list[0] {
			t.Errorf("what can be walked is not copied: %+v", c)
		}
		if c.log != v.log || c.any != v.any || c.ch != v.ch || c.cache == nil || c.m[1] != v.m[1] || c.worlds != v.worlds || c.bad.p != v.rng || c.held != v.held {
			t.Errorf("what cannot be walked is not shared: %+v", c)
		}
		if v.chans[1] = nil; len(c.chans) != 1 {
			t.Errorf("a map whose elements cannot be walked is not shared: %+v", c)
		}
		type partly struct {
			n    int
			skip int `mc:"-"`
		}
		many := map[int][2]partly{1: {{n: 1, skip: 2}}}
		if got := mustCopy(t, w, many).(map[int][2]partly)[1][0]; got.n != 1 || got.skip != 2 {
			t.Errorf("an entry of the copy is %v, %v", got.n, got.skip)
		}
	}
}

func TestCopyOfLists(t *testing.T) {
	type lists struct {
		all, low, high []int
		first          *int
		array          *[2]int
		queue          [][]int
	}
	for _, w := range copiers(t, Options{}) {
		// Slices which overlap do so in the copy, with what append does.
		all := []int{1, 2, 3, 4, 5, 6}
		v := &lists{all: all, low: all[:2], high: all[3:], first: &all[1], array: (*[2]int)(all[4:])}
		c := mustCopy(t, w, v).(*lists)
		_ = append(c.low, 30)
		c.all[1], c.array[0], c.high[2] = 20, 50, 60
		if c.all[2] != 30 || *c.first != 20 || c.all[4] != 50 || c.all[5] != 60 || c.low[1] != 20 || all[2] != 3 {
			t.Errorf("the copy is %s; the original %v", w.Text(c), all)
		}
		// Parts of an array which none of them shows as a whole.
		v = &lists{low: all[0:3], high: all[2:6:6], array: (*[2]int)(all[1:])}
		c = mustCopy(t, w, v).(*lists)
		c.low[2], c.array[0] = 33, 22
		if c.high[0] != 33 || c.low[1] != 22 || cap(c.low) != 6 || all[2] != 3 {
			t.Errorf("the copy is %s; the original %v", w.Text(c), all)
		}
		for _, p := range []lists{{array: (*[2]int)(all[:]), low: all[1:3:3]}, {low: all[1:3:3], array: (*[2]int)(all[2:])}} {
			same(t, w, p, mustCopy(t, w, p))
		}
		// One that stands alone has no spare capacity.
		v = &lists{low: all[:2], queue: [][]int{nil, {}, make([]int, 0, 4)}}
		c = mustCopy(t, w, v).(*lists)
		if cap(c.low) != 2 || c.all != nil || c.queue[0] != nil || c.queue[1] == nil || c.queue[2] == nil {
			t.Errorf("the copy is %s", w.Text(c))
		}
		itself := []any{1, nil}
		itself[1] = itself
		o := mustCopy(t, w, itself).([]any)
		if o[1].([]any)[1].([]any)[0] != 1 || &o[0] != &o[1].([]any)[0] || &o[0] == &itself[0] {
			t.Error("a slice which contains itself is copied otherwise")
		}
	}
}

func TestCopyOfOddities(t *testing.T) {
	type odd struct {
		mu    sync.Mutex
		rw    sync.RWMutex
		when  time.Time
		count atomic.Int64
		at    atomic.Pointer[base]
		val   atomic.Value
		same  *base
		err   error
		none  *struct{}
		f     float32
		sum   tally
		sums  any
		void  []struct{}
		wide  [9]*base
		texts [9]string
	}
	for _, w := range copiers(t, Options{}) {
		v := &odd{when: time.Now(), same: &base{1, 2}, err: io.EOF, none: &struct{}{}, f: 1, void: make([]struct{}, 3)}
		key := new(int)
		v.sum = tally{map[*int]func(){key: nothingDone}}
		v.sums = &tally{map[*int]func(){key: nothingDone}}
		v.wide[8], v.texts[3] = v.same, "x"
		v.count.Store(7)
		v.at.Store(v.same)
		v.val.Store([]int{1})
		c := mustCopy(t, w, v).(*odd)
		same(t, w, v, c)
		if c.same == v.same || c.at.Load() != c.same || c.wide[8] != c.same || c.count.Load() != 7 || c.err != io.EOF || !c.when.Equal(v.when) {
			t.Errorf("the copy is %s", w.Text(c))
		}
		if len(c.sum.votes) != 1 || c.sum.votes[key] != nil || c.sums == v.sums {
			t.Errorf("the votes are %v, %v", c.sum.votes, c.sums)
		}
		c.val.Load().([]int)[0] = 2
		if v.val.Load().([]int)[0] != 1 {
			t.Error("what an atomic.Value holds is shared")
		}
		v.mu.Lock()
		v.rw.RLock()
		if c = mustCopy(t, w, v).(*odd); !c.mu.TryLock() || !c.rw.TryLock() {
			t.Error("the lock is held in the copy")
		}
		for _, x := range []any{nil, 1, "x", base{1, 2}, errors.New("x"), [2]any{1, &base{}}, struct{}{}, struct{ p *base }{v.same}} {
			same(t, w, x, mustCopy(t, w, x))
		}
	}
}

func TestCopyRefuses(t *testing.T) {
	for _, w := range copiers(t, Options{}) {
		_, err := w.Copy(&withFunc{})
		wantError(t, err, `cannot walk canon.withFunc.step (func(int) error): functions have no comparable identity; tag the field mc:"-" or add "canon.withFunc.step" to System.Opaque`)
		deep := &link{}
		for range depthMax + 1 {
			deep = &link{next: deep}
		}
		_, err = w.Copy(deep)
		wantError(t, err, "cannot copy *canon.link: it is nested deeper than 50000 levels")
		sameCopy(t, w, &link{next: &link{}}) // usable after a refusal
	}
}

// TestCopyOfMany copies more objects and maps than are searched one by one (see few).
func TestCopyOfMany(t *testing.T) {
	for _, w := range copiers(t, Options{}) {
		v := []pair[*base, map[int]int]{}
		for i := range 1000 {
			p := pair[*base, map[int]int]{&base{id: int8(i)}, map[int]int{i: i}}
			v = append(v, p, p)
		}
		sameCopy(t, w, v)
	}
}

// TestCopyHoldsNothing checks that neither original nor copy is kept alive.
func TestCopyHoldsNothing(t *testing.T) {
	w := mustNew(t, Options{})
	one, two := func() (a, b weak.Pointer[link]) {
		l := &link{value: 1, byKey: map[int8]*link{1: {}}}
		l.next = l
		return weak.Make(l), weak.Make(mustCopy(t, w, l).(*link))
	}()
	runtime.GC()
	if one.Value() != nil || two.Value() != nil {
		t.Error("the Walker keeps a copied value alive")
	}
	runtime.KeepAlive(w)
}

// TestCopySurvivesCollection uses copies after garbage collections: memory to which the copy has
// pointers that the collector does not know would be lost.
func TestCopySurvivesCollection(t *testing.T) {
	w := mustNew(t, Options{})
	var all []any
	want := w.Text(newBenchNode(20))
	for range 50 {
		all = append(all, mustCopy(t, w, newBenchNode(20)))
		runtime.GC()
		for range 100 {
			newBenchNode(2)
		}
	}
	for _, c := range all {
		if got := w.Text(c); got != want {
			t.Fatalf("the copy became\n%s; want\n%s", got, want)
		}
	}
}
