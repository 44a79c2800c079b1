package eventgraph

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/transcript"
	"macemc/sim"
)

// The transcripts draw plays: see actor. A directive "play" takes one, and
// draws it as text; the others draw the last play in another way.
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		s := &stage{}
		return s.handle
	})
}

type stage struct{ g *Graph }

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
	if d.Cmd == "play" {
		s.g = parsePlay(t, nodes, faults, d.Input).graph(t, marks)
	}
	g := s.g
	if slice > 0 {
		g = g.Slice(slice)
	}
	switch d.Cmd {
	case "play", "text":
		if err := g.Text(&b, o); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("%s: no directive %s", d.Pos, d.Cmd)
	}
	return visible(b.String())
}

// visible shows the escapes of a terminal.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", `\e`) }

var _ = fmt.Sprint
var _ sim.Addr
