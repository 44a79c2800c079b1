package world

import (
	"macemc/internal/canon"
	"macemc/internal/observe"
)

// Readings maps the exact text of a value to the text that people should read instead, where the two
// differ. For the value of a field the key also has the path of the field, since two fields may have the
// same value but different texts for people.
type Readings map[string]string

// Note adds the values in the present state of x to r. lines must be the lines of that state, with
// the exact values.
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

// Of returns the form for people of a value that a line with this path has.
func (r Readings) Of(path, value string) string {
	if shown, is := r[fieldKey(path, value)]; is {
		return shown
	}
	if shown, is := r[value]; is {
		return shown
	}
	return value
}

// Difference returns a difference in the form for people. If both sides would then read the same, it returns
// the exact values.
func (r Readings) Difference(d observe.Difference) observe.Difference {
	if a, b := r.Of(d.Path, d.A), r.Of(d.Path, d.B); a != b {
		d.A, d.B = a, b
	}
	return d
}
