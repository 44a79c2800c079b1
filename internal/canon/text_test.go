//lint:file-ignore U1000 the fields are there to be walked

package canon

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// peer prints as n2, or as a word that must be quoted.
type peer int32

func (p peer) String() string {
	if p < 0 {
		return []string{"", "nil", "true", "a b", "=x"}[-p-1]
	}
	return fmt.Sprintf("n%d", int(p))
}

type retransmit struct {
	peer peer
	seq  int
}

type table struct {
	children map[peer]retransmit
	names    map[string]int
	mixed    map[any]int
	floats   map[float64]*int
	wide     map[uint16]bool
	empty    map[int]int
	list     []any
	data     []byte
	when     time.Time
	root     *table
	grid     [2][1]int8
	void     struct{}
	nothing  *struct{}
	double   **int
	z        complex64
}

var named = Options{Named: []reflect.Type{reflect.TypeFor[peer]()}}

func newTable() *table {
	three := 3
	p := &three
	t := &table{
		children: map[peer]retransmit{10: {1, 2}, 2: {3, 4}},
		names:    map[string]int{"b": 1, "aa": 2, "a\n": 3},
		mixed:    map[any]int{"x": 1, 300: 2, 2: 3, peer(1): 4},
		floats:   map[float64]*int{2: nil, -1: p, math.NaN(): p},
		wide:     map[uint16]bool{256: true, 1: false},
		empty:    map[int]int{},
		list:     []any{1, int8(2), "s", true, nil, peer(1), peer(-3), retransmit{}, &retransmit{}, []int{1}, map[int8]string{1: "x"}, (*table)(nil), 1.5, p, struct{}{}},
		data:     []byte("a\x00\xff"),
		when:     time.Unix(1, 0).UTC(),
		nothing:  &struct{}{},
		double:   &p,
		z:        complex(1, -2),
	}
	t.root = t
	return t
}

func TestText(t *testing.T) {
	w := mustNew(t, named)
	nan := math.Float32frombits(0x7fc00001)
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{7, "7"}, {uint8(7), "uint8(7)"}, {"a\n\"", `"a\n\""`}, {color(2), "color(2)"}, {1500 * time.Millisecond, "Duration(1.5s)"}, {struct{ Wait time.Duration }{90 * time.Second}, "struct {Wait Duration}{Wait: 1m30s}"},
		{peer(2), "n2"}, {peer(-1), `peer("")`}, {peer(-2), `peer("nil")`}, {peer(-3), "peer(true)"}, {peer(-4), `peer("a b")`}, {peer(-5), `peer("=x")`},
		{retransmit{2, 4}, "retransmit{peer: n2, seq: 4}"},
		{&retransmit{2, 4}, "&retransmit{peer: n2, seq: 4}"},
		{(*retransmit)(nil), "(*retransmit)(nil)"},
		{pair[peer, []byte]{1, []byte{}}, "pair[peer,[]uint8]{first: n1, second: []}"},
		{nan, "float32(NaN(0x7fc00001))"}, {math.NaN(), "float64(NaN(0x7ff8000000000001))"}, {float32(0.1), "float32(0.1)"},
		{[]any{[]byte("x"), &struct{}{}}, `[]any[[]uint8("x"), *struct {}(&{})]`},
		{struct {
			A int `x:"y"`
			base
		}{}, `struct {A int "x:\"y\""; macemc/internal/canon.embedded base base}{A: 0, base: {id: 0, Gen: 0}}`},
		{[1]func(){}, "<cannot walk: [1]func()[] (func()): functions have no comparable identity; hand over a value without one>"},
	} {
		if got := w.Text(c.v); got != c.want {
			t.Errorf("text is %s\nwant    %s", got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	w := mustNew(t, named)
	var got []string
	for _, l := range w.Lines(newTable()) {
		got = append(got, l.Path+" "+l.Value)
	}
	want := []string{
		`children[n2].peer n3`,
		`children[n2].seq 4`,
		`children[n10].peer n1`,
		`children[n10].seq 2`,
		`names["a\n"] 3`,
		`names["aa"] 2`,
		`names["b"] 1`,
		`mixed["x"] 1`,
		`mixed[n1] 4`,
		`mixed[2] 3`,
		`mixed[300] 2`,
		`floats[NaN(0x7ff8000000000001)] =floats[-1]`,
		`floats[-1] &3`,
		`floats[2] nil`,
		`wide[1] false`,
		`wide[256] true`,
		`empty {}`,
		`list[0] 1`,
		`list[1] int8(2)`,
		`list[2] "s"`,
		`list[3] true`,
		`list[4] nil`,
		`list[5] n1`,
		`list[6] peer(true)`,
		`list[7] retransmit`,
		`list[7].peer n0`,
		`list[7].seq 0`,
		`list[8] &retransmit`,
		`list[8].peer n0`,
		`list[8].seq 0`,
		`list[9] []int`,
		`list[9][0] 1`,
		`list[10] map[int8]string`,
		`list[10][1] "x"`,
		`list[11] (*table)(nil)`,
		`list[12] float64(1.5)`,
		`list[13] *int(=floats[-1])`,
		`list[14] struct {}{}`,
		`data "a\x00\xff"`,
		`when 1970-01-01T00:00:01Z`,
		`root =.`,
		`grid[0][0] 0`,
		`grid[1][0] 0`,
		`void {}`,
		`nothing &{}`,
		`double &=floats[-1]`,
		`z (1, -2i)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := w.Lines(7); !slices.Equal(got, []Line{{Value: "7"}}) {
		t.Errorf("lines of a leaf are %v", got)
	}
}

// TestTextOfSharedSlices checks that texts do not show that slices share their memory, since the walk does
// not count it, and that a pointer into a slice is shown by the element to which it leads.
func TestTextOfSharedSlices(t *testing.T) {
	type shares struct {
		a, b []int
		p    *int
	}
	all := []int{5, 6}
	got := mustNew(t, Options{}).Text(shares{all, all[1:], &all[1]})
	if want := "shares{a: [5, 6], b: [6], p: =a[1]}"; got != want {
		t.Errorf("text is %s\nwant    %s", got, want)
	}
}

type colour uint8

func (c colour) String() string { return [...]string{"red", "dark blue"}[c] }

type standIn struct{ inner any }

func (w *standIn) Summary() any { return w.inner }

// TestRead checks that Read shows an integer by its String method, leaves out a struct that only wraps a value,
// and returns as many lines as Lines does.
func TestRead(t *testing.T) {
	type inside struct{ N int }
	type all struct {
		Colour, Other, Broken colour
		Wait                  time.Duration
		Any                   any
		Node                  any
	}
	v := &all{Colour: 0, Other: 1, Broken: 9, Wait: time.Second, Any: colour(0), Node: &standIn{&inside{3}}}
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines, read := w.Lines(v), w.Read(v)
	want := map[string]string{"Colour": "red", "Other": `"dark blue"`, "Broken": "9", "Wait": "1s", "Any": "colour(red)", "Node": "&inside", "Node.N": "3"}
	if len(lines) != len(read) || len(read) != len(want) {
		t.Fatalf("%v\n%v", lines, read)
	}
	for i, l := range read {
		if l.Path != lines[i].Path || l.Value != want[l.Path] {
			t.Errorf("%s: %s reads %s, want %s", l.Path, lines[i].Value, l.Value, want[l.Path])
		}
	}
}
