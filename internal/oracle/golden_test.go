package oracle_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/search"
	"macemc/internal/transcript"
	"macemc/sim"
)

// TestGolden: the result of a search is the same on every machine, with every version of Go, and
// whether package canon walks values by address or by reflection (see make golden-counts). Its command:
//
//	search SYSTEM [nodes=] [faults=] [bug=] [param=] [depth=] [walks=] [seed=]
func TestGolden(t *testing.T) {
	transcript.Run(t, "testdata/golden.txt", func(t *testing.T, d *transcript.Data) string {
		if d.Cmd != "search" || len(d.CmdArgs) == 0 {
			d.Fatalf(t, "no command %q", d.Cmd)
		}
		sys, err := catalog.Find(d.CmdArgs[0].Key)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		transcript.Allow(t, d, sys.Name, "nodes", "faults", "bug", "param", "depth", "walks", "seed")
		o := search.Options{
			Workers: 1, Depth: transcript.Int(t, d, "depth", 0), Effort: 1 << 30, Seed: uint64(transcript.Int(t, d, "seed", 0)),
			Paths: transcript.Int(t, d, "walks", 0), WalkSteps: 500, NoWalks: !d.HasArg("walks"),
		}
		var params, bugs []string
		if p := transcript.Word(d, "param", ""); p != "" {
			params = []string{strings.Replace(p, ":", "=", 1)}
		}
		if b := transcript.Word(d, "bug", ""); b != "" {
			bugs = []string{b}
		}
		if o.Params, err = sys.Configure(transcript.Int(t, d, "nodes", 0), params, bugs); err != nil {
			d.Fatalf(t, "%v", err)
		}
		if f := transcript.Word(d, "faults", ""); f != "" {
			faults, err := sim.ParseFaults(strings.NewReplacer("/", ",", ":", "=").Replace(f))
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			o.Faults = &faults
		}
		res, err := search.Search(sys, o)
		if err != nil {
			return err.Error()
		}
		return golden(t, res)
	})
}

// golden returns the part of a result that must not depend on the machine.
func golden(t *testing.T, res *search.Result) string {
	s := res.Stats
	out := fmt.Sprintf("%d states, %d transitions, %d duplicates; depth %d, safety %s, liveness %s\n",
		s.States, s.Transitions, s.Duplicates, s.Depth, res.Safety.State, res.Liveness.State)
	if s.Walks > 0 {
		out += fmt.Sprintf("%d walks, %d steps\n", s.Walks, s.WalkSteps)
	}
	if f := res.Finding; f != nil {
		var text bytes.Buffer
		if _, err := f.Path.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		state, _ := f.Path.Get("state")
		out += fmt.Sprintf("%s %q at step %d\n%s\nstate %s\n", f.Verdict, f.Property, f.Step, lines[len(lines)-1], state)
	}
	return out
}
