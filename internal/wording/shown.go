package wording

import (
	"fmt"
	"strings"

	"macemc/internal/contract"
	"macemc/sim"
)

// Carried returns the message inside of v, and the words for the envelopes around it. If v
// is not an Envelope, the message is v itself. An Envelope is a message that carries
// another one.
func Carried(v any) (body any, envelopes string) {
	for range 16 {
		e, is := v.(contract.Envelope)
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

func carries(e contract.Envelope) (body sim.Message, words string) {
	defer func() {
		if recover() != nil {
			body = nil
		}
	}()
	return e.Carries()
}

// Shown returns the text of a message, a signal or a fact for people. A message inside of an Envelope comes
// before the words for its envelopes. If the value has a String method that does not panic, Shown returns the
// type's name with that string. Otherwise it returns the result of text, which is the only form that
// identifies a value.
func Shown(text func(any) string, v any) string {
	if q, is := v.(sim.Quorum); is {
		return q.Text(func(m any) string { return Shown(text, m) })
	}
	if body, envelopes := Carried(v); envelopes != "" {
		return Shown(text, body) + " (" + envelopes + ")"
	}
	written := text(v)
	reading := reads(v)
	if reading == "" {
		return written
	}
	if at := strings.IndexAny(written, `("{[`); at > 0 {
		return written[:at] + "(" + reading + ")"
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
	case sim.Split, string: // values of macemc itself, and plain text
		return ""
	case fmt.Stringer:
		return v.String()
	}
	return ""
}

// ShownEvent returns the identity of event e for people: it is the text identity, with the
// value written by Shown.
func ShownEvent(text func(any) string, identity string, e sim.Event) string {
	_, envelopes := Carried(e.Value)
	quorum, is := e.Value.(sim.Quorum)
	if !is && envelopes == "" && reads(e.Value) == "" {
		return identity
	}
	written := text(e.Value)
	if is {
		written = quorum.Text(text)
	}
	return strings.Replace(identity, written, Shown(text, e.Value), 1)
}
