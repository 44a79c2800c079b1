package eventgraph

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/recording"
	"macemc/internal/world"
)

// A recording returns every state as it was, by each of its methods.
func TestRecording(t *testing.T) {
	text := "n0: after again [udp n1 x; after again [udp n1 x; after never]]\nn0 script\n"
	for range 2 {
		text += "n0 timer timer(\"again\n"
	}
	for range 400 {
		text += "n1 duplicate\nn1 message\n"
	}
	var r recording.Recording
	var states [][]canon.Line
	p := parsePlay(t, 2, "dup=all", text)
	for range 2 { // the second run takes the place of the first
		states = nil
		p.take(t, func(w *world.World) {
			r.See(w)
			r.See(w) // called twice
			states = append(states, w.Text.Lines())
		})
	}
	if r.Steps() != len(states)-1 || r.Steps() < 800 {
		t.Fatalf("the recording has %d steps, and the run %d", r.Steps(), len(states)-1)
	}
	for k, want := range states {
		if got := r.State(k); !slices.Equal(got, want) {
			t.Fatalf("state %d is recorded as %v; it was %v", k, got, want)
		}
	}
	for _, k := range []int{700, 3, 256, 255, 257, 511, 512, 800, 0} {
		if got := r.State(k); !slices.Equal(got, states[k]) {
			t.Errorf("state %d is recorded as %v; it was %v", k, got, states[k])
		}
		var want []observe.Difference
		if k > 0 {
			want = observe.Diff(states[k-1], states[k])
		}
		if got := r.Changes(k); fmt.Sprint(got) != fmt.Sprint(want) || k == 256 && len(got) == 0 {
			t.Errorf("step %d changed %v; recorded is %v", k, want, got)
		}
	}
}
