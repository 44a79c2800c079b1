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

// least finds the two draws that a test needs, with few tries.
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

// The next deviation may be any other answer to any draw after the last deviation.
func TestFurther(t *testing.T) {
	draws := []bubble.Draw{{Key: 1, N: 2}, {Key: 2, N: 3}, {Key: 3, N: 0, Kind: bubble.Rand}, {Key: 4, N: 2}}
	for _, c := range []struct {
		deviate []bubble.Draw
		want    []uint64 // keys
	}{
		{nil, []uint64{1, 2, 2, 3, 3, 4}},
		{[]bubble.Draw{{Key: 2, N: 3, Value: 2}}, []uint64{3, 3, 4}},
		{[]bubble.Draw{{Key: 1, N: 2, Value: 1}, {Key: 4, N: 2, Value: 1}}, nil},
	} {
		var keys []uint64
		for _, d := range further(draws, c.deviate) {
			if keys = append(keys, d.Key); d.Value == 0 {
				t.Errorf("%v does not deviate", d)
			}
		}
		if !slices.Equal(keys, c.want) {
			t.Errorf("after %v: %v, want %v", c.deviate, keys, c.want)
		}
	}
}

// Each manner has rates of its own, which are the same whenever a world is taken. A world that follows a prefix
// continues in its manner.
func TestManners(t *testing.T) {
	if p := planOf(1, 5, uniform); p.Rates != planOf(1, 6, uniform).Rates || p.Rates[bubble.Yield] != 1<<16 || p.Seed == planOf(1, 6, uniform).Seed {
		t.Errorf("uniform: %+v", p)
	}
	if planOf(1, 5, weighted).Rates != manners[0].rates || planOf(1, 5, "").Rates != manners[5].rates {
		t.Error("weighted is the first manner, and auto has all by turns")
	}
	if a := planOf(1, 5, swarm); a.Rates != planOf(1, 5, swarm).Rates || a.Rates == planOf(1, 6, swarm).Rates {
		t.Errorf("swarm: %+v", a)
	}
	prefix := &tape{draws: []bubble.Draw{{Key: 7, Step: 3, N: 2, Value: 1}, {Key: 8, Step: 9, N: 2, Value: 1}}}
	j := &job{Seed: 1, Walk: weighted}
	if p := j.plan(4, prefix); p.Until != 9 || len(p.Fed) != 2 || p.After != j.plan(4, nil).Seed || p.Rates != manners[0].rates {
		t.Errorf("after a prefix: %+v", p)
	}
	if p := j.plan(0, prefix); p.Until != 0 || len(p.Fed) != 2 {
		t.Errorf("the world that follows a prefix and does nothing else: %+v", p)
	}
}

// Two failures are alike if their first lines differ only in numbers.
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

// read returns the results of the worlds before the one in which the child died.
func TestRead(t *testing.T) {
	r, done := read([]byte(strings.Join([]string{
		`{"world":1,"what":"begin"}`, `{"world":1,"what":"pass","draws":7}`, `{"world":2,"what":"begin"}`, `{"world":2,"wh`,
	}, "\n")))
	if r.world != 2 || done || r.failure != nil || r.worlds != 1 {
		t.Errorf("%+v, %v", r, done)
	}
}
