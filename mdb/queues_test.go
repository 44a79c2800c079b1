package mdb

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/observe"
)

// The changes that queues returns lead from the one state to the other: taking the removed
// messages out of each queue, and putting the new ones in at their places, makes the other
// state. Other lines are left alone.
func TestQueues(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	state := func() (lines []canon.Line) {
		lines = append(lines, canon.Line{Path: "n0.x", Value: "1"}, canon.Line{Path: "tcp n0->n1", Value: "flags 001"})
		for _, name := range []string{"tcp n0->n1", "udp n1->n0"} {
			for i := range rng.IntN(5) {
				lines = append(lines, canon.Line{Path: name + "[" + strconv.Itoa(i) + "]", Value: string(rune('a' + rng.IntN(3))), Tag: observe.Place{Part: observe.PartMessage}.Tag()})
			}
		}
		return lines
	}
	for range 2000 {
		a, b := state(), state()
		restA, restB, all := queues(a, b)
		if len(restA) != 2 || len(restB) != 2 {
			t.Fatalf("%v and %v are left", restA, restB)
		}
		gone, fresh := map[canon.Line]bool{}, map[canon.Line]bool{}
		for _, d := range all {
			if d.A != "" {
				gone[canon.Line{Path: d.Path, Value: d.A, Tag: d.Of.Tag()}] = true
			} else {
				fresh[canon.Line{Path: d.Path, Value: d.B, Tag: d.Of.Tag()}] = true
			}
		}
		stays := func(lines []canon.Line, not map[canon.Line]bool) (values []string) {
			for _, l := range lines {
				if !not[l] {
					values = append(values, l.Value)
				}
			}
			return values
		}
		if x, y := stays(a, gone), stays(b, fresh); !slices.Equal(x, y) {
			t.Fatalf("of %v stays %v, of %v %v", a, x, b, y)
		}
		if slices.Equal(a, b) && len(all) > 0 {
			t.Fatalf("%v differs from itself in %v", a, all)
		}
	}
}
