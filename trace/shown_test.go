package trace_test

import (
	"fmt"
	"testing"

	"macemc/internal/canon"
	"macemc/sim"
	"macemc/trace"
)

// cipher is a value whose text by canon says little to people.
type cipher string

func (c cipher) String() string { return "hello " + string(c[1:]) }

// broken has a String method that panics.
type broken struct{ N int }

func (broken) String() string { panic("no words") }

// letter is a message in an envelope, which may be in another envelope.
type letter struct {
	stamp int
	body  sim.Message
}

func (l letter) Carries() (sim.Message, string) { return l.body, fmt.Sprintf("letter %d", l.stamp) }

// Texts for people show a value by its String method. The identity of the value does not use it.
func TestShown(t *testing.T) {
	walker, err := canon.New(canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value       any
		text, shown string
	}{
		{cipher("\x01you"), `cipher("\x01you")`, "cipher(hello you)"},
		{broken{1}, "broken{N: 1}", "broken{N: 1}"},
		{"words", `"words"`, `"words"`},
		{letter{1, broken{2}}, "letter{stamp: 1, body: broken{N: 2}}", "broken{N: 2} (letter 1)"},
		{letter{2, letter{1, cipher("\x01you")}}, `letter{stamp: 2, body: letter{stamp: 1, body: cipher("\x01you")}}`, "cipher(hello you) (letter 1, letter 2)"},
		{letter{3, nil}, "letter{stamp: 3, body: nil}", "letter{stamp: 3, body: nil}"},
	} {
		e := trace.Effect{Kind: trace.EffectPost, Value: c.value}
		step := trace.Step{Event: sim.Event{Kind: sim.KindTask, Value: c.value}, Identity: "n0 task " + walker.Text(c.value)}
		if got, want := e.Text(walker.Text), "post "+c.text; got != want {
			t.Errorf("the effect is %s, want %s", got, want)
		}
		if got, want := e.Shown(walker.Text), "post "+c.shown; got != want {
			t.Errorf("the effect is shown as %s, want %s", got, want)
		}
		if got, want := step.Shown(walker.Text), "n0 task "+c.shown; got != want {
			t.Errorf("the step is shown as %s, want %s", got, want)
		}
	}
}
