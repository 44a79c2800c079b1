package world

import "macemc/internal/canon"

// Readings are values of states as people read them, by their exact texts, where these differ.
type Readings map[string]string

// Note adds the values of the present state, whose lines are given.
func (r Readings) Note(x *Text, lines []canon.Line) {
	for k, l := range x.Shown() {
		if l.Value != lines[k].Value {
			r[lines[k].Value] = l.Value
		}
	}
}

// Of returns a value as people read it.
func (r Readings) Of(value string) string {
	if shown, is := r[value]; is {
		return shown
	}
	return value
}

// Difference returns a difference as people read it. If its two sides read the same, they stay
// exact.
func (r Readings) Difference(d Difference) Difference {
	if a, b := r.Of(d.A), r.Of(d.B); a != b {
		d.A, d.B = a, b
	}
	return d
}
