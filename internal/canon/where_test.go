package canon_test

import (
	"testing"

	"macemc/internal/canon"
)

type (
	stored struct{ Sets []*tipset }
	tipset struct{ Key string }
	place  struct {
		ByKey  map[[2]byte]*stored
		ByName map[string]*stored
		any    any
	}
)

// TestWhere checks that Where follows paths by their types through elements that do not exist, and through keys
// that are neither strings nor integers.
func TestWhere(t *testing.T) {
	w, err := canon.New(canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := &place{ByKey: map[[2]byte]*stored{{1, 2}: {Sets: []*tipset{{"a"}}}}, ByName: map[string]*stored{`a]"[`: {}}, any: &stored{}}
	for path, want := range map[string]canon.Where{
		"ByKey[[1, 2]].Sets[0]":     {Field: "canon_test.stored.Sets", Type: "canon_test.tipset"},
		"ByKey[[9, 9]].Sets[7].Key": {Field: "canon_test.tipset.Key"},
		`ByName["a]\"["].Sets[0]`:   {Field: "canon_test.stored.Sets", Type: "canon_test.tipset"},
		`ByName["not there"].Sets`:  {Field: "canon_test.stored.Sets"},
		"any.Sets":                  {Field: "canon_test.stored.Sets"},
		"ByKey[[1, 2]":              {}, "Nothing": {},
	} {
		if got := w.Where(v, path); got != want {
			t.Errorf("%s is %+v, want %+v", path, got, want)
		}
	}
}
