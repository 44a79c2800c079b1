package world

import (
	"macemc/internal/canon"
	"macemc/internal/observe"
)

// Readings are values of states as people read them, by their exact texts, where these differ. The
// reading of a field's value is kept with the field's path, since another field may have the same
// value and read differently.
type Readings map[string]string

// Note adds the values of the present state, whose lines are given.
func (r Readings) Note(x *Text, lines []canon.Line) {
	for k, l := range x.Shown() {
		if was := lines[k].Value; l.Value != was {
			if observe.PlaceOf(l).Part == observe.PartField {
				was = fieldKey(l.Path, was)
			}
			r[was] = l.Value
		}
	}
}

func fieldKey(path, value string) string { return path + "\x00" + value }

// Of returns the value of the line of a path as people read it.
func (r Readings) Of(path, value string) string {
	if shown, is := r[fieldKey(path, value)]; is {
		return shown
	}
	if shown, is := r[value]; is {
		return shown
	}
	return value
}

// Difference returns a difference as people read it. If its two sides read the same, they stay
// exact.
func (r Readings) Difference(d observe.Difference) observe.Difference {
	if a, b := r.Of(d.Path, d.A), r.Of(d.Path, d.B); a != b {
		d.A, d.B = a, b
	}
	return d
}
