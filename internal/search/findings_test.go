package search

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/systems/randtree"
	"macemc/trace"
)

// fragile has two counters. It panics at some values of them, and at others a property fails.
type fragile struct{ A, B int }

type (
	countA struct{}
	countB struct{}
)

func (*fragile) Init(sim.Env)                           {}
func (*fragile) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (f *fragile) Offers(offer func(sim.Signal)) {
	if f.A < 9 {
		offer(countA{})
	}
	if f.B < 9 {
		offer(countB{})
	}
}

func (f *fragile) Handle(_ sim.Env, s sim.Signal) {
	switch s.(type) {
	case countA:
		if f.A++; f.A == 3 && f.B == 0 {
			panic("three of A before any of B")
		}
	case countB:
		if f.B++; f.B == 8 && f.A == 8 {
			panic("eight of both")
		}
	}
}

var fragiles = &sim.System{
	Name: "fragile", Doc: "It counts, and fails.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &fragile{} },
	Properties: []sim.Property{
		sim.Always("not five of B before A", func(v sim.View[*fragile]) bool {
			for _, f := range v.Nodes() {
				return f.B != 5 || f.A > 0
			}
			return true
		}),
		sim.Always("not seven of A and four of B", func(v sim.View[*fragile]) bool {
			for _, f := range v.Nodes() {
				return f.A != 7 || f.B != 4
			}
			return true
		}),
	},
}

// If several findings are wanted, the search goes on after each: after states that violate a
// property, which are not expanded, and after handlers that fail. It reports each kind once, and
// counts the others.
func TestFindings(t *testing.T) {
	for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		told := func(opts Options) (all []string, res *Result) {
			opts.Engine = engine
			res = search(t, fragiles, 0, nil, opts)
			for _, f := range res.Findings {
				all = append(all, fmt.Sprint(f.Verdict, " ", f.Step))
				again, err := Replay(fragiles, throughText(t, f.Path), Options{})
				if err != nil || !again.Reproduced {
					t.Errorf("%s: a %s at step %d is not reproduced: %v", engine, f.Verdict, f.Step, err)
				}
			}
			return all, res
		}
		all, res := told(Options{Findings: 10, Depth: 100, NoWalks: true})
		// The reference engine reaches a state by several events, and reports a finding for each.
		if want := "[panic 3 safety 5 safety 11 panic 16]"; fmt.Sprint(slices.Compact(all)) != want || engine != EngineReference && len(all) != 4 || res.Finding != res.Findings[0] || res.Stop != StopDone {
			t.Errorf("%s: found are %s, and %d alike, stopped: %s; want %s", engine, all, res.Alike, res.Stop, want)
		}
		if all, res = told(Options{Findings: 2, Depth: 100, NoWalks: true}); len(all) != 2 || res.Stop != StopFound {
			t.Errorf("%s: of two that are wanted, found are %s, stopped: %s", engine, all, res.Stop)
		}
		if all, res = told(Options{Findings: 3, Depth: 1, Paths: 3_000}); len(all) != 3 || res.Stop != StopFound {
			t.Errorf("%s: by walks, found are %s, stopped: %s", engine, all, res.Stop)
		}
	}
}

// Several workers report the same findings in the same order as one worker.
func TestFindingsOfSeveral(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal}[:long.Of(1, 2)] {
		one, walks := "", long.Of(1_000, 2_500)
		for _, workers := range []int{1, 3} {
			res := search(t, fragiles, 0, nil, Options{Engine: engine, Findings: 10, Depth: 8, Walks: walks, Workers: workers, team: 1, once: true})
			said := fmt.Sprintf("%+v %+v %d alike, stopped: %s", res.Stats, res.Liveness, res.Alike, res.Stop)
			for _, f := range res.Findings {
				said += fmt.Sprintf("\n%s %q at %d: %v", f.Verdict, f.Property, f.Step, run.Picks(f.Path))
			}
			if one == "" {
				one = said
			}
			if said != one || len(res.Findings) != 5 || res.Stats.Walks != walks {
				t.Errorf("%s, %d workers, %d findings: %s\none: %s", engine, workers, len(res.Findings), said, one)
			}
		}
	}
}

// clumsy soon panics at one place, with any of three events, and at another place only after five
// steps.
type clumsy struct{ Steps, Last int }

type stumble struct{ By int }

func (*clumsy) Init(sim.Env)                           {}
func (*clumsy) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *clumsy) Offers(offer func(sim.Signal)) {
	for _, by := range []int{1, 2, 3, 0} { // 0, the only one that does not panic, comes last
		offer(stumble{by})
	}
}

func (c *clumsy) Handle(_ sim.Env, s sim.Signal) {
	if c.Last = s.(stumble).By; c.Last > 0 {
		panic(fmt.Sprintf("it stumbles by %d", c.Last))
	}
	if c.Steps++; c.Steps == 5 {
		panic("it falls")
	}
}

// A panic at one place is one finding, whichever event caused it, and does not keep the search from
// finding another panic.
func TestFindingsDiffer(t *testing.T) {
	sys := &sim.System{
		Name: "clumsy", Doc: "It stumbles, and falls.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &clumsy{} },
	}
	for _, opts := range []Options{
		{Engine: EngineReference, Depth: 6, NoWalks: true}, {Engine: EngineLocal, Depth: 6, NoWalks: true},
		{Engine: EngineMemo, Depth: 6, NoWalks: true}, {Depth: 1, Walks: 5_000},
	} {
		opts.Findings = 2
		res := search(t, sys, 0, nil, opts)
		var told []string
		for _, f := range res.Findings {
			told = append(told, numberText.ReplaceAllString(f.Message, "0"))
		}
		slices.Sort(told) // the reference engine searches in depth first, and finds them in another order
		if want := []string{"it falls", "it stumbles by 0"}; !slices.Equal(told, want) {
			t.Errorf("%s to depth %d: found are %q", opts.Engine, opts.Depth, told)
		}
	}
}

// No more findings are reported than are wanted. Those of a later phase beyond that number are
// counted as alike.
func TestNoMoreThanWanted(t *testing.T) {
	for wanted := 1; wanted <= 2; wanted++ {
		r, err := newRunner(randtree.System, Options{Findings: wanted})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			f := &Finding{Failure: trace.Failure{Verdict: trace.VerdictSafety, Property: fmt.Sprint("property ", k)}}
			enough, err := r.note(f)
			if err != nil || enough != (k+1 >= wanted) {
				t.Errorf("of %d wanted, after %d: enough is %v, %v", wanted, k+1, enough, err)
			}
		}
		if got, alike := len(r.findings.all), r.findings.alike; got != wanted || alike != 3-wanted {
			t.Errorf("of %d wanted, there are %d, and %d alike", wanted, got, alike)
		}
	}
}

// Two dead findings are alike if their critical events differ only in nodes and contents. If
// neither has a critical event, they are alike whatever their last events are.
func TestDeadFindingsDifferByCriticalEvent(t *testing.T) {
	dead := func(last string, critical *Critical) *Finding {
		return &Finding{Failure: trace.Failure{Verdict: trace.VerdictDead, Property: "live", Identity: last}, Critical: critical}
	}
	crash, other := &Critical{Step: 3, Event: "n0 crash"}, &Critical{Step: 9, Event: "n12 crash"}
	for _, c := range []struct {
		a, b  *Finding
		alike bool
	}{
		{dead("n0 timer tick{}", nil), dead("n1 message x{} from n0 by tcp", nil), true},
		{dead("n0 timer tick{}", crash), dead("n1 message x{} from n0 by tcp", other), true},
		{dead("n0 timer tick{}", crash), dead("n0 timer tick{}", &Critical{Step: 3, Event: "n0 timer tick{}"}), false},
		{dead("n0 timer tick{}", crash), dead("n0 timer tick{}", nil), false},
		{dead("", &Critical{Event: "n0 message x{1} from n1 by tcp"}), dead("", &Critical{Event: "n2 message x{2} from n0 by tcp"}), true},
	} {
		if got := c.a.kind() == c.b.kind(); got != c.alike {
			t.Errorf("%v and %v: alike is %v", c.a.kind(), c.b.kind(), got)
		}
	}
}

// If a walk from a kept state ends in a failure that was found before or is ignored, later walks
// begin at that state less often, and the states that the walk met are not kept.
func TestShun(t *testing.T) {
	met, err := walk.Noted{Met: []walk.NotedState{{Sum: 1, Depth: 5}, {Sum: 2, Depth: 6}}}.Notes()
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRunner(masks(), Options{Ignore: []Ignore{{Cause: "action countB"}}, Walking: WalkWeighted})
	if err != nil {
		t.Fatal(err)
	}
	r.corpus = walk.NewCorpus()
	r.corpus.Add(met)
	s := walk.New(1)
	s.Corpus = r.corpus
	how, known := r.strategy(nil), 0
	for i := range 20 {
		p := how.Plan(i, r.length())
		p.From = 1 + i%2
		before := r.findings.known()
		if _, _, err := r.walk(s, p, false); err != nil {
			t.Fatal(err)
		}
		if r.findings.known() > before {
			known++
		}
	}
	r.keep()
	if used := r.corpus.Kept().States; r.stats.WalksCut == 0 || r.stats.WalksCut != r.findings.ignored || used[0].Chosen+used[1].Chosen != 20+known*shunned {
		t.Errorf("%d of 20 walks came to what is known, %d of these to what is left out, %d are counted; states were used %d and %d times", known, r.findings.ignored, r.stats.WalksCut, used[0].Chosen, used[1].Chosen)
	}
}

// masks is the system fragiles without its second property, so a single event violates what is
// left.
func masks() *sim.System {
	one := *fragiles
	one.Properties = fragiles.Properties[:1]
	return &one
}
