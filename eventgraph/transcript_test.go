package eventgraph

import (
	"io"
	"strings"
	"testing"

	"macemc/internal/transcript"
)

// The transcripts draw plays: see actor. A directive "play" takes one, and
// draws it as text; the others draw the last play in another way.
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		s := &stage{}
		return s.handle
	})
}

type stage struct {
	g    *Graph
	both *Beside // of the directive "beside"
}

// drawing is a graph, or a comparison of two.
type drawing interface {
	Text(io.Writer, TextOptions) error
	SVG(io.Writer, Part) error
	HTML(io.Writer, Part) error
	Mermaid(io.Writer, Part) error
}

func (s *stage) handle(t *testing.T, d *transcript.Data) string {
	var marks Marks
	nodes, faults, slice := 2, "", 0
	var o TextOptions
	var b strings.Builder
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "nodes":
			a.Scan(t, 0, &nodes)
		case "faults":
			faults = strings.Join(a.Vals, ",")
		case "critical":
			a.Scan(t, 0, &marks.Critical)
		case "failed":
			a.Scan(t, 0, &marks.Failed)
			marks.Why = "it failed"
		case "title":
			marks.Title = strings.Join(a.Vals, " ")
		case "slice":
			a.Scan(t, 0, &slice)
		case "from":
			a.Scan(t, 0, &o.From)
		case "to":
			a.Scan(t, 0, &o.To)
		case "width":
			a.Scan(t, 0, &o.Width)
		case "only":
			for _, n := range s.g.Nodes() {
				if strings.Contains(strings.Join(a.Vals, " "), n.String()) {
					o.Nodes = append(o.Nodes, n)
				}
			}
		case "ascii":
			o.ASCII = true
		case "color":
			o.Color = true
		case "whole":
			o.Whole = true
		default:
			t.Fatalf("%s: no argument %s", d.Pos, a.Key)
		}
	}
	switch d.Cmd {
	case "play":
		s.g, s.both = parsePlay(t, nodes, faults, d.Input).graph(t, marks), nil
	case "beside": // the lines of both, then of this, then of the other
		common, rest, _ := strings.Cut(d.Input, "\nhere\n")
		here, there, _ := strings.Cut(rest, "\nthere\n")
		s.g = parsePlay(t, nodes, faults, common+"\n"+here).graph(t, marks)
		s.both = Compare(s.g, parsePlay(t, nodes, faults, common+"\n"+there).graph(t, Marks{Title: "the other run"}))
	}
	var g drawing = s.g
	if slice > 0 {
		g = s.g.Slice(slice)
	} else if s.both != nil {
		g = s.both
	}
	var err error
	switch d.Cmd {
	case "play", "text", "beside":
		err = g.Text(&b, o)
	case "hover": // the hints of pictures at each step
		for p := range s.g.points {
			if p >= s.g.starts || s.g.points[p].happened() {
				b.WriteString(s.g.hover(p) + "\n")
			}
		}
	case "mermaid":
		err = g.Mermaid(&b, o.Part)
	case "dot":
		err = g.(*Graph).DOT(&b, o.Part)
	default:
		t.Fatalf("%s: no directive %s", d.Pos, d.Cmd)
	}
	if err != nil {
		t.Fatal(err)
	}
	return visible(b.String())
}

// visible replaces the escape sequences of a terminal by readable text.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", `\e`) }
