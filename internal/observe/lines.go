package observe

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/sim"
)

// Part is the kind of thing that a line of the state describes.
type Part uint8

// The kinds of things that a line describes.
const (
	PartField       Part = iota + 1 // a field of a node
	PartTimer                       // a timer that is set
	PartTask                        // a task that may run
	PartUp                          // the fact that a node is not up, and the reason
	PartLife                        // how often a node restarted, and what it waits for
	PartScript                      // a request that is left in a node's script
	PartDisk                        // the contents of a node's disk
	PartClock                       // the knowledge about a node's times
	PartLink                        // the state of a connection
	PartMessage                     // a message that is under way
	PartBudget                      // the rest of a budget of the environment
	PartEnvironment                 // a partition or a pause
	PartMonitor                     // the memory of a monitor
)

// Place says what a line of a state describes, and to which node it belongs.
type Place struct {
	Part Part
	Node sim.Addr // the node; for a link, its sender; zero if the line belongs to no node
}

// Nobody takes the place of a node in the tag of a line that belongs to no node.
const Nobody = -1

// Tag returns the tag of a line that describes a part of a node, given by its index.
func Tag(part Part, node int) uint32 { return uint32(part)<<16 | uint32(node+1) }

// Tag returns the place as the tag of a line.
func (p Place) Tag() uint32 {
	if p.Node.IsZero() {
		return Tag(p.Part, Nobody)
	}
	return Tag(p.Part, p.Node.Index())
}

// PlaceOf returns the place that the tag of line l encodes. It returns the zero Place if l is not
// a line of a state.
func PlaceOf(l canon.Line) (p Place) {
	p.Part = Part(l.Tag >> 16)
	if node := int(l.Tag & 0xffff); node > 0 {
		p.Node = state.AddrOf(node - 1)
	}
	return p
}

// Difference is a line in which two states differ: its path, and its values A and B. If a
// state has no such line, its value is "".
type Difference struct {
	Path, A, B string
	Of         Place
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.Path, orAbsent(d.A), orAbsent(d.B))
}

// Describe returns d as text. If the fields of d share an object with different fields in the two
// states, the text names these, and the declaration to add if sharing does not matter. The function
// rule returns the type of the objects at a path of a node, or "".
func (d Difference) Describe(rule func(node sim.Addr, path string) string) string {
	if !isShared(d.A) && !isShared(d.B) {
		return d.String()
	}
	text := fmt.Sprintf("%s is %s in one, and %s in the other", d.Path, sharing(d.A), sharing(d.B))
	if d.Of.Part != PartField {
		return text
	}
	path := strings.TrimPrefix(strings.TrimPrefix(d.Path, d.Of.Node.String()), ".")
	return text + NeverChanges(rule(d.Of.Node, path))
}

// NeverChanges returns advice for a difference in which objects of a type are shared: to declare the type in
// System.Immutable, if its values never change.
func NeverChanges(rule string) string {
	if rule == "" {
		return ""
	}
	return fmt.Sprintf("; if a %s never changes once it is made, add %q to System.Immutable", rule, rule)
}

// isShared reports whether the value of a line refers to an object that another line shows.
func isShared(value string) bool { return strings.HasPrefix(value, "=") }

func sharing(value string) string {
	switch at, is := strings.CutPrefix(value, "="); {
	case is && at == ".":
		return "shared with the node itself"
	case is:
		return "shared with another field, " + at + ","
	default:
		return "not shared (" + orAbsent(value) + ")"
	}
}

func orAbsent(s string) string {
	if s == "" {
		return "(absent)"
	}
	return s
}

// Diff compares two states line by line. Several lines with the same path, such as a node's timers, are
// compared as a multiset.
func Diff(a, b []canon.Line) (out []Difference) {
	left := map[canon.Line]int{}
	for _, l := range b {
		left[l]++
	}
	var onlyA, onlyB []canon.Line
	for _, l := range a {
		if left[l] > 0 {
			left[l]--
		} else {
			onlyA = append(onlyA, l)
		}
	}
	for _, l := range b {
		if left[l] > 0 {
			left[l]--
			onlyB = append(onlyB, l)
		}
	}
	for _, l := range onlyA {
		d := Difference{Path: l.Path, A: l.Value, Of: PlaceOf(l)}
		for i, m := range onlyB {
			if m.Path == l.Path {
				d.B = m.Value
				onlyB = append(onlyB[:i], onlyB[i+1:]...)
				break
			}
		}
		out = append(out, d)
	}
	for _, l := range onlyB {
		out = append(out, Difference{Path: l.Path, B: l.Value, Of: PlaceOf(l)})
	}
	return out
}

// Went takes all differences that a step made, and returns the nodes that went down in the step
// and the other differences. It leaves out the differences in the memory of these nodes, which
// was lost, and not changed by a handler.
func Went(all []Difference) (rest []Difference, down []sim.Addr) {
	for _, d := range all {
		if d.Of.Part == PartUp && d.A == "" {
			down = append(down, d.Of.Node)
		}
	}
	if len(down) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(d Difference) bool { return d.Of.inMemoryOf(down) }), down
}

// Without returns the lines of a state, without those about the memory of some nodes.
func Without(lines []canon.Line, nodes []sim.Addr) []canon.Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l canon.Line) bool { return PlaceOf(l).inMemoryOf(nodes) })
}

func (p Place) inMemoryOf(nodes []sim.Addr) bool {
	switch p.Part {
	case PartField, PartTimer, PartTask, PartClock:
		return slices.Contains(nodes, p.Node)
	default:
		return false
	}
}
