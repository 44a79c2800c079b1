package sim

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
)

// Shown tells a message, a signal or a fact to people: by its String behind the name of its
// type, if it has one, since what goes over a wire says little as it is. Otherwise, and
// where String panics, it is the walker's text, which alone identifies a value.
func Shown(walker *canon.Walker, v any) string {
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
	case Split, string: // the network's own, and words
		return ""
	case fmt.Stringer:
		return v.String()
	}
	return ""
}

// Shown is the step's event for people: its identity, and the value in it as Shown tells it.
func (s *Step) Shown(walker *canon.Walker) string {
	if reads(s.Event.Value) == "" {
		return s.Identity
	}
	return strings.Replace(s.Identity, walker.Text(s.Event.Value), Shown(walker, s.Event.Value), 1)
}

// Shown is the effect for people: its text, and the value in it as Shown tells it.
func (e Effect) Shown(walker *canon.Walker) string {
	return e.told(func(v any) string { return Shown(walker, v) })
}
