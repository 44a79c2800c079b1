package command

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

// Every form is drawn of a dead run, of an unsafe one, of one that breaks the
// simulated TCP, and of a crash.
func TestGraphFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	begins := map[string]string{
		"text": "", "svg": "<svg ", "html": "<!DOCTYPE html>", "mermaid": "sequenceDiagram\n", "dot": "digraph macemc {", "perfetto": `{"displayTimeUnit"`,
	}
	for _, line := range []string{
		"handshake --bug HS1", "simtcp --bug ST3", "brokentree --bug BT1", "brokentree --bug BT2", "stopwait --bug SW1",
	}[:long.Of(2, 5)] {
		path := firstOf(t, line)
		for _, f := range formats {
			file := filepath.Join(t.TempDir(), "graph"+f.end)
			text, told, status := execute("graph", path, "--format", f.name)
			_, _, again := execute("graph", path, "--out", file)
			if status != exitNothing || told != "" || again != exitNothing || get(t, file) != text {
				t.Errorf("graph of %s as %s: status %d, %d with --out: %s", line, f.name, status, again, told)
			}
			if !strings.HasPrefix(text, begins[f.name]) || len(text) < 200 {
				t.Errorf("graph of %s as %s begins %.100q", line, f.name, text)
			}
			if f.name == "svg" {
				wellFormed(t, line, text)
			}
		}
	}
}

func wellFormed(t *testing.T, line, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("the picture of %s: %v", line, err)
			return
		}
	}
}

// The live.path beside a path is drawn beside it, unless the flags ask for one run.
func TestGraphLive(t *testing.T) {
	folder := filepath.Dir(firstOf(t, "handshake --bug HS1"))
	both, told, status := execute("graph", folder)
	if status != exitNothing || !strings.Contains(both, "they part here") || !strings.Contains(both, "there: handshake with HS1: live after") {
		t.Errorf("status %d: %s\n%s", status, told, both)
	}
	alone, _, _ := execute("graph", folder, "--alone")
	if strings.Contains(alone, "they part here") || !strings.HasPrefix(both, alone) {
		t.Errorf("--alone draws\n%s", alone)
	}
	for _, f := range formats[1:] {
		text, told, status := execute("graph", folder, "--format", f.name)
		if status != exitNothing || strings.Contains(text, "there") != !(&graphFlags{format: f.name}).single() {
			t.Errorf("as %s, status %d: %s\n%s", f.name, status, told, text)
		}
	}
	if _, told, status := execute("graph", folder, "--format", "dot", "--live", filepath.Join(folder, "live.path")); status != exitInput || !strings.Contains(told, "--format dot, which draws one run") {
		t.Errorf("--live with dot: status %d: %s", status, told)
	}
}

// TestGraphSlice checks that graph --slice prints the steps of a run that its failure needs: here a crash, and also
// the reset before it, without which the crash would do no harm.
func TestGraphSlice(t *testing.T) {
	text, told, status := execute("graph", firstOf(t, "simtcp --bug ST3 --nodes 3"), "--slice")
	for _, step := range []string{"n1 message data", "n0 reset with n1", "n0 crash"} {
		if status != exitNothing || !strings.Contains(text, step) {
			t.Errorf("status %d: %s: there is no %s in\n%s", status, told, step, text)
		}
	}
	if _, told, status := execute("graph", firstOf(t, "brokentree --bug BT1"), "--slice"); status != exitInput || !strings.Contains(told, "dead from its start") {
		t.Errorf("of a run that was dead from its start: status %d: %s", status, told)
	}
}

// firstOf returns the file with the path of the first finding of a search.
func firstOf(t *testing.T, line string) string {
	t.Helper()
	out := t.TempDir()
	_, told, _ := execute(words("search " + line + " --quiet --out " + out)...)
	paths, _ := filepath.Glob(filepath.Join(out, "*", "error.path"))
	if len(paths) != 1 {
		t.Fatalf("search %s has written %q: %s", line, paths, told)
	}
	return paths[0]
}

// turner turns once, when its script says so.
type turner struct{ Turned bool }

func (n *turner) Init(sim.Env)                           {}
func (n *turner) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *turner) Handle(_ sim.Env, s sim.Signal)         { n.Turned = true }

// turns is dead once n0 and n1 have turned. They never hear of each other, and the steps of n2
// do not matter.
var turns = &sim.System{
	Name: "turns", Doc: "Nodes turn.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &turner{} },
	Script: func(sim.Params, sim.Addr, int) []sim.Signal {
		return []sim.Signal{struct{}{}}
	},
	Properties: []sim.Property{sim.Eventually("one of the first two has not turned", func(v sim.View[*turner]) bool {
		turned := 0
		for addr, n := range v.Nodes() {
			if n.Turned && addr.String() != "n2" {
				turned++
			}
		}
		return turned < 2
	})},
}

// A slice of a dead run has what makes it dead, and not only what happened before
// the critical step; and its title says so.
func TestGraphSliceOfADeadRun(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(line ...string) string {
		var out, errs bytes.Buffer
		x := &tool{Program: Program{Systems: []*sim.System{turns}}, calling: calling{Name: "check"}, stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
		if status := x.run(line); status != exitNothing || errs.Len() > 0 {
			t.Fatalf("%s: status %d: %s", line, status, errs.String())
		}
		return out.String()
	}
	run("mdb", "turns", "-x", "take /n0 script/; take /n2 script/; take /n1 script/; critical; save dead.path")
	text := run("graph", "dead.path", "--slice")
	for _, part := range []string{"slice, enough by itself: turns: dead after 3 steps", "n0 script", "step 2 left out", "n1 script"} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%s", part, text)
		}
	}
	if strings.Contains(text, "n2 script") {
		t.Errorf("n2 has nothing to do with it:\n%s", text)
	}
}

// A run that ends in a handler which never returns is drawn up to there.
func TestGraphOfAStuckRun(t *testing.T) {
	defer func(was time.Duration) { stuckAfter = was }(stuckAfter)
	stuckAfter = time.Second / 5
	woken := make(chan struct{})
	defer close(woken)
	sys := &sim.System{
		Name: "waiter", Doc: "A node that waits.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &waiter{&woken} },
		Opaque: []string{"macemc/command.waiter.woken"},
	}
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := &choose.Path{Header: search.Describe(sys, params)}
	path.Add("verdict", "divergence")
	for n := range 2 {
		path.Steps = append(path.Steps, choose.Step{Event: choose.Choice{Of: 1, What: fmt.Sprintf("n0 task task{n: %d}", n+1)}})
	}
	file := filepath.Join(t.TempDir(), "error.path")
	var text bytes.Buffer
	path.WriteTo(&text)
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--alone", "--slice", "--format=html"} {
		var out, errs bytes.Buffer
		x := &tool{Program: Program{Systems: []*sim.System{sys}}, calling: calling{Name: "check"}, stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
		status := x.run([]string{"graph", file, flag})
		for _, part := range []string{"task{n: 1}", "task{n: 2}", "the run ended within this step", "the handler did not return and asked Env nothing for 200ms"} {
			if status != exitNothing || errs.Len() > 0 || !strings.Contains(out.String(), part) {
				t.Errorf("%s: status %d, %q; there is no %q in\n%s", flag, status, errs.String(), part, out.String())
			}
		}
	}
}

// restless counts without end, and is never live.
type restless struct{ Turns int }

var turned int // turns that were taken of all

type turn struct{}

func (*restless) Init(sim.Env)                           {}
func (*restless) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*restless) Offers(offer func(sim.Signal))          { offer(turn{}) }
func (r *restless) Handle(sim.Env, sim.Signal)           { r.Turns, turned = r.Turns+1, turned+1 }

// A graph is drawn of the run as it was recorded: no walks decide again whether it is dead.
func TestGraphJudgesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(line string) string {
		var out, errs bytes.Buffer
		sys := &sim.System{
			Name: "restless", Doc: "It counts.",
			Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:        func(sim.Params, sim.Addr) sim.Node { return &restless{} },
			Properties: []sim.Property{sim.Eventually("rest", func(sim.View[*restless]) bool { return false })},
		}
		tool := &tool{Program: Program{Systems: []*sim.System{sys}}, calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, exit: func(int) { panic("exit") }, getenv: func(string) string { return "" }}
		if status := tool.run(words(line)); errs.Len() > 0 {
			t.Fatalf("%s: status %d, %s", line, status, errs.String())
		}
		return out.String()
	}
	if said := do("search restless --depth 1 --walk-steps 200 --max-walk-steps 200 --no-critical --no-shrink --workers 1 --quiet"); !strings.Contains(said, "verdict     dead") {
		t.Fatal(said)
	}
	found, _ := filepath.Glob("macemc-findings/*/error.path")
	if len(found) != 1 {
		t.Fatalf("found is %s", found)
	}
	turned = 0
	if said := do("graph " + found[0]); !strings.Contains(said, "turn{}") || turned > 5_000 {
		t.Errorf("%d turns were taken for\n%s", turned, said)
	}
}
