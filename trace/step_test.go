package trace

import (
	"slices"
	"testing"

	"macemc/sim"
)

// A node fails in a step by its event, or in the middle of what its handler did.
func TestFails(t *testing.T) {
	for name, c := range map[string]struct {
		step Step
		want bool
	}{
		"crash":            {Step{Event: sim.Event{Kind: sim.KindCrash}}, true},
		"down":             {Step{Event: sim.Event{Kind: sim.KindDown}}, true},
		"leaves":           {Step{Event: sim.Event{Kind: sim.KindScript, Value: sim.Leave{}}}, true},
		"within":           {Step{Event: sim.Event{Kind: sim.KindTimer}, Effects: []Effect{{Kind: EffectSend}, {Kind: EffectCrash}}}, true},
		"for good, within": {Step{Event: sim.Event{Kind: sim.KindTimer}, Effects: []Effect{{Kind: EffectDown}}}, true},
		"script":           {Step{Event: sim.Event{Kind: sim.KindScript, Value: "go"}}, false},
		"joins":            {Step{Event: sim.Event{Kind: sim.KindScript, Value: sim.Join{}}}, false},
		"restart":          {Step{Event: sim.Event{Kind: sim.KindRestart}}, false},
		"pause":            {Step{Event: sim.Event{Kind: sim.KindPause}}, false},
		"sends":            {Step{Event: sim.Event{Kind: sim.KindTimer}, Effects: []Effect{{Kind: EffectSend}}}, false},
	} {
		if got := c.step.Fails(); got != c.want {
			t.Errorf("%s: the node is said to fail: %v", name, got)
		}
	}
}

// A run has the facts of its starts, then those of its steps.
func TestFacts(t *testing.T) {
	nodes := sim.Params{Nodes: 2}.Addrs()
	ran := &Trace{
		Starts: []Step{{Node: nodes[1], Effects: []Effect{{Kind: EffectEmit, Value: "a"}}}},
		Steps:  []Step{{Index: 1, Node: nodes[0], Effects: []Effect{{Kind: EffectSend, Value: "b"}, {Kind: EffectEmit, Value: "c"}}}},
	}
	want := []sim.Emitted{{At: nodes[1], Step: 0, Fact: "a"}, {At: nodes[0], Step: 1, Fact: "c"}}
	if got := ran.Facts(); !slices.Equal(got, want) {
		t.Errorf("the facts are %v, want %v", got, want)
	}
}
