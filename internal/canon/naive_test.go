//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// naive is a slow and simple implementation of the walk, with which tests compare the real one: it
// writes the canonical form of a value as a string, registers the address of everything that it
// meets, sorts every map and uses no plans.
type naive struct {
	seen map[naiveKey]naiveVisit
	keep []reflect.Value
	n    int
}

type naiveKey struct {
	addr uintptr
	typ  reflect.Type
}

type naiveVisit struct {
	n         int
	byPointer bool
}

func naiveForm(v any) string {
	n := &naive{seen: map[naiveKey]naiveVisit{}}
	return n.dynamic(reflect.ValueOf(v))
}

func (n *naive) dynamic(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	n.keep = append(n.keep, c) // so that no address is used twice
	return fmt.Sprintf("<%s/%s>%s", v.Type().PkgPath(), v.Type(), n.form(c, false))
}

// form returns the form of the addressable v. memory says that v is not in scratch memory, so that its
// address counts.
func (n *naive) form(v reflect.Value, memory bool) string {
	n.n++
	me := n.n
	k := naiveKey{v.UnsafeAddr(), v.Type()}
	alias := ""
	if memory && v.Type().Size() > 0 {
		if seen, ok := n.seen[k]; !ok {
			n.seen[k] = naiveVisit{me, false}
		} else if seen.byPointer && seen.n != me {
			alias = fmt.Sprintf("@%d", seen.n)
		}
	}
	return alias + n.content(v, memory, me)
}

func (n *naive) content(v reflect.Value, memory bool, me int) string {
	switch v.Kind() {
	case reflect.Float64:
		return fmt.Sprintf("f%x", math.Float64bits(v.Float()))
	case reflect.Complex128:
		return fmt.Sprintf("c%x,%x", math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex())))
	case reflect.Float32:
		return fmt.Sprintf("f%x", *(*uint32)(unsafe.Pointer(v.UnsafeAddr())))
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Interface:
		return n.dynamic(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		k := naiveKey{v.Pointer(), v.Type().Elem()}
		if seen, ok := n.seen[k]; ok {
			return fmt.Sprintf("=%d", seen.n)
		}
		if v.Type().Elem().Size() > 0 {
			n.seen[k] = naiveVisit{n.n + 1, true}
		}
		return "&" + n.form(v.Elem(), true)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			memory = true
			if v.IsNil() {
				return "nil"
			}
		}
		var items []string
		for i := range v.Len() {
			items = append(items, n.form(v.Index(i), memory))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "_" && f.Tag.Get("mc") != "-" {
				fields = append(fields, f.Name+":"+n.form(clean(v.Field(i)), memory))
			}
		}
		return "{" + strings.Join(fields, " ") + "}"
	case reflect.Map:
		return n.mapForm(v, me)
	default:
		return fmt.Sprint(v.Interface())
	}
}

func (n *naive) mapForm(v reflect.Value, me int) string {
	if v.IsNil() {
		return "nil"
	}
	k := naiveKey{v.Pointer(), v.Type()}
	if seen, ok := n.seen[k]; ok {
		return fmt.Sprintf("=%d", seen.n)
	}
	n.seen[k] = naiveVisit{me, true}
	type entry struct {
		key  string
		elem reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		k.Set(it.Key())
		e.Set(it.Value())
		n.keep = append(n.keep, k, e)
		entries = append(entries, entry{n.form(k, false), e})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	var items []string
	for _, e := range entries {
		items = append(items, e.key+"="+n.form(e.elem, false))
	}
	if !mayRefer(v.Type().Elem()) {
		slices.Sort(items)
	}
	return "map{" + strings.Join(items, " ") + "}"
}

func mayRefer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Interface, reflect.Slice:
		return true
	case reflect.Array:
		return mayRefer(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if mayRefer(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

func clean(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// maker makes random types and values from small domains, so that equal values
// and shared pointers are common.
type maker struct {
	*rand.Rand
	pool map[reflect.Type][]reflect.Value // pointers and maps to share
}

func newMaker(seed uint64) *maker {
	return &maker{rand.New(rand.NewPCG(seed, 1)), map[reflect.Type][]reflect.Value{}}
}

type color uint8

type pair[A, B any] struct {
	first  A
	second B
}

type link struct {
	value int8
	next  *link
	up    any
	byKey map[int8]*link
}

type knot struct {
	a, b  link
	first *link
	n     int16
	point *int16
	_     int32
	skip  int `mc:"-"`
	list  []link
	last  *link
	twice **link
}

type base struct{ id, Gen int8 }

type derived struct {
	base
	*link
	Any any
}

// route is a type that its own pointers lead to while its plan is being compiled. It has exported fields
// inside of unexported ones, which reflection treats as unexported.
type route struct {
	next *route
	M    map[int8]*route
	Any  any
	list []route
}

var handTypes = []reflect.Type{
	reflect.TypeFor[link](), reflect.TypeFor[knot](), reflect.TypeFor[derived](), reflect.TypeFor[color](),
	reflect.TypeFor[pair[int, string]](), reflect.TypeFor[pair[any, *knot]](), reflect.TypeFor[any](),
	reflect.TypeFor[route](), reflect.TypeFor[map[any]any](), reflect.TypeFor[map[string][]*link](), reflect.TypeFor[[2]base](),
	reflect.TypeFor[map[pair[int8, bool]]color](), reflect.TypeFor[**knot](), reflect.TypeFor[map[float64]base](),
	reflect.TypeFor[pair[*[]byte, []byte]](), reflect.TypeFor[pair[*map[int8]int8, map[int8]int8]](),
}

var scalarTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
	reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](),
	reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](),
	reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	reflect.TypeFor[string](), reflect.TypeFor[color](),
}

// keyTypes are types of keys without NaN, since naive does not order equal keys.
var keyTypes = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[uint16](), reflect.TypeFor[base](),
	reflect.TypeFor[pair[string, color]](), reflect.TypeFor[[2]int8](), reflect.TypeFor[bool](),
}

func (m *maker) typ(depth int) reflect.Type {
	if depth == 0 {
		return scalarTypes[m.IntN(len(scalarTypes))]
	}
	switch m.IntN(8) {
	case 0:
		return scalarTypes[m.IntN(len(scalarTypes))]
	case 1:
		return reflect.SliceOf(m.typ(depth - 1))
	case 2:
		return reflect.ArrayOf(m.IntN(3), m.typ(depth-1))
	case 3:
		return reflect.MapOf(keyTypes[m.IntN(len(keyTypes))], m.typ(depth-1))
	case 4:
		return reflect.PointerTo(m.typ(depth - 1))
	case 5:
		return handTypes[m.IntN(len(handTypes))]
	default:
		var fields []reflect.StructField
		for i := range 1 + m.IntN(4) {
			f := reflect.StructField{Name: fmt.Sprint("F", i), Type: m.typ(depth - 1)}
			if m.IntN(2) == 0 {
				f.Name, f.PkgPath = fmt.Sprint("f", i), "macemc/internal/canon"
			}
			fields = append(fields, f)
		}
		return reflect.StructOf(fields)
	}
}

func (m *maker) value(t reflect.Type) any {
	v := reflect.New(t)
	m.fill(v.Elem(), 5, true)
	if m.IntN(2) == 0 {
		return v.Interface()
	}
	return v.Elem().Interface()
}

// fill sets the addressable v to a random value. memory says that v is not in scratch memory, so that pointers
// may lead to it.
func (m *maker) fill(v reflect.Value, depth int, memory bool) {
	t := v.Type()
	if memory && v.CanAddr() && t.Size() > 0 && m.IntN(3) == 0 {
		p := reflect.PointerTo(t)
		m.pool[p] = append(m.pool[p], v.Addr())
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(m.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.IntN(3)) - 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(m.Uint64N(3))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, math.Copysign(0, -1), 1.5, math.Inf(1)}[m.IntN(4)])
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(m.IntN(2)), []float64{0, math.Copysign(0, -1)}[m.IntN(2)]))
	case reflect.String:
		v.SetString([]string{"", "a", "b\x00", "\xff", "nil", "\", "}[m.IntN(6)])
	case reflect.Struct:
		for i := range v.NumField() {
			m.fill(clean(v.Field(i)), depth-1, memory)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1, memory)
		}
	default:
		if depth > 0 && m.IntN(4) > 0 {
			m.fillReference(v, depth)
		}
	}
}

func (m *maker) fillReference(v reflect.Value, depth int) {
	t := v.Type()
	if pool := m.pool[t]; len(pool) > 0 && m.IntN(2) == 0 {
		v.Set(pool[m.IntN(len(pool))])
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		m.pool[t] = append(m.pool[t], v.Elem().Addr())
		m.fill(v.Elem(), depth-1, true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, m.IntN(3), 4))
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1, true)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		m.pool[t] = append(m.pool[t], reflect.ValueOf(v.Interface()))
		for range m.IntN(4) {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			if t.Key().Kind() == reflect.Interface {
				k.Set(reflect.ValueOf([]any{1, "1", int8(1), base{1, 0}}[m.IntN(4)]))
			} else {
				m.fill(k, depth-1, false)
			}
			m.fill(e, depth-1, false)
			v.SetMapIndex(k, e)
		}
	case reflect.Interface:
		types := append([]reflect.Type{reflect.TypeFor[*link](), reflect.TypeFor[*knot]()}, scalarTypes...)
		types = append(types, handTypes...)
		e := reflect.New(types[m.IntN(len(types))]).Elem()
		m.fill(e, depth-1, false)
		if e.Kind() != reflect.Interface {
			v.Set(e)
		}
	}
}

// TestTwin compares the walk with naive for pairs of values: they have equal forms exactly if they have equal
// hashes and equal texts. It checks that the plans that a Walker already has change nothing.
func TestTwin(t *testing.T) {
	warm := mustNew(t, Options{})
	equal, differ := 0, 0
	for seed := range uint64(600) {
		m := newMaker(seed)
		typ := handTypes[int(seed)%len(handTypes)]
		if seed%2 == 0 {
			typ = m.typ(3)
		}
		var walked []walkedValue
		for i := range uint64(8) {
			// Twice the same value, at other addresses; by address and by reflection.
			walked = append(walked, walkedOf(t, warm, newMaker(seed*100+i).value(typ)))
			walked = append(walked, walkedOf(t, mustSlow(t, Options{}), newMaker(seed*100+i).value(typ)))
		}
		for i, a := range walked {
			for j, b := range walked[:i] {
				same := a.naive == b.naive
				if i == j^1 && !same {
					t.Fatalf("type %v: the twin or the maker is not deterministic:\n%s\n%s", typ, a.naive, b.naive)
				}
				if same {
					equal++
				} else {
					differ++
				}
				if same != (a.sum == b.sum) || same != (a.text == b.text) {
					t.Fatalf("type %v, seed %d: equal by twin %t, by Sum %t, by text %t\n%s\n%s\n%s\n%s", typ, seed,
						same, a.sum == b.sum, a.text == b.text, a.naive, b.naive, a.text, b.text)
				}
				if a.typ == b.typ && same != slices.Equal(a.lines, b.lines) {
					t.Fatalf("type %v: equal by twin %t, but lines are\n%v\n%v", typ, same, a.lines, b.lines)
				}
			}
		}
	}
	if equal < 4000 || differ < 4000 {
		t.Errorf("compared %d equal and %d differing pairs; want 4000 of each", equal, differ)
	}
}

type walkedValue struct {
	typ         reflect.Type
	naive, text string
	sum         Hash
	lines       []Line
}

func walkedOf(t *testing.T, w *Walker, v any) walkedValue {
	t.Helper()
	sum, err := w.Sum(v)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := w.Sum(v) // the plans are there now, and maps iterate anew
	if again != sum {
		t.Fatalf("%s hashed to %v, then to %v", w.Text(v), sum, again)
	}
	return walkedValue{reflect.TypeOf(v), naiveForm(v), w.Text(v), sum, w.Lines(v)}
}

func mustNew(t testing.TB, o Options) *Walker {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// FuzzSum builds a type and two values from the seeds, and compares the walk with naive.
func FuzzSum(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3))
	f.Add(uint64(7), uint64(7), uint64(7))
	f.Fuzz(func(t *testing.T, typeSeed, one, two uint64) {
		typ := newMaker(typeSeed).typ(3)
		a := walkedOf(t, mustNew(t, Options{}), newMaker(one).value(typ))
		b := walkedOf(t, mustSlow(t, Options{}), newMaker(two).value(typ))
		if same := a.naive == b.naive; same != (a.sum == b.sum) || same != (a.text == b.text) {
			t.Fatalf("equal by twin %t, by Sum %t, by text %t\n%s\n%s", same, a.sum == b.sum, a.text == b.text, a.text, b.text)
		}
	})
}
