package finding

import (
	"bytes"
	"encoding/json"
	"io"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// traceVersion is the version in every line of a trace. It grows when a member changes its meaning or is
// removed, not when one is added.
const traceVersion = 1

// States are the states of a run as text: state 0 is that after the starts.
type States interface {
	Steps() int
	State(step int) []canon.Line
	Changes(step int) []observe.Difference
}

// stepLine is one line of trace.jsonl: a start of a node, or a step.
type stepLine struct {
	Version  int          `json:"version"`
	Step     int          `json:"step"` // 0 means a start
	Node     *string      `json:"node"` // null: the network as a whole
	Kind     string       `json:"kind"`
	From     *string      `json:"from"`
	Link     *string      `json:"link"`
	Value    *string      `json:"value"`
	Shown    *string      `json:"shown,omitempty"` // the value as people read it, where that is another text
	Event    string       `json:"event"`
	Cause    *int         `json:"cause"`
	Causes   []int        `json:"causes,omitempty"` // of a quorum: that of each message
	Possible int          `json:"possible"`
	Critical bool         `json:"critical"`
	Coins    []string     `json:"coins"`
	Effects  []effectLine `json:"effects"`
	Changes  []changeLine `json:"changes"` // null: not known
	Printed  string       `json:"printed,omitempty"`
}

type effectLine struct {
	Kind  string  `json:"kind"`
	To    *string `json:"to"`
	Link  *string `json:"link"`
	Delay *string `json:"delay"`
	Value *string `json:"value"`
	Shown *string `json:"shown,omitempty"`
	Lost  bool    `json:"lost"`
	Text  string  `json:"text"`
}

type changeLine struct {
	Path   string  `json:"path"`
	Before *string `json:"before"` // null: there was no such line
	After  *string `json:"after"`
}

// Trace writes the run of a finding as lines of JSON, one for the start of each node and
// one for each step. If states is not nil, the lines also have the changes of the state, and the last
// start has the whole first state, so that every state can be computed from the lines. printed has the
// output of the handlers in the starts and in each step, or is nil if that is not known.
func Trace(w io.Writer, f *search.Finding, walker *canon.Walker, states States, printed []string) error {
	if f.Trace == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range f.Trace.Starts {
		line := lineOf(&f.Trace.Starts[i], walker)
		line.Kind, line.Changes = "start", []changeLine{}
		if i == len(f.Trace.Starts)-1 {
			line.Changes, line.Printed = changesTo(states, 0), printedIn(printed, 0)
		}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	for i := range f.Trace.Steps {
		line := lineOf(&f.Trace.Steps[i], walker)
		line.Critical = f.Critical != nil && f.Critical.Step == line.Step
		line.Changes, line.Printed = changesTo(states, line.Step), printedIn(printed, line.Step)
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, report.PlainJSON(b.String()))
	return err
}

func lineOf(s *trace.Step, walker *canon.Walker) stepLine {
	e := &s.Event
	line := stepLine{
		Version: traceVersion, Step: s.Index, Node: address(s.Node), Kind: e.Kind.String(), From: address(e.From),
		Event: s.Identity, Possible: s.Possible, Coins: []string{}, Effects: []effectLine{},
	}
	if e.Link != 0 {
		line.Link = new(e.Link.String())
	}
	if _, split := e.Value.(sim.Split); e.Value != nil && !split {
		line.Value, line.Shown = texts(walker, e.Value)
	}
	if cause := s.Cause(); cause >= 0 && s.Index > 0 {
		line.Cause = &cause
	}
	if e.Kind == sim.KindQuorum {
		line.Causes = s.Causes
	}
	for _, c := range s.Coins {
		line.Coins = append(line.Coins, c.What)
	}
	for _, did := range s.Effects {
		line.Effects = append(line.Effects, effectOf(did, walker))
	}
	return line
}

// texts returns a value's text, and the form for people if it differs.
func texts(walker *canon.Walker, v any) (text, shown *string) {
	text = new(walker.Text(v))
	if q, is := v.(sim.Quorum); is {
		text = new(q.Text(walker.Text))
	}
	if s := wording.Shown(walker.Text, v); s != *text {
		shown = &s
	}
	return text, shown
}

func effectOf(e trace.Effect, walker *canon.Walker) effectLine {
	line := effectLine{Kind: e.Kind.String(), To: address(e.To), Lost: e.Lost, Text: e.Text(walker.Text)}
	if e.Link != 0 {
		line.Link = new(e.Link.String())
	}
	if e.Kind == trace.EffectAfter {
		line.Delay = new(e.Delay.String())
	}
	switch text, isText := e.Value.(string); {
	case e.Value == nil:
	case e.Kind == trace.EffectLog && isText:
		line.Value = &text
	default:
		line.Value, line.Shown = texts(walker, e.Value)
	}
	return line
}

// changesTo returns the lines of the state that a step changed. For step 0, these are all lines.
func changesTo(states States, step int) []changeLine {
	if states == nil || step > states.Steps() {
		return nil
	}
	out := []changeLine{}
	if step == 0 {
		for _, l := range states.State(0) {
			out = append(out, changeLine{l.Path, nil, new(l.Value)})
		}
		return out
	}
	for _, d := range states.Changes(step) {
		out = append(out, changeLine{d.Path, orNull(d.A), orNull(d.B)})
	}
	return out
}

func printedIn(printed []string, step int) string {
	if step >= len(printed) {
		return ""
	}
	return printed[step]
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func address(a sim.Addr) *string {
	if a.IsZero() {
		return nil
	}
	return new(a.String())
}
