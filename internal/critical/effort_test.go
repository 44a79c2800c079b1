package critical_test

import (
	"testing"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// clocks count without end, so their space cannot be exhausted. Their liveness property never holds.
type clocks struct{ Ticks int }

func (*clocks) Init(env sim.Env)                       { env.After(1, toll{}) }
func (*clocks) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *clocks) Handle(env sim.Env, _ sim.Signal) {
	c.Ticks++
	env.After(1, toll{})
}

type toll struct{}

// TestDeadFromTheStartIsWithinTheEffort: deciding by walks that a run was dead from its start costs a little
// more than the longest walks. The default effort, reduced in proportion to the length of walks here, is
// enough for that. If the effort is too small, the critical step that the search has reported is kept.
func TestDeadFromTheStartIsWithinTheEffort(t *testing.T) {
	sys := &sim.System{
		Name: "clocks", Doc: "Clocks that are never right.",
		New:        func(sim.Params, sim.Addr) sim.Node { return &clocks{} },
		Properties: []sim.Property{sim.Eventually("right", func(sim.View[*clocks]) bool { return false })},
	}
	bounds := search.Options{Depth: 2, WalkSteps: 200, MaxWalkSteps: 1_600, Workers: 1}
	res, err := search.Search(sys, bounds)
	if err != nil {
		t.Fatal(err)
	}
	opts := critical.Options{Exhaust: -1, NoLive: true, Effort: 20_000_000 / 10_000 * 200, Search: bounds}
	if f := find(t, sys, res.Finding, opts); f.Critical.Step != 0 || f.Critical.Exact || f.Evidence.Longest != 1_600 {
		t.Errorf("critical is %+v, evidence %+v", f.Critical, f.Evidence)
	}
	opts.Effort = 100
	r, err := critical.Find(sys, res.Finding, opts)
	if err != nil || !r.Stopped || r.Finding.Critical == nil || res.Finding.Critical == nil {
		t.Errorf("%v; of %+v, %+v is left, stopped %v", err, res.Finding.Critical, r.Finding.Critical, r.Stopped)
	}
}

// TestTriesAreTakenOnce: shrinking takes each candidate once, and evaluates the safety properties once in each
// of its states.
func TestTriesAreTakenOnce(t *testing.T) {
	asked := 0
	sys := ring()
	sys.Properties = []sim.Property{sim.Always("two in a bad mood are never without the token", func(v sim.View[*ringer]) bool {
		asked++
		bad := 0
		for _, r := range v.Nodes() {
			if r.Mood == 6 && !r.Holds {
				bad++
			}
		}
		return bad < 2
	})}
	f := violating(t, sys, 200)
	asked = 0
	const effort = 6_000 // of which two thirds are for tries
	r, err := critical.Shrink(sys, f, critical.Options{Effort: effort, Search: search.Options{Workers: 1}})
	if err != nil || !r.Stopped {
		t.Fatal(err, r)
	}
	if n := len(r.Finding.Path.Steps); n >= len(f.Path.Steps) || asked > effort {
		t.Errorf("of %d steps %d are left, and %d states were looked at for an effort of %d", len(f.Path.Steps), n, asked, effort)
	}
	r, err = critical.Explain(sys, f, critical.Options{Effort: effort, Search: search.Options{Workers: 1}}, true)
	if err != nil || !r.Stopped || r.Finding.EndedAt < effort/2 || r.Finding.EndedAt > 2*effort {
		t.Errorf("%v: it ended after %d of %d, and the finding says %d", err, r.Effort, effort, r.Finding.EndedAt)
	}
}

// violating returns a walk of at least the given number of steps that violates safety.
func violating(t *testing.T, sys *sim.System, least int) *search.Finding {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); ; seed++ {
		record := choose.NewRecord(choose.NewWalk(seed))
		w.Start(record)
		for w.Judge.Check() == nil && w.Step(record) == world.Stepped {
		}
		failure := w.Run.Failed()
		if failure == nil || w.Run.Steps() < least {
			continue
		}
		path := record.Path()
		path.Header = search.Describe(sys, w.Params())
		path.Add("seed", "1")
		path.Add("verdict", failure.Verdict.String())
		return &search.Finding{Failure: *failure, Path: path}
	}
}

// Locating the critical steps of a search's findings may cost as much as the search, and making the runs shorter may
// cost as much again. The effort of deciding about suspects before is added.
func TestEffortForASearch(t *testing.T) {
	r := &search.Result{Stats: search.Stats{Steps: 3_000_000, Judging: 1_000_000}, Findings: make([]*search.Finding, 2)}
	if o := (critical.Options{}).For(r); o.Effort != 2_500_000 || o.Spent != 500_000 || o.From != r {
		t.Errorf("after a search of two million steps with two findings, the effort for each is %d, of which %d is spent", o.Effort, o.Spent)
	}
}
