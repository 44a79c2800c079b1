package finding

import (
	"strings"
	"testing"

	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/sim"
)

// rogue is a service with a bug for each verdict. With a bug switched on, it fails in one step with that
// verdict.
type (
	rogue struct {
		peer sim.Addr
		all  map[string]bool
		note []int
		sent bool
		done bool
	}
	act   struct{}
	noted struct{ list []int }
)

func (r *rogue) Init(sim.Env) {}

func (r *rogue) Handle(env sim.Env, s sim.Signal) {
	r.done = env.Bug("safety")
	switch {
	case env.Bug("panic"):
		panic("it is done")
	case env.Bug("divergence"):
		for {
			env.Self()
		}
	case env.Bug("mutation"):
		if r.sent {
			r.note[0]++
			return
		}
		r.sent = true
		env.TCP().Send(r.peer, noted{r.note})
		env.Post(act{})
	case env.Bug("goroutine"):
		go func() { select {} }()
	case env.Bug("nondeterminism"):
		for word := range r.all {
			env.Logf("%s", word)
			env.TCP().Send(r.peer, word)
		}
	}
}

func (r *rogue) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {}

var rogues = &sim.System{
	Name: "rogue", Doc: "A service that misbehaves. Each bug is of another kind.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	Bugs: []sim.Bug{
		{ID: "panic", Story: "It panics. In a handler."}, {ID: "divergence", Story: "It does not return. It asks for ever."},
		{ID: "mutation", Story: "It changes a message. It was sent before."}, {ID: "goroutine", Story: "It starts a goroutine. It never ends."},
		{ID: "nondeterminism", Story: "It ranges over a map. It sends what it finds."}, {ID: "safety", Story: "It does what it must not. At once."},
	},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		all := map[string]bool{}
		for _, word := range strings.Fields("one two three four five six seven eight nine ten") {
			all[word] = true
		}
		return &rogue{peer: p.Addr(1), all: all, note: []int{1}}
	},
	Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
		if self == p.Addr(0) {
			return []sim.Signal{act{}}
		}
		return nil
	},
	Properties: []sim.Property{sim.Always("nothing is done", func(v sim.View[*rogue]) bool {
		for _, r := range v.Nodes() {
			if r.done {
				return false
			}
		}
		return true
	})},
}

// TestEveryVerdict: for a finding of each verdict, all files of the folder are written, and agree with the
// finding.
func TestEveryVerdict(t *testing.T) {
	schema := traceSchema(t)
	for _, b := range rogues.Bugs {
		verdict := string(b.ID)
		r := found(t, rogues, search.Options{NoWalks: true, Depth: 3}, verdict)
		if r.Verdict().String() != verdict {
			t.Errorf("%s: found is %s", verdict, r.Verdict())
			continue
		}
		c, err := critical.Explain(rogues, r.Finding, critical.Options{}, true)
		if err != nil {
			t.Fatalf("%s: %v", verdict, err)
		}
		r.Finding, r.Findings = c.Finding, []*search.Finding{c.Finding}
		files := written(t, r)
		report := files["report.md"]
		for _, part := range []string{"# rogue with " + verdict + ": ", "**Promised:** ", "**Violated:** ", "## The search", "macemc replay "} {
			if !strings.Contains(report, part) {
				t.Errorf("%s: the report does not say %q:\n%s", verdict, part, report)
			}
		}
		if strings.Contains(report, "\t/") {
			t.Errorf("%s: the report names files from the root of this machine:\n%s", verdict, report)
		}
		if strings.Contains(report, "Evidence: .") || strings.Contains(report, "in ``") {
			t.Errorf("%s: something is empty:\n%s", verdict, report)
		}
		for _, name := range []string{"error.path", "trace.jsonl", "graph.txt", "graph.svg", "graph.html"} {
			if files[name] == "" {
				t.Errorf("%s: there is no %s", verdict, name)
			}
		}
		for line := range strings.Lines(files["trace.jsonl"]) {
			validLine(t, schema, verdict, line)
		}
		if has := strings.Contains(report, "## The stack"); has != (verdict == "panic" || verdict == "goroutine") {
			t.Errorf("%s: a stack: %t:\n%s", verdict, has, report)
		}
		if has := strings.Contains(report, "## What came of it"); has != (verdict == "nondeterminism") {
			t.Errorf("%s: outcomes: %t:\n%s", verdict, has, report)
		}
	}
}
