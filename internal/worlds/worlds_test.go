package worlds

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/bubble"
)

// A tape is read as it was written.
func TestTape(t *testing.T) {
	want := &tape{test: "TestX", toolchain: "go1.26.8", overlay: "abc", seed: 7, draws: []bubble.Draw{
		{Key: 7, Step: 1, Kind: bubble.Select, Index: 3, N: 2, Value: 1},
		{Key: 1 << 63, Step: 1, Kind: bubble.Rand, Index: 0, Value: 1},
		{Key: 9, Step: 9, Kind: bubble.Host, Index: 12, N: 16, Value: 15},
	}}
	file := filepath.Join(t.TempDir(), "x", "a.tape")
	if err := want.save(file); err != nil {
		t.Fatal(err)
	}
	got, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.draws, want.draws) || got.seed != 7 || got.toolchain != "go1.26.8" || got.overlay != "abc" || got.test != "TestX" {
		t.Errorf("read %+v", got)
	}
}

// least finds the least list of which a test needs two draws, and asks only as often as
// it must.
func TestLeast(t *testing.T) {
	var all []bubble.Draw
	for i := range uint32(100) {
		all = append(all, bubble.Draw{Step: i + 1})
	}
	runs := 0
	got, err := least(all, func(draws []bubble.Draw, cuts [][2]int) (int, error) {
		for i, cut := range cuts {
			runs++
			rest := (&tape{draws: draws}).without(cut).draws
			has := func(step uint32) bool {
				return slices.ContainsFunc(rest, func(d bubble.Draw) bool { return d.Step == step })
			}
			if has(17) && has(80) {
				return i, nil
			}
		}
		return -1, nil
	})
	if err != nil || len(got) != 2 || got[0].Step != 17 || got[1].Step != 80 {
		t.Errorf("%v, %v", got, err)
	}
	if runs > 60 {
		t.Errorf("%d runs", runs)
	}
}

// Failures are alike whose first lines differ in numbers only.
func TestAlike(t *testing.T) {
	a := Failure{"panic", "panic: index 7 of 0xc00012\nmore"}
	for _, c := range []struct {
		b    Failure
		want bool
	}{
		{Failure{"panic", "panic: index 9 of 0xc0ff\nless"}, true},
		{Failure{"failed", "panic: index 7 of 0xc00012"}, false},
		{Failure{"panic", "panic: index out of 7"}, false},
	} {
		if alike(a, c.b) != c.want {
			t.Errorf("%v: want %v", c.b, c.want)
		}
	}
}

// If a child dies, its last output becomes the failure.
func TestDied(t *testing.T) {
	for _, c := range []struct{ said, kind string }{
		{"some line\npanic: close of closed channel\n\ngoroutine 7 [running]:", "panic"},
		{"fatal error: all goroutines are asleep - deadlock!\n", "fatal error"},
		{"SIGQUIT: quit\n", "stuck"},
		{"", "exit"},
	} {
		if f := died([]byte(c.said), nil); f.Kind != c.kind {
			t.Errorf("%q: %v", c.said, f)
		}
	}
}

// The lines of a child that died in its third world.
func TestRead(t *testing.T) {
	r, done := read([]byte(strings.Join([]string{
		`{"world":1,"what":"begin"}`, `{"world":1,"what":"pass","draws":7}`, `{"world":2,"what":"begin"}`, `{"world":2,"wh`,
	}, "\n")))
	if r.world != 2 || done || r.failure != nil || r.worlds != 1 {
		t.Errorf("%+v, %v", r, done)
	}
}
