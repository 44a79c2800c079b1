package codec

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"macemc/internal/canon"
)

type (
	word   string
	deeper struct {
		n    int8
		list []word
		self *deeper
		any  any
	}
	all struct {
		b            bool
		i            int
		i16          int16
		u            uint64
		f            float32
		c            complex128
		s            string
		raw          []byte
		none, empty  []int
		arr          [3]uint16
		m            map[word]map[int]deeper
		noMap        map[string]bool
		p, same, nul *deeper
		any, nothing any
		at           time.Time
		_            int
		left         func() `mc:"-"`
		keys         map[any]bool
	}
	pair[T any] struct{ a, b T }
)

func sample() all {
	d := &deeper{n: -5, list: []word{"x", ""}, any: word("y")}
	d.self = d
	return all{
		b: true, i: -1 << 60, i16: math.MinInt16, u: math.MaxUint64, f: float32(math.Copysign(0, -1)), c: complex(1, math.Inf(1)),
		s: "a\x00b", raw: []byte{}, empty: []int{}, arr: [3]uint16{1, 2, 3},
		m:    map[word]map[int]deeper{"b": nil, "a": {3: {n: 1}, -1: {n: 2}}},
		none: nil, noMap: nil, p: d, same: d, nul: nil, nothing: nil, left: nil, any: pair[word]{"k", "l"}, at: time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC),
		keys: map[any]bool{word("x"): true, 3: false, pair[int]{1, 2}: true},
	}
}

func testCodec() *Codec { return New(nil, reflect.TypeFor[all]()) }

// TestRoundTrip checks that a value that is read back has the same identity as the one that was written, and is written as
// the same bytes.
func TestRoundTrip(t *testing.T) {
	c := testCodec()
	walker, err := canon.New(canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{sample(), word("w"), 5, -7.5, "", struct{}{}, []string{"a"}, &deeper{n: 3}, map[string]int{"a": 1}, pair[word]{"1", "2"}, deeper{}, []any{1, nil, "x", word("y"), 2}} {
		b, err := c.Append(nil, v)
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		back, err := c.Decode(b)
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		was, _ := walker.Sum(v)
		is, err := walker.Sum(back)
		if err != nil || was != is || reflect.TypeOf(v) != reflect.TypeOf(back) {
			t.Errorf("%T: written\n%s\nread\n%s\n%v", v, walker.Text(v), walker.Text(back), err)
		}
		again, err := c.Append(nil, back)
		if err != nil || !bytes.Equal(b, again) {
			t.Errorf("%T: other bytes the second time: %v", v, err)
		}
		for n := range b { // no beginning is a value
			if _, err := c.Decode(b[:n]); err == nil {
				t.Fatalf("%T: %d of %d bytes are a value", v, n, len(b))
			}
		}
	}
}

// TestRefused checks that a value which cannot be sent is refused with an error that names the path to the field.
func TestRefused(t *testing.T) {
	c := testCodec()
	type channel struct{ C chan int }
	loop := []any{nil}
	loop[0] = loop
	for _, want := range []struct {
		v    any
		text string
	}{
		{channel{}, "means nothing on another machine"}, {func() {}, "means nothing"}, {loop, "too deep"},
		{map[any]bool{&deeper{}: true}, "keys with pointers"}, {map[float64]int{math.NaN(): 1, -math.NaN(): 2, math.Float64frombits(0x7ff8000000000001): 3}, ""}, {nil, "which has no type"},
	} {
		if _, err := c.Append(nil, want.v); err == nil || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%T: %v; want %q", want.v, err, want.text)
		}
	}
}

// TestHostileBytes checks that bytes which are no value are refused, each with its reason.
func TestHostileBytes(t *testing.T) {
	c := testCodec()
	typed := func(of any, rest ...byte) []byte {
		p, err := c.plan(reflect.TypeOf(of))
		if err != nil {
			t.Fatal(err)
		}
		w := writer{buf: []byte{1}}
		w.uint(uint64(len(p.name)))
		w.buf = append(w.buf, p.name...)
		for i := range 8 {
			w.buf = append(w.buf, byte(p.shape>>(56-8*i)))
		}
		return append(w.buf, rest...)
	}
	deep := typed([]any{})
	for range 3000 {
		deep = append(deep, 1, 1, 2)
	}
	for name, want := range map[string]struct {
		data []byte
		text string
	}{
		"no bytes":                 {nil, "ends too late"},
		"nil":                      {[]byte{0}, "the bytes have nil"},
		"a type by number":         {[]byte{2}, "number 1, and 0 types were introduced"},
		"a long list":              {typed([]int{}, 1, 0xff, 0xff, 0xff, 0xff, 0x0f), "elements are announced"},
		"many empty things":        {typed([]struct{}{}, 1, 0xff, 0xff, 0xff, 0xff, 0x0f), "elements are announced"},
		"a long string":            {typed("", 0xff, 0xff, 0xff, 0xff, 0x0f), "elements are announced"},
		"a number that is no int8": {typed(int8(0), 0x80, 0x04), "does not fit"},
		"a long number":            {typed(0, 0x80, 0x00), "longer than it needs"},
		"a bool of 2":              {typed(true, 2), "neither 0 nor 1"},
		"keys out of order":        {typed(map[string]bool{}, 1, 2, 1, 'b', 0, 1, 'a', 0), "not in order"},
		"a key twice":              {typed(map[string]bool{}, 1, 2, 1, 'a', 0, 1, 'a', 0), "not in order"},
		"a pointer to nowhere":     {typed(&deeper{}, 7), "refers to the value number 6, and 0 values came before"},
		"more":                     {typed(true, 1, 0), "1 bytes follow the value"},
		"deep":                     {deep, "too deep"},
		"a type of another package": {append([]byte{1, 8}, "net.Conn\x00\x00\x00\x00\x00\x00\x00\x00"...),
			"there is no type net.Conn in this program"},
		"a function": {append([]byte{1, 11}, "func() error\x00\x00\x00\x00\x00\x00\x00"...), "there is no type"},
	} {
		_, err := c.Decode(want.data)
		if err == nil || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v; want %q", name, err, want.text)
		}
	}
	// Another shape of a type that is here is said to be that.
	b := typed(word(""), 0)
	b[len(b)-2] ^= 1
	if _, err := c.Decode(b); err == nil || !strings.Contains(err.Error(), "two builds differ") {
		t.Errorf("another shape: %v", err)
	}
}

// TestNoMemoryForAnnouncements checks that a reader allocates no memory for elements that are announced and not there.
func TestNoMemoryForAnnouncements(t *testing.T) {
	c := New(nil, reflect.TypeFor[[1000][]deeper]())
	type big struct{ Of [1 << 20]*deeper }
	c.Allow(reflect.TypeFor[big](), reflect.TypeFor[[]big]())
	b, err := c.Append(nil, []big{})
	if err != nil {
		t.Fatal(err)
	}
	b = append(b[:len(b)-1], 3, 1, 1, 1)
	if per := testing.AllocsPerRun(10, func() {
		if _, err := c.Decode(b); err == nil {
			t.Error("three elements of a megabyte in three bytes")
		}
	}); per > 20 {
		t.Errorf("%v allocations", per)
	}
}

// TestTypesAreBounded checks that received bytes cannot fill the memory with new types.
func TestTypesAreBounded(t *testing.T) {
	c := testCodec()
	refused := false
	for i := range 300 {
		_, err := c.find([]byte(strings.NewReplacer("0", "*", "1", "[]").Replace(fmt.Sprintf("%09b", i))+"int"), 0)
		refused = refused || strings.Contains(err.Error(), "without a name were asked for")
	}
	if !refused || len(c.plans) > 2000 {
		t.Errorf("%d plans, refused: %v", len(c.plans), refused)
	}
}

// FuzzDecode checks that no bytes make Decode panic, and that a value which was read is written as the same
// bytes.
func FuzzDecode(f *testing.F) {
	c := testCodec()
	for _, v := range []any{sample(), word("w"), []any{1, nil, "x"}, &deeper{n: 3}, map[string]int{"a": 1}} {
		b, err := c.Append(nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := c.Decode(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("two lines: %q", err)
			}
			return
		}
		again, err := c.Append(nil, v)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%T was read from\n%q and written as\n%q: %v", v, data, again, err)
		}
	})
}

// TestOpaque checks that fields that are left out of a state are left out of its bytes, even if their types could not
// be written.
func TestOpaque(t *testing.T) {
	type machinery struct {
		back *machinery
		run  func()
	}
	type node struct {
		cache *machinery
		n     int
	}
	c := New(func(_ reflect.Type, f reflect.StructField) bool { return f.Name == "cache" || f.Name == "n" }, reflect.TypeFor[node]())
	p, err := c.plan(reflect.TypeFor[node]())
	if err != nil {
		t.Fatal(err)
	}
	var w writer
	was := node{cache: &machinery{run: func() {}}, n: 7}
	was.cache.back = was.cache
	p.write(&w, reflect.ValueOf(&was).UnsafePointer())
	var is node
	p.read(&reader{data: w.buf}, reflect.ValueOf(&is).UnsafePointer())
	if is.n != 7 || is.cache != nil {
		t.Errorf("%+v", is)
	}
	if _, err := c.Append(nil, machinery{}); err == nil {
		t.Error("what cannot be written was, since something that holds it can")
	}
}
