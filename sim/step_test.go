package sim

import (
	"errors"
	"testing"
)

// A node fails in a step by its event, or in the middle of what its handler did.
func TestFails(t *testing.T) {
	for name, c := range map[string]struct {
		step Step
		want bool
	}{
		"crash":            {Step{Event: Event{Kind: KindCrash}}, true},
		"down":             {Step{Event: Event{Kind: KindDown}}, true},
		"leaves":           {Step{Event: Event{Kind: KindScript, Value: Leave{}}}, true},
		"within":           {Step{Event: Event{Kind: KindTimer}, Effects: []Effect{{Kind: EffectSend}, {Kind: EffectCrash}}}, true},
		"for good, within": {Step{Event: Event{Kind: KindTimer}, Effects: []Effect{{Kind: EffectDown}}}, true},
		"script":           {Step{Event: Event{Kind: KindScript, Value: "go"}}, false},
		"joins":            {Step{Event: Event{Kind: KindScript, Value: Join{}}}, false},
		"restart":          {Step{Event: Event{Kind: KindRestart}}, false},
		"pause":            {Step{Event: Event{Kind: KindPause}}, false},
		"sends":            {Step{Event: Event{Kind: KindTimer}, Effects: []Effect{{Kind: EffectSend}}}, false},
	} {
		if got := c.step.Fails(); got != c.want {
			t.Errorf("%s: the node is said to fail: %v", name, got)
		}
	}
}

// A picture is drawn from all facts of a run, in order, and has a name only if it exists.
func TestPicture(t *testing.T) {
	trace := &Trace{
		Starts: []Step{{Node: addrOf(1), Effects: []Effect{{Kind: EffectEmit, Value: "a"}}}},
		Steps:  []Step{{Index: 1, Node: addrOf(0), Effects: []Effect{{Kind: EffectSend, Value: "b"}, {Kind: EffectEmit, Value: "c"}}}},
	}
	want := []Emitted{{addrOf(1), 0, "a"}, {addrOf(0), 1, "c"}}
	wrong := errors.New("no pencil")
	for _, c := range []struct {
		picture []byte
		err     error
		file    string
	}{{[]byte("drawn"), nil, "p.svg"}, {nil, nil, ""}, {nil, wrong, ""}} {
		p := Property{Name: "well"}.Pictured("p.svg", func(facts []Emitted) ([]byte, error) {
			if len(facts) != 2 || facts[0] != want[0] || facts[1] != want[1] {
				t.Errorf("the facts are %v", facts)
			}
			return c.picture, c.err
		})
		if file, picture, err := p.Picture(trace); file != c.file || string(picture) != string(c.picture) || err != c.err {
			t.Errorf("of %q is made %q, %q, %v", c.picture, file, picture, err)
		}
	}
	if file, picture, err := (Property{Name: "plain"}).Picture(trace); file != "" || picture != nil || err != nil {
		t.Errorf("without a picture there is %q, %q, %v", file, picture, err)
	}
}
