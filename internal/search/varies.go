package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/trace"
)

// outcomesMost is the largest number of outcomes of a step that are listed. Further outcomes are only
// counted.
const outcomesMost = 5

// cameTo is an outcome of a step: its effects, and the state to which it led.
type cameTo struct {
	Outcome
	did   []string
	shown []string // did, in the form for people
	state []canon.Line
	read  world.Readings // the readings of clocks in the state
}

// asks records that the step asked a question for which the recording has no answer.
func (o *cameTo) asks(question string) { o.shown = append(o.shown, question) }

// ends records the state to which the step led.
func (o *cameTo) ends(w *world.World) {
	o.state, o.read = w.Text.Lines(), world.Readings{}
	o.read.Note(&w.Text, o.state)
}

// say sets the text that describes the outcome. It leaves out the effects that all outcomes have in
// common: the number before at the beginning of the list, and the number after at its end. path leads
// to a value of the state that differs between the outcomes.
func (o *cameTo) say(before, after int, path string) {
	o.Told = apart(o.did, before, after)
	if v, ok := valueAt(o.state, path); ok {
		o.Told = strings.TrimSpace(o.Told + " " + path + " = " + o.read.Of(path, v))
	}
}

// simplify replaces the exact effects by the forms that are shown to people.
func (o *cameTo) simplify() { o.did = o.shown }

// countOutcomes repeats the steps up to a nondeterministic one again and again, and counts the
// outcomes of that step. It adds to the finding how they differ, and the probable cause.
func countOutcomes(r *run.Runs, f *Finding) {
	told := map[canon.Hash]*cameTo{}
	var order []*cameTo // by run
	answers := run.Picks(f.Path)
	for n := 0; n < repetitions || len(told) < 2 && n < 1000; n++ { // iterating over a map of two keys reverses their order one time in eight
		if n > 0 && r.Stopped() {
			break
		}
		src := &run.Unanswered{Source: choose.NewRaw(answers)}
		_, failure, w := r.Run(run.Repeat(src, f.climate, f.Step), false)
		h, did := run.Outcome(w, failure)
		if src.Asked != "" {
			did = append(did, src.Asked)
			h = canon.OfString(strings.Join(did, "\x00"))
		}
		if told[h] == nil {
			told[h] = &cameTo{did: did, shown: run.Did(w, failure, trace.Effect.Shown)}
			switch {
			case src.Asked != "":
				told[h].asks(src.Asked)
			case failure == nil:
				told[h].ends(w)
			}
		}
		told[h].Times++
		order = append(order, told[h])
	}
	path := differing(told)
	readable(told)
	before, after := alike(told)
	for _, o := range told {
		o.say(before, after, path)
		f.Outcomes = append(f.Outcomes, o.Outcome)
	}
	slices.SortFunc(f.Outcomes, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), strings.Compare(a.Told, b.Told))
	})
	if rest := len(f.Outcomes) - outcomesMost; rest > 1 {
		others := Outcome{Told: fmt.Sprintf("one of %d others", rest)}
		for _, o := range f.Outcomes[outcomesMost:] {
			others.Times += o.Times
		}
		f.Outcomes = append(f.Outcomes[:outcomesMost:outcomesMost], others)
	}
	if why := probably(order, path, len(told)); why != "" {
		f.Message = strings.TrimSuffix(f.Message, run.Hint) + "; " + why
	}
}

// readable replaces the effects of all outcomes by the forms that are shown to people, unless two
// different outcomes would then look the same.
func readable(told map[canon.Hash]*cameTo) {
	exact, apart := map[string]bool{}, map[string]bool{}
	for _, o := range told {
		exact[strings.Join(o.did, "\x00")] = true
		apart[strings.Join(o.shown, "\x00")] = true
	}
	if len(apart) < len(exact) {
		return
	}
	for _, o := range told {
		o.simplify()
	}
}

// alike returns how many effects at the beginning, and how many at the end, are the same in all
// outcomes.
func alike(told map[canon.Hash]*cameTo) (before, after int) {
	all := slices.Collect(maps.Values(told))
	first := all[0].did
	before = len(first)
	for _, o := range all {
		before = min(before, len(o.did))
		for before > 0 && !slices.Equal(o.did[:before], first[:before]) {
			before--
		}
	}
	after = len(first) - before
	for _, o := range all {
		after = min(after, len(o.did)-before)
		for after > 0 && !slices.Equal(o.did[len(o.did)-after:], first[len(first)-after:]) {
			after--
		}
	}
	return before, after
}

// apart returns the effects of one outcome as text, without those that all outcomes have in common:
// the number before at the beginning of the list, and the number after at its end.
func apart(did []string, before, after int) string {
	own := did[before : len(did)-after]
	if len(own) == 0 {
		return ""
	}
	if before > 0 {
		own = append([]string{"..."}, own...)
	}
	if after > 0 {
		own = append(own[:len(own):len(own)], "...")
	}
	return strings.Join(own, "; ")
}

// differing returns the path of a line of the state that is not the same in all outcomes, or "" if
// there is none.
func differing(told map[canon.Hash]*cameTo) (path string) {
	var first []canon.Line
	for _, o := range told {
		if o.state == nil {
			continue
		}
		if first == nil {
			first = o.state
			continue
		}
		for _, l := range first {
			if v, ok := valueAt(o.state, l.Path); (!ok || v != l.Value) && (path == "" || l.Path < path) {
				path = l.Path
			}
		}
	}
	return path
}

func valueAt(lines []canon.Line, path string) (string, bool) {
	for _, l := range lines {
		if l.Path == path && path != "" {
			return l.Value, true
		}
	}
	return "", false
}

// number converts a value's text to a number, if it is a number or a time.
func number(text string) (int64, bool) {
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	moment, _, _ := strings.Cut(text, " ")
	if t, err := time.Parse(time.RFC3339Nano, moment); err == nil {
		return t.UnixNano(), true
	}
	return 0, false
}

// probably returns the probable cause of a value that differs from run to run, with advice, or "" if no
// cause is known.
func probably(order []*cameTo, path string, outcomes int) string {
	var values []int64
	for _, o := range order {
		text, _ := valueAt(o.state, path)
		v, ok := number(text)
		if !ok {
			break
		}
		values = append(values, v)
	}
	grows, steady := true, true
	for i := 1; i < len(values); i++ {
		grows = grows && values[i] > values[i-1]
		steady = steady && values[i]-values[i-1] == values[1]-values[0]
	}
	switch numbers := len(values) == len(order); {
	case numbers && outcomes == len(order) && steady:
		return "it counts from run to run, as a package variable does: keep it in the node"
	case numbers && outcomes == len(order) && grows:
		return "it grows from run to run, as a clock does: ask env.Now, or set a timer by env.After"
	case outcomes == len(order):
		return "it is never the same, as random numbers and addresses are not: draw by env.Choose, and compare values instead of pointers"
	case outcomes > 1:
		return "a few outcomes come again and again, as from the order of a map (range over sim.Keys), a select of several channels, small random numbers (env.Choose), or a callback that comes at some time, as of time.AfterFunc (env.After)"
	}
	return ""
}
