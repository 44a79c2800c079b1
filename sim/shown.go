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

// Carried returns the message inside of v, and the words for the envelopes around it. If v is not
// an Envelope, the message is v itself.
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

// Shown returns the text of a message, a signal or a fact for people. A message inside of an
// Envelope comes before the words for its envelopes. If the value has a String method that does
// not panic, the text is the type's name with that string. Otherwise it is the walker's text.
// Only the walker's text identifies a value.
func Shown(walker *canon.Walker, v any) string {
	if q, is := v.(Quorum); is {
		return q.Text(func(m any) string { return Shown(walker, m) })
	}
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
	if _, quorum := s.Event.Value.(Quorum); !quorum && envelopes == "" && reads(s.Event.Value) == "" {
		return s.Identity
	}
	return strings.Replace(s.Identity, textOf(walker, s.Event.Value), Shown(walker, s.Event.Value), 1)
}

// Shown returns the effect for people: its text, with the value in it written by Shown.
func (e Effect) Shown(walker *canon.Walker) string {
	return e.text(func(v any) string { return Shown(walker, v) })
}
