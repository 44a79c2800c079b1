package recording

import (
	"iter"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/world"
	"macemc/sim"
)

// Recording has the states of a run as text: World.Lines after the starts and after every step. It keeps only
// changes, so a long run takes little memory.
//
// To record a run, pass the method See as search.Options.See to Replay. The recording is complete when Replay has
// returned.
type Recording struct {
	last     []canon.Line
	edits    []edit // for each state, its difference from the state before; the first is the difference from no lines
	wholes   [][]canon.Line
	readings world.Readings // the forms for people of values that have one

	read  int // the state that was requested last, and its step; nil if there is none
	lines []canon.Line
}

// edit is the difference of a state from the one before: the first head lines and the last tail lines of
// both are equal, and the state has lines between them.
type edit struct {
	head, tail int
	lines      []canon.Line
}

// One in wholeEvery states is kept as a whole; the others are kept as edits.
const wholeEvery = 256

// See records the present state of the world. It is called for each state in turn; the
// starts begin a new recording.
func (r *Recording) See(w *world.World) {
	k, lines := w.Run.Steps(), w.Text.Lines()
	if k < len(r.edits) { // a repeated state, or a new run
		r.edits, r.wholes = r.edits[:k], r.wholes[:(k+wholeEvery-1)/wholeEvery]
		r.last, r.lines = nil, nil
		if k > 0 {
			r.last = r.State(k - 1)
		}
	}
	if k > len(r.edits) {
		panic("macemc bug: recording: a recording needs every state, and one is missing")
	}
	if r.readings == nil {
		r.readings = world.Readings{}
	}
	r.readings.Note(&w.Text, lines)
	if k%wholeEvery == 0 {
		r.wholes = append(r.wholes, lines)
	}
	r.edits = append(r.edits, editOf(r.last, lines))
	r.last = lines
}

func editOf(old, now []canon.Line) edit {
	most := min(len(old), len(now))
	head := 0
	for head < most && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < most-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	return edit{head, tail, slices.Clone(now[head : len(now)-tail])}
}

// Steps returns the number of the last state, or -1 if there is none. State 0 is that after
// the starts.
func (r *Recording) Steps() int { return len(r.edits) - 1 }

// State returns the state after a step, from 0 to Steps. Asking for consecutive states is fast.
func (r *Recording) State(step int) []canon.Line {
	from, lines := step/wholeEvery*wholeEvery, r.wholes[step/wholeEvery]
	if r.lines != nil && from <= r.read && r.read <= step {
		from, lines = r.read, r.lines
	}
	for k := from + 1; k <= step; k++ {
		lines = r.edits[k].apply(lines)
	}
	r.read, r.lines = step, lines
	return lines
}

func (e edit) apply(old []canon.Line) []canon.Line {
	return slices.Concat(old[:e.head], e.lines, old[len(old)-e.tail:])
}

// Edits yields, for each state, its difference from the state before: two numbers, of first and
// of last lines that are the same in both, and the lines between these, each as its path and its
// value as it is shown to people. The first state is compared with no lines.
func (r *Recording) Edits() iter.Seq2[[2]int, [][2]string] {
	return func(yield func([2]int, [][2]string) bool) {
		for _, e := range r.edits {
			lines := make([][2]string, len(e.lines))
			for i, l := range e.lines {
				lines[i] = [2]string{l.Path, r.readings.Of(l.Path, l.Value)}
			}
			if !yield([2]int{e.head, e.tail}, lines) {
				return
			}
		}
	}
}

// Told returns the nodes that went down in a step, and the other changes that the step made. Each
// change has a path, the old value and the new value, both as they are shown to people.
func (r *Recording) Told(step int) (down []sim.Addr, changes [][3]string) {
	all, down := observe.Went(r.Changes(step))
	for _, d := range r.Read(all) {
		changes = append(changes, [3]string{d.Path, d.A, d.B})
	}
	return down, changes
}

// Read returns the differences with their values as they are shown to people, and not as exact
// texts.
func (r *Recording) Read(all []observe.Difference) (out []observe.Difference) {
	for _, d := range all {
		out = append(out, r.readings.Difference(d))
	}
	return out
}

// Changes returns the lines that a step changed, with their old and new values.
func (r *Recording) Changes(step int) []observe.Difference {
	if step < 1 || step > r.Steps() {
		return nil
	}
	before, e := r.State(step-1), r.edits[step]
	return observe.Diff(before[e.head:len(before)-e.tail], e.lines) // the lines that both states share need not be compared
}
