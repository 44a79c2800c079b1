package search

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/trace"
)

// ager ages by one at each of its steps, up to its last year, or to 20,000.
type ager struct {
	Age    int
	Broken bool
	last   int `mc:"-"` // the age at which it rests; 0 means never
}

type year struct{}

func (*ager) Init(sim.Env)                           {}
func (*ager) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (a *ager) Handle(sim.Env, sim.Signal)           { a.Age = min(a.Age+1, 20_000) }
func (a *ager) Offers(offer func(sim.Signal)) {
	if a.last == 0 || a.Age < a.last {
		offer(year{})
	}
}

// aging returns a system of one ager, with a safety property and a liveness property if these are
// not nil. An ager that crashes at the age frail or later is broken.
func aging(last, frail int, always, eventually func(*ager) bool) *sim.System {
	one := func(holds func(*ager) bool) func(sim.View[*ager]) bool {
		return func(v sim.View[*ager]) bool {
			for _, a := range v.Nodes() {
				return holds(a)
			}
			return true
		}
	}
	sys := &sim.System{
		Name: "aging", Doc: "A node that ages.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &ager{last: last} },
		Crash: func(_ sim.Params, _ sim.Addr, dead sim.Node) sim.Node {
			a := dead.(*ager)
			return &ager{Age: a.Age, last: last, Broken: a.Broken || a.Age >= frail}
		},
	}
	if always != nil {
		sys.Properties = append(sys.Properties, sim.Always("it is well", one(always)))
	}
	if eventually != nil {
		sys.Properties = append(sys.Properties, sim.Eventually("it is well again", one(eventually)))
	}
	return sys
}

// A walk goes on for Options.WalkLeast steps even if it is live.
func TestWalkLeast(t *testing.T) {
	young := func(a *ager) bool { return a.Age < 3_000 }
	never := func(*ager) bool { return true }
	week := func(days int) func(*ager) bool { return func(a *ager) bool { return a.Age%7 < days } }
	fair, paths := sim.Faults{}, long.Of(6, 20)
	child := aging(0, 0, young, func(*ager) bool { return false })
	child.Assume = sim.While("it is a child", func(v sim.View[*ager]) bool {
		for _, a := range v.Nodes() {
			return a.Age < 10
		}
		return true
	})
	for _, c := range []struct {
		name  string
		sys   *sim.System
		opts  Options
		found trace.Verdict
		from  int // the least steps of the run that is found, and the most
		to    int
	}{
		{"violated late, as by default", aging(0, 0, young, never), Options{}, trace.VerdictNone, 0, 0},
		{"violated late", aging(0, 0, young, never), Options{WalkLeast: 3_000}, trace.VerdictSafety, 3_000, 3_000},
		{"violated a step later", aging(0, 0, young, never), Options{WalkLeast: 2_999}, trace.VerdictNone, 0, 0},
		{"violated late, no liveness", aging(0, 0, young, nil), Options{WalkLeast: 3_000}, trace.VerdictSafety, 3_000, 3_000},
		{"violated late, short walks", aging(0, 0, young, never), Options{WalkLeast: 3_000, WalkSteps: 20}, trace.VerdictSafety, 3_000, 3_000},

		{"violated late, where liveness does not count", child, Options{WalkLeast: 3_000, WalkSteps: 20}, trace.VerdictSafety, 3_000, 3_000},

		{"not live for good, later than walks go by default", aging(6_000, 0, nil, young), Options{}, trace.VerdictNone, 0, 0},
		{"not live for good", aging(6_000, 0, nil, young), Options{WalkLeast: 100_000}, trace.VerdictDead, 3_000, 6_000},
		{"not live for good, and not at rest", aging(0, 0, nil, young), Options{WalkLeast: 100_000, WalkSteps: 500}, trace.VerdictDead, 3_000, 5_000},
		{"not live at the last step", aging(0, 0, nil, young), Options{WalkLeast: 3_000, WalkSteps: 500}, trace.VerdictDead, 3_000, 3_500},

		{"live now and then", aging(0, 0, nil, week(1)), Options{WalkLeast: 5_000, WalkSteps: 40}, trace.VerdictNone, 0, 0},
	} {
		if !*long.On && (c.name == "violated late, short walks" || c.name == "not live for good" || c.name == "not live for good, and not at rest" || c.name == "live now and then") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.opts.Depth, c.opts.Paths, c.opts.Faults, c.opts.Workers = 1, paths, &fair, 1
			c.opts.ExplainEffort = long.Of(1_000, 0)
			c.opts.EvidenceWalks, c.opts.Walking = 2, WalkWeighted // others take some steps more before they are judged
			res := search(t, c.sys, 0, nil, c.opts)
			if res.Verdict() != c.found {
				t.Fatalf("found is a %s, should be a %s: %+v", res.Verdict(), c.found, res.Finding)
			}
			if c.found == trace.VerdictNone {
				if least := max(c.opts.WalkLeast, walk.Least); res.Stats.Walks != paths || res.Stats.Suspects > 0 || res.Stats.Steps < paths*least {
					t.Errorf("%d walks of %d steps, %d suspects", res.Stats.Walks, res.Stats.Steps, res.Stats.Suspects)
				}
				return
			}
			run := res.Finding.Path
			if res.Finding.Found != nil {
				run = res.Finding.Found
			}
			if n := len(run.Steps); n < c.from || n > c.to {
				t.Errorf("found is a run of %d steps, should be %d to %d", n, c.from, c.to)
			}
			replayed(t, c.sys, res.Finding, false)
		})
	}
}

// A walk that is not live for too long, but can become live, is a false alarm. Walks after it may
// take more steps without being suspected.
func TestWalkLeastAlarms(t *testing.T) {
	fair := sim.Faults{}
	summers := aging(0, 0, nil, func(a *ager) bool { return a.Age%1_000 < 500 })
	res := search(t, summers, 0, nil, Options{Depth: 1, Paths: 10, WalkLeast: 5_000, WalkSteps: 300, EvidenceWalks: 2, Conditions: sim.Conditions{Faults: &fair}, Workers: 1})
	if res.Finding != nil || res.Stats.Suspects == 0 || res.Stats.Walks != 10 || res.Liveness.WalkSteps < 600 {
		t.Errorf("found is %+v; %d suspects, %d walks, suspected after %d steps", res.Finding, res.Stats.Suspects, res.Stats.Walks, res.Liveness.WalkSteps)
	}
}

// If walks go on while they are live, some storms of faults begin late, even if nothing but faults
// can happen by then. Guided walks always have late storms.
func TestLateStorms(t *testing.T) {
	faults := sim.Faults{Crash: 1}
	healthy := func(a *ager) bool { return !a.Broken }
	explain := long.Of(1_000, 0)
	for _, c := range []struct {
		name  string
		sys   *sim.System
		least int
		found bool
	}{
		{"by default", aging(0, 1_000, nil, healthy), 0, false},
		{"late", aging(0, 1_000, nil, healthy), long.Of(5_000, 10_000), true},
		{"at rest, by default", aging(300, 300, nil, healthy), 0, false},
		{"at rest", aging(300, 300, nil, healthy), long.Of(5_000, 10_000), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := search(t, c.sys, 0, nil, Options{Depth: 1, Paths: long.Of(8, 100), Conditions: sim.Conditions{Faults: &faults}, WalkLeast: c.least, EvidenceWalks: 5, Walking: WalkWeighted, ExplainEffort: explain})
			f := res.Finding
			if (f != nil) != c.found {
				t.Fatalf("found is %+v", f)
			}
			if f == nil {
				return
			}
			if f.Verdict != trace.VerdictDead {
				t.Errorf("found is a %s", f.Verdict)
			}
			replayed(t, c.sys, f, false)
		})
	}
}
