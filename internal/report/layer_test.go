package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/account"
	"macemc/internal/lines"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/systems/counter"
	"macemc/trace"
)

// TestOwnCodeFirst: reports show the service's own code before that of the layer below it, as the handler
// of a message that the layer carries, in the lines that ran in a step, and in the lines that never ran.
func TestOwnCodeFirst(t *testing.T) {
	p, err := counter.System.Configure(2, nil, []string{"RP1"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(counter.System, search.Options{Params: p})
	if err != nil || r.Finding == nil {
		t.Fatal(err, r)
	}
	l := account.NewSources(counter.System, p)
	var own, layer account.Source
	for _, s := range r.Finding.Trace.Steps {
		if _, envelopes := wording.Carried(s.Event.Value); envelopes != "" && s.Event.Kind == sim.KindMessage {
			own = l.Handler(s.Event)
		}
		for _, e := range s.Effects {
			if e.Kind == trace.EffectAfter {
				layer = l.Handler(sim.Event{Kind: sim.KindTimer, Node: s.Node, Value: e.Value})
			}
		}
	}
	const home = "systems/counter/"
	if !strings.HasPrefix(own.File, home) || !strings.HasPrefix(layer.File, "layers/rpc/") {
		t.Fatalf("what the layer carries is handled at %+v, and its timer at %+v", own, layer)
	}
	functions := []lines.Function{pieceAt(t, layer), pieceAt(t, own)}
	ran := []lines.Part{{Function: 0, Pieces: []int{0}}, {Function: 1, Pieces: []int{0}}}
	if all := l.Passages(sim.Event{}, ran, functions); len(all) != 2 || !strings.HasPrefix(all[0].File, home) {
		t.Errorf("what ran is %+v", all)
	}
	never := l.Unran(&lines.Ran{Functions: functions, Steps: [][]lines.Part{nil}}).Never
	if len(never) != 2 || !strings.HasPrefix(never[0].File, home) {
		t.Errorf("what never ran is %+v", never)
	}
}

// pieceAt returns a function whose code is at the given place.
func pieceAt(t *testing.T, s account.Source) lines.Function {
	file, err := filepath.Abs(filepath.Join("../..", s.File))
	if err != nil {
		t.Fatal(err)
	}
	return lines.Function{File: file, Name: s.Func, Pieces: []lines.Piece{{Line: s.Line, EndLine: s.Line + 1, Column: 1, EndColumn: 20}}}
}
