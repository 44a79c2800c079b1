package search

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/trail"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// The steps that a lab takes to examine a finding are counted as steps of the search.
func TestLookingCosts(t *testing.T) {
	if v := new(Result).Verdict(); v != trace.VerdictNone {
		t.Errorf("nothing is found, and the verdict is %s", v)
	}
	lab, of := labOf(t, strays(), Options{Workers: 1})
	lab.Close()
	r, err := newRunner(strays(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var taken int
	if _, err := r.looked((&Finding{Path: of.Path}).take, 1_000_000, func(l *Lab, of *Case, _ *decide.Finder) (*Finding, error) {
		before := l.Effort()
		_, err := l.Walk(of, Walks{From: 2, Count: 5, Steps: 20, All: true})
		taken = l.Effort() - before
		return nil, err
	}); err != nil || taken < 20 || r.now().Steps < taken || r.stats.Steps > taken+2*of.Steps() {
		t.Errorf("%v: %d steps were taken in a look, and %d counted", err, taken, r.now().Steps)
	}
}

// moody takes its state from a variable of the package, so it is not deterministic.
type moody struct{ Mood int }

var moods int

func (*moody) Init(env sim.Env)                       { env.Post(goTo("")) }
func (*moody) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *moody) Handle(sim.Env, sim.Signal) {
	moods++
	n.Mood = moods
}

// The finding of a step that is not deterministic lists its outcomes, and names the cause.
func TestNondeterminismNamesItsOutcomes(t *testing.T) {
	res, err := Search(&sim.System{
		Name: "moody", Doc: "It has moods.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &moody{} },
	}, Options{Depth: 3, Workers: 1})
	if err != nil || res.Verdict() != trace.VerdictNondeterminism {
		t.Fatal(err, res.Verdict())
	}
	f := res.Finding
	if len(f.Outcomes) < 2 || !strings.Contains(f.Message, "it counts from run to run") {
		t.Errorf("it is told with %d outcomes: %s", len(f.Outcomes), f.Message)
	}
}

// Alone reports the run that killed a process before it takes the last step, with the header
// that a replay needs.
func TestAloneReportsFirst(t *testing.T) {
	lab, of := labOf(t, strays(), Options{Workers: 1})
	lab.Close()
	told := 0
	if err := Alone(strays(), Options{Seed: 7}, trail.Run{Picks: run.Picks(of.Path), Heal: -1}, func(f *Finding) {
		told++
		name, _ := f.Path.Get("system")
		seed, _ := f.Path.Get("seed")
		if f.Verdict != trace.VerdictKilled || f.Step != 2 || name != "stray" || seed != "7" {
			t.Errorf("told is %s after %d steps of %q by seed %q", f.Verdict, f.Step, name, seed)
		}
	}); err != nil || told != 1 {
		t.Errorf("%v: it was told %d times", err, told)
	}
}

// Retake takes all steps of a recorded run, including the one in which the environment heals.
func TestRetakeHeals(t *testing.T) {
	sys := membership(true)
	w, err := world.New(sys, sim.Params{}, world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	record := choose.NewRecord(choose.NewFixed())
	if f := w.Protect(func() {
		w.Start(record)
		w.Step(record)
		w.Heal(record)
		w.Step(record)
	}); f != nil || w.Run.Steps() != 3 {
		t.Fatal(f, w.Run.Steps())
	}
	path := record.Path()
	path.Header = Describe(sys, w.Params())
	path.Add("faults", "crash=1")
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictDead.String())
	before, after := 0, 0
	if err := Retake(sys, path, func() { before++ }, func() bool { after++; return true }); err != nil || before < 3 || after != 4 {
		t.Errorf("%v: told %d times before, and %d times after a step or the starts", err, before, after)
	}
}

// Walks go on until Least.WalkSteps were taken. The progress never reports more walks than are
// planned, and the audited share does not depend on the number of workers.
func TestWalksGoOn(t *testing.T) {
	steps := long.Of(100_000, 250_000)
	var alone run.Share
	for _, workers := range []int{1, 3} {
		told := 0
		opts := Options{
			Workers: workers, Depth: 2, EvidenceWalks: 5, Paths: 5, WalkSteps: 40, MaxWalkSteps: 40, Least: Least{WalkSteps: steps},
			Progress: func(p Progress) {
				if told = max(told, p.Steps); p.Phase == PhaseWalks && p.Done > p.Of {
					t.Errorf("%d workers: %d walks of %d are told", workers, p.Done, p.Of)
				}
			},
		}
		r, err := newRunner(membership(true), opts)
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.search()
		if err != nil || res.Finding != nil || res.Stats.WalkSteps < steps {
			t.Fatalf("%d workers: %v, %+v", workers, err, res.Stats)
		}
		if told < steps/2 || told > res.Stats.Steps+1_000 {
			t.Errorf("%d workers: of %d steps %d are told", workers, res.Stats.Steps, told)
		}
		if workers == 1 {
			alone = r.share
		} else if r.share != alone {
			t.Errorf("%d workers: audited were %+v, by one %+v", workers, r.share, alone)
		}
	}
}

// A search that falls back to the reference engine says why. Its counts are those of a search with
// that engine.
func TestUncopiedIsTold(t *testing.T) {
	n := 0
	sys := loneSystem(func() { n++ })
	res, err := Search(sys, Options{Depth: 4, NoWalks: true, Workers: 1})
	if err != nil || !strings.Contains(res.Stats.Uncopied, "has variables") || res.Stats.Engine != string(EngineReference) {
		t.Errorf("%v: %+v", err, res.Stats)
	}
	again, err := Search(sys, Options{Depth: 4, NoWalks: true, Workers: 1, Engine: EngineReference})
	if again.Stats.Uncopied = res.Stats.Uncopied; err != nil || again.Stats != res.Stats {
		t.Errorf("%v: by the reference engine alone %+v, else %+v", err, again.Stats, res.Stats)
	}
	for _, how := range []Reduce{ReduceStubborn, reduceSleep} {
		if _, err := Search(sys, Options{Depth: 4, Reduce: how}); err == nil || !strings.Contains(err.Error(), "since nodes cannot be copied") {
			t.Errorf("%s: the error is %v", how, err)
		}
	}
	res, err = Search(sys, Options{Depth: 4, NoWalks: true, Reduce: ReduceAuto})
	if err != nil || !strings.Contains(res.Stats.Unreduced, "nodes cannot be copied") {
		t.Errorf("auto: %v, %q", err, res.Stats.Unreduced)
	}
}
