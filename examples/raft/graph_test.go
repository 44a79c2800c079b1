package raft

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macemc/eventgraph"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

var graphs = flag.String("graphs", "", "keep the drawings of TestGraphs in this `folder`")

// A run that fails because of a crash is drawn in every form. Its messages are protocol buffers, and the
// drawings have their own text.
func TestGraphs(t *testing.T) {
	d := drive(t, 3, nil, []string{string(RF1)}, world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 5}}, Trace: true})
	var f *trace.Failure
	for i := 0; f == nil && i < 5_000; i++ {
		f = d.run(gusty(5), i, 100, never)
	}
	if f == nil {
		t.Fatal("RF1 was not found")
	}
	g := eventgraph.New(d.Run.Trace(), d.Walker().Text, eventgraph.Marks{Title: f.Message, Failed: f.Step, Why: f.Property})
	for name, draw := range map[string]func(io.Writer, eventgraph.Part) error{
		"txt": func(w io.Writer, p eventgraph.Part) error {
			return g.Text(w, eventgraph.TextOptions{Part: p})
		},
		"svg": g.SVG, "html": g.HTML, "mmd": g.Mermaid, "dot": g.DOT,
	} {
		var b strings.Builder
		if err := draw(&b, eventgraph.Part{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "MsgVote") {
			t.Errorf("%s does not tell of a vote:\n%s", name, b.String())
		}
		if name == "svg" {
			x := xml.NewDecoder(strings.NewReader(b.String()))
			var err error
			for err == nil {
				_, err = x.Token()
			}
			if !errors.Is(err, io.EOF) {
				t.Errorf("the picture: %v", err)
			}
		}
		if *graphs != "" {
			if err := os.WriteFile(filepath.Join(*graphs, "raft."+name), []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
