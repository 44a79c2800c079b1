package observe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/sim"
)

// comparison matches the text of a question whether one time is before another, such as "t1
// before last". The simulator chooses the answer: see macetime.Asked.
var comparison = regexp.MustCompile(`^(last|t\d+)\S* before (last|t\d+)\S*(?:: (?:yes|no))?$`)

// Compared explains the two times in the text of a question whether one time is before another. It
// names the fields of the node that hold the times in the state before the step, or says that a
// time was read in the step itself. It returns "" if asked is another question, or if nothing is
// known about the times.
func Compared(asked string, node sim.Addr, before []canon.Line) string {
	times := comparison.FindStringSubmatch(asked)
	if times == nil {
		return ""
	}
	var said []string
	for _, name := range slices.Compact(times[1:]) {
		fields, known := holders(name, node, before)
		switch {
		case len(fields) > 0:
			said = append(said, fmt.Sprintf("%s is %s", name, strings.Join(fields, " and ")))
		case !known:
			said = append(said, name+" was read in this step")
		}
	}
	return strings.Join(said, ", ")
}

const holdersMost = 2 // the largest number of fields that are named for one time

// holders returns the fields and timers of a node that hold a time, given the time's name, such as t1.
// known says whether the time occurs in the state at all.
func holders(name string, node sim.Addr, lines []canon.Line) (fields []string, known bool) {
	word := regexp.MustCompile(`\b` + name + `\b`)
	for _, l := range lines {
		at := PlaceOf(l)
		if at.Node != node || !word.MatchString(l.Value) {
			continue
		}
		switch at.Part {
		case PartField:
			if value, _, _ := strings.Cut(strings.Replace(l.Value, "-", "+", 1), "+"); value == name && len(fields) < holdersMost {
				fields = append(fields, "kept in "+strings.TrimPrefix(l.Path, node.String()+"."))
			}
		case PartTimer:
			if timer, due, is := strings.Cut(l.Value, ", due "); is && word.MatchString(due) && len(fields) < holdersMost {
				fields = append(fields, "when the timer "+timer+" is due")
			}
		case PartClock:
		default:
			continue
		}
		known = true
	}
	return fields, known
}
