package mdb

import (
	"fmt"
	"strconv"
	"strings"

	"macemc/eventgraph"
	"macemc/trace"
)

func graphCommand() *command {
	return &command{
		Name: "graph", Meant: "why causes cause because cone order draw picture", Aliases: []string{"g"}, Group: groupLook, Usage: "[around N | FROM TO | all] [NODE ...]",
		Short:   "draw the order of cause and effect: N steps on each side (by default 5), some steps, or all",
		Help:    "With nodes, only their events are drawn.",
		Example: "jump 11; graph around 1; graph 1 3; graph all n1", args: []completer{ofGraph},
		run: (*Session).graph,
	}
}

func ofGraph(s *Session, _ []string) []string { return append(s.Nodes(), "around", "all") }

// drawn is the event graph of a branch, made when the branch had len steps.
type drawn struct {
	len     int
	marks   eventgraph.Marks
	graph   *eventgraph.Graph
	picture *eventgraph.Picture
}

// drawings has the event graphs of those branches of a run that were drawn last.
type drawings map[*branch]*drawn

// drawingsMost is the largest number of graphs that are kept.
const drawingsMost = 16

// of returns the graph of the branch on which a cursor is. It draws the graph again if the branch has grown.
func (all *drawings) of(at Cursor) *drawn {
	d, end := (*all)[at.here], at.here.end(at.run)
	if d == nil || d.len != at.here.len() || d.marks != end.look().marks() {
		d = newDrawn(end)
		if *all == nil || len(*all) > drawingsMost {
			*all = drawings{}
		}
		(*all)[at.here] = d
	}
	return d
}

// newDrawn draws the branch of a cursor.
func newDrawn(at Cursor) *drawn {
	ran := &trace.Trace{Byzantine: at.run.player.World().Run.Trace().Byzantine}
	for _, t := range at.here.trunk().start {
		ran.Starts = append(ran.Starts, t.Step)
	}
	for i := 1; i <= at.Len(); i++ {
		ran.Steps = append(ran.Steps, at.here.at(i).Step)
	}
	marks := at.look().marks()
	g := eventgraph.New(ran, at.run.player.World().Walker().Text, marks)
	return &drawn{len: at.Len(), marks: marks, graph: g, picture: g.Picture()}
}

func (s *Session) graph(args []word) (Page, error) {
	from, to := s.step-5, s.step+5
	var o eventgraph.TextOptions
	number := func(k int) (int, bool) {
		if k >= len(args) {
			return 0, false
		}
		n, err := strconv.Atoi(args[k].text)
		return n, err == nil && n >= 0
	}
	if len(args) > 0 {
		switch word := strings.TrimLeft(args[0].text, "-"); word {
		case "around":
			n, ok := number(1)
			if !ok {
				return nil, usageOf("graph")
			}
			from, to, args = s.step-n, s.step+n, args[2:]
		case "all":
			from, to, args = 1, s.Len(), args[1:]
		default:
			if n, ok := number(0); ok {
				m, ok := number(1)
				if !ok || m < n {
					return nil, usageOf("graph")
				}
				from, to, args = n, m, args[2:]
			}
		}
	}
	for _, a := range args {
		addr, err := s.run.addr(a.text)
		if err != nil {
			return nil, err
		}
		o.Nodes = append(o.Nodes, addr)
	}
	if s.Len() == 0 {
		return nil, fmt.Errorf("%s has no step to draw", s.where())
	}
	o.From, o.To, o.Width = min(max(1, from), s.Len()), max(1, min(to, s.Len())), s.width
	return s.drawText(o)
}

// drawText draws the branch as text.
func (s *Session) drawText(o eventgraph.TextOptions) (Page, error) {
	var b strings.Builder
	if err := s.drawings.of(s.Cursor).graph.Text(&b, o); err != nil {
		return nil, err
	}
	return text(strings.TrimSuffix(b.String(), "\n")), nil
}

// marks returns the steps that the graph marks.
func (s Look) marks() (m eventgraph.Marks) {
	if c, known := s.critical(); known && c > 0 && c <= s.Len() {
		m.Critical = c
	}
	m.Again = s.again()
	if f := s.here.failure; f != nil {
		m.Failed, m.Why = s.Len(), f.Verdict.String()
		if f.Message != "" {
			m.Why += ": " + f.Message
		}
	}
	return m
}
