package sim

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
)

// Envelope is a message of a layer that carries a message of the node above.
type Envelope interface {
	// Carries returns that message, and the envelope in a few words. Reports show the message
	// first, and the words behind it, in parentheses.
	Carries() (body Message, envelope string)
}

// Carried returns the message that v carries, and what the envelopes around it are in words.
// If v is no Envelope, it is v itself.
func Carried(v any) (body any, envelopes string) {
	for depth := 0; depth < 16; depth++ {
		e, is := v.(Envelope)
		if !is {
			break
		}
		inner, words := carries(e)
		if inner == nil {
			break
		}
		if v = inner; envelopes != "" {
			words += ", " + envelopes
		}
		envelopes = words
	}
	return v, envelopes
}

func carries(e Envelope) (body Message, words string) {
	defer func() {
		if recover() != nil {
			body = nil
		}
	}()
	return e.Carries()
}

// Shown tells a message, a signal or a fact to people. A message that a layer carries comes
// before its envelope. A value with a String is shown by that, behind the name of its type, since
// what goes over a wire says little as it is. Otherwise, and where String panics, it is the
// walker's text, which alone identifies a value.
func Shown(walker *canon.Walker, v any) string {
	if body, envelopes := Carried(v); envelopes != "" {
		return Shown(walker, body) + " (" + envelopes + ")"
	}
	text := walker.Text(v)
	reading := reads(v)
	if reading == "" {
		return text
	}
	if at := strings.IndexAny(text, `("{[`); at > 0 {
		return text[:at] + "(" + reading + ")"
	}
	return reading
}

func reads(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = ""
		}
	}()
	switch v := v.(type) {
	case Split, string: // values of macemc itself, and plain text
		return ""
	case fmt.Stringer:
		return v.String()
	}
	return ""
}

// Shown returns the step's event for people: its identity, with the value in it written by
// Shown.
func (s *Step) Shown(walker *canon.Walker) string {
	_, envelopes := Carried(s.Event.Value)
	if envelopes == "" && reads(s.Event.Value) == "" {
		return s.Identity
	}
	return strings.Replace(s.Identity, walker.Text(s.Event.Value), Shown(walker, s.Event.Value), 1)
}

// Shown returns the effect for people: its text, with the value in it written by Shown.
func (e Effect) Shown(walker *canon.Walker) string {
	return e.text(func(v any) string { return Shown(walker, v) })
}
