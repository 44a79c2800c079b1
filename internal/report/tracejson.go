package report

import (
	"bytes"
	"encoding/json"
	"io"

	"macemc/internal/canon"
	"macemc/internal/recording"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// traceVersion is the version in every line of a trace. It grows when a member changes its meaning or is
// removed, not when one is added.
const traceVersion = 1

// TraceJSON writes the run of a finding as lines of JSON, one for the start of each node and
// one for each step. If states is not nil, the lines also have the changes of the state, and the last
// start has the whole first state, so that every state can be computed from the lines. printed has the
// output of the handlers in the starts and in each step, or is nil if that is not known.
func TraceJSON(w io.Writer, f *search.Finding, walker *canon.Walker, states *recording.Recording, printed []string) error {
	if f.Trace == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	said := func(step int) string {
		if step < len(printed) {
			return printed[step]
		}
		return ""
	}
	for i := range f.Trace.Starts {
		changes, text := []object{}, ""
		if i == len(f.Trace.Starts)-1 {
			changes, text = changesTo(states, 0), said(0)
		}
		if err := e.Encode(stepObject(&f.Trace.Starts[i], walker, "start", false, changes, text)); err != nil {
			return err
		}
	}
	for i := range f.Trace.Steps {
		s := &f.Trace.Steps[i]
		critical := f.Critical != nil && f.Critical.Step == s.Index
		if err := e.Encode(stepObject(s, walker, s.Event.Kind.String(), critical, changesTo(states, s.Index), said(s.Index))); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, PlainJSON(b.String()))
	return err
}

// stepObject returns the line of a trace for a start, whose number is 0, or for a step. The
// node is null in a step of the whole network.
func stepObject(s *trace.Step, walker *canon.Walker, kind string, critical bool, changes []object, printed string) object {
	e := &s.Event
	var value, shown, cause any
	if _, split := e.Value.(sim.Split); e.Value != nil && !split {
		value, shown = texts(walker, e.Value)
	}
	if n := s.Cause(); n >= 0 && s.Index > 0 {
		cause = n
	}
	var causes []int // of a quorum: that of each message
	if e.Kind == sim.KindQuorum {
		causes = s.Causes
	}
	coins, effects := []string{}, []object{}
	for _, c := range s.Coins {
		coins = append(coins, c.What)
	}
	for _, did := range s.Effects {
		effects = append(effects, effectObject(did, walker))
	}
	return object{
		{"version", traceVersion}, {"step", s.Index}, {"node", addressOrNull(s.Node)}, {"kind", kind}, {"from", addressOrNull(e.From)},
		{"link", linkOrNull(e.Link)}, {"value", value}, {"shown?", shown}, {"event", s.Identity}, {"cause", cause}, {"causes?", causes},
		{"possible", s.Possible}, {"critical", critical}, {"coins", coins}, {"effects", effects}, {"changes", changes}, {"printed?", printed},
	}
}

// texts returns a value as exact text, and shown as it is shown to people. shown is nil if the
// two are the same.
func texts(walker *canon.Walker, v any) (text, shown any) {
	text = walker.Text(v)
	if q, is := v.(sim.Quorum); is {
		text = q.Text(walker.Text)
	}
	if s := wording.Shown(walker.Text, v); s != text {
		shown = s
	}
	return text, shown
}

func effectObject(e trace.Effect, walker *canon.Walker) object {
	var delay, value, shown any
	if e.Kind == trace.EffectAfter {
		delay = e.Delay.String()
	}
	switch text, isText := e.Value.(string); {
	case e.Value == nil:
	case e.Kind == trace.EffectLog && isText:
		value = text
	default:
		value, shown = texts(walker, e.Value)
	}
	return object{
		{"kind", e.Kind.String()}, {"to", addressOrNull(e.To)}, {"link", linkOrNull(e.Link)}, {"delay", delay},
		{"value", value}, {"shown?", shown}, {"lost", e.Lost}, {"text", e.Text(walker.Text)},
	}
}

// changesTo returns the lines of the state that a step changed, or nil if they are not known. For step 0,
// these are all lines.
func changesTo(states *recording.Recording, step int) (out []object) {
	if states == nil || step > states.Steps() {
		return nil
	}
	out = []object{}
	if step == 0 {
		for _, l := range states.State(0) {
			out = append(out, object{{"path", l.Path}, {"before", nil}, {"after", l.Value}})
		}
	}
	for _, d := range states.Changes(step) {
		out = append(out, object{{"path", d.Path}, {"before", orNull(d.A)}, {"after", orNull(d.B)}})
	}
	return out
}

func addressOrNull(a sim.Addr) any {
	if a.IsZero() {
		return nil
	}
	return a.String()
}

func linkOrNull(l sim.Link) any {
	if l == 0 {
		return nil
	}
	return l.String()
}
