package eventgraph

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// stepTakes is the length of a step in a trace, in microseconds. A run has an order and no durations, so
// all steps have the same length.
const stepTakes = 1000

// slice is an event in the JSON that trace viewers read: the "Trace Event Format" of
// Chromium, which ui.perfetto.dev opens.
type slice struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name,omitempty"`
	Category string         `json:"cat,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Time     int            `json:"ts"`
	Duration int            `json:"dur,omitempty"`
	ID       int            `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// Perfetto writes the graph, with a title, as a trace for ui.perfetto.dev: each node is a track, each
// step a slice of it, and each message a flow from the slice that sent it to the slice that
// took it. It writes only the steps of the part.
func (g *Graph) Perfetto(w io.Writer, title string, part Part) error {
	t := &traced{out: bufio.NewWriter(w), g: g, part: part}
	t.out.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	t.tracks(title)
	for at := range g.points {
		t.point(at)
	}
	t.flows()
	t.out.WriteString("\n]}\n")
	if t.err != nil {
		return t.err
	}
	return t.out.Flush()
}

// traced writes a part of a graph as a trace for ui.perfetto.dev.
type traced struct {
	out     *bufio.Writer
	g       *Graph
	part    Part
	written bool
	err     error
}

func (t *traced) put(s slice) {
	text, err := json.Marshal(s)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("the trace cannot be written: %w", err)
	}
	if t.written {
		t.out.WriteByte(',')
	}
	t.written = true
	t.out.WriteByte('\n')
	t.out.Write(text)
}

// tracks names the tracks: the network is the first, then the nodes.
func (t *traced) tracks(title string) {
	t.put(slice{Phase: "M", Name: "process_name", Args: map[string]any{"name": title}})
	name := func(lane int, text string) {
		t.put(slice{Phase: "M", Name: "thread_name", Thread: lane + 1, Args: map[string]any{"name": text}})
		t.put(slice{Phase: "M", Name: "thread_sort_index", Thread: lane + 1, Args: map[string]any{"sort_index": lane + 1}})
	}
	name(network, "network")
	for lane, a := range t.g.nodes {
		name(lane, a.String())
	}
}

// has reports whether the trace contains point at.
func (t *traced) has(at int) bool { return at != none && t.g.shows(at) && t.part.has(t.g.number(at)) }

func (t *traced) point(at int) {
	p, n := &t.g.points[at], t.g.number(at)
	if !t.has(at) {
		return
	}
	args := map[string]any{"step": n, "event": cut(p.text, textMost)}
	if did := t.g.story(at); len(did) > 0 {
		args["did"] = did
	}
	t.put(slice{Phase: "X", Name: cut(p.text, labelMost), Category: p.kind(), Thread: p.lane + 1, Time: n * stepTakes, Duration: stepTakes * 9 / 10, Args: args})
	mark := func(text string) {
		t.put(slice{Phase: "i", Name: text, Category: "mark", Thread: p.lane + 1, Time: n * stepTakes, Scope: "g"})
	}
	if t.g.critical(at) {
		mark("critical step")
	}
	if t.g.failed(at) {
		mark("failed: " + cut(t.g.Marks.Why, labelMost))
	}
}

// flows writes an arrow for each message, from the step that sent it to the step that took it.
func (t *traced) flows() {
	for id, f := range t.g.flights() {
		if !t.has(f.from) || !t.has(f.to) {
			continue
		}
		name := f.kind
		if f.message != none {
			name = cut(t.g.messages[f.message].shown, labelMost)
		}
		end := func(phase string, at int) {
			t.put(slice{Phase: phase, Name: name, Category: f.kind, Thread: t.g.points[at].lane + 1, Time: t.g.number(at)*stepTakes + stepTakes/2, ID: id + 1,
				Bind: map[string]string{"f": "e"}[phase]})
		}
		end("s", f.from)
		end("f", f.to)
	}
}
