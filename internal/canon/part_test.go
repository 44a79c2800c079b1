package canon

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestLinesOf checks that LinesOf returns the wanted lines as Lines does, whichever lines are left out.
func TestLinesOf(t *testing.T) {
	type heavy struct {
		few  map[peer]*table
		list []table
		numbers,
		same []uint64
		many map[uint32]uint64
		also map[uint32]uint64
		nan  map[float64]retransmit
		word map[string][]int
	}
	inner := newTable()
	v := &heavy{
		few: map[peer]*table{1: inner, 2: inner, 3: nil}, list: []table{*newTable()}, numbers: []uint64{1, 2, 3},
		many: map[uint32]uint64{1: 2, 300: 4}, nan: map[float64]retransmit{math.NaN(): {1, 2}, 1: {}}, word: map[string][]int{"x.list": {1}, "": nil},
	}
	v.same, v.also = v.numbers, v.many
	v.nan[math.NaN()] = retransmit{2, 1}
	values := []any{v, newTable(), map[int][]int{1: {2}}, []any{[]int{1}, map[int]int{1: 2}}, 3, nil}
	for seed := range uint64(300) {
		m := newMaker(seed)
		values = append(values, m.value(m.typ(3)))
	}
	left := 0
	for _, v := range values {
		w := mustNew(t, named)
		all := w.Lines(v)
		for i := 0; i < len(all); i += 1 + len(all)/20 {
			path := all[i].Path
			part := path[:len(path)-i%(len(path)/2+1)]
			left += len(all) - len(w.linesOf(t, v, all,
				func(path string) bool { return strings.HasPrefix(path, part) },
				func(path string, _ bool) bool { return strings.HasPrefix(path, part) || strings.HasPrefix(part, path) }))
		}
		for _, name := range []string{".list", ".first", ".seq", ".value", ".none"} {
			left += len(all) - len(w.linesOf(t, v, all,
				func(path string) bool { return strings.Contains("."+path, name) },
				func(path string, fields bool) bool { return fields || strings.Contains("."+path, name) }))
		}
	}
	if left < 5_000 {
		t.Errorf("only %d lines were left out: nothing is saved", left)
	}
}

// linesOf returns the result of LinesOf, and checks that all lines for which is returns true are in it as in
// all.
func (w *Walker) linesOf(t *testing.T, v any, all []Line, is func(string) bool, wanted Wanted) []Line {
	t.Helper()
	others := func(l Line) bool { return !is(l.Path) }
	told := w.LinesOf(v, wanted)
	want, got := slices.DeleteFunc(slices.Clone(all), others), slices.DeleteFunc(slices.Clone(told), others)
	if !slices.Equal(got, want) {
		t.Errorf("of %T are told\n%v\nwant\n%v", v, got, want)
	}
	return told
}
