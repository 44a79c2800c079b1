package search_test

import (
	"slices"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/peterson"
	"macemc/trace"
)

// The shortest run to a failure that is found from the start of a long one is as short as that of the exhaustive phase.
// With a limit, no more states are visited, and nothing is said about shorter runs.
func TestNearestIsTheShortest(t *testing.T) {
	for _, c := range []struct {
		sys *sim.System
		bug sim.BugID
	}{{peterson.System, peterson.PE1}, {brokentree.System, brokentree.BT2}} {
		params, err := c.sys.Configure(0, nil, []string{string(c.bug)})
		if err != nil {
			t.Fatal(err)
		}
		shortest, err := search.Search(c.sys, search.Options{Params: params, Workers: 1})
		if err != nil || shortest.Finding == nil {
			t.Fatal(c.bug, err)
		}
		walked, err := search.Search(c.sys, search.Options{Params: params, Depth: 1, Workers: 1})
		if err != nil || walked.Finding == nil {
			t.Fatal(c.bug, err)
		}
		f, want := walked.Finding, len(shortest.Finding.Path.Steps)
		lab, err := walked.Open(f.Path, search.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer lab.Close()
		of, err := lab.Take(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		same := func(failure *trace.Failure) bool { return failure.Property == f.Property }
		short, whole, err := lab.Nearest(of, 0, 1_000_000, same)
		if err != nil || short == nil || whole || short.Steps() != want || short.Failure.Step != want {
			t.Fatalf("%s: of %d steps, the shortest run is %+v, %v, %v; want %d steps", c.bug, of.Steps(), short, whole, err, want)
		}
		if none, whole, err := lab.Nearest(short, 0, 1_000_000, same); none != nil || !whole || err != nil {
			t.Errorf("%s: a run shorter than the shortest: %+v, %v, %v", c.bug, none, whole, err)
		}
		const few, slack = 100, 60 // of the state that is expanded last
		before := lab.Effort()
		if none, whole, err := lab.Nearest(of, 0, few, same); none != nil || whole || err != nil || lab.Effort()-before > few+slack {
			t.Errorf("%s: by at most %d states, for an effort of %d: %+v, %v, %v", c.bug, few, lab.Effort()-before, none, whole, err)
		}
	}
}

// pacer has two timers.
type pacer struct{ Slow, Quick int }

type (
	slow  struct{}
	quick struct{}
)

func (*pacer) Init(env sim.Env) {
	env.After(time.Second, slow{})
	env.After(time.Second, quick{})
}

func (*pacer) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (p *pacer) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case slow:
		p.Slow++
	case quick:
		p.Quick++
	}
	env.After(time.Second, s)
}

// Only events of the forms that the run has are taken: neither the other timer nor a crash, by which there would be shorter
// runs. With them in the run, the shorter one is found.
func TestNearestKeepsToForms(t *testing.T) {
	sys := &sim.System{
		Name: "pacers", Doc: "A node has two timers.",
		Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:       func(sim.Params, sim.Addr) sim.Node { return new(pacer) },
		Tolerates: sim.Faults{Crash: 1},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*pacer]) bool {
			for _, p := range v.Nodes() {
				if p.Slow == 5 || p.Quick == 2 || p.Slow == 2 && v.Len() < 2 {
					return false
				}
			}
			return true
		})},
	}
	any := func(*trace.Failure) bool { return true }
	for _, c := range []struct {
		run  []string
		left int // 0 for none
	}{
		{slices.Repeat([]string{"n0 timer slow{}"}, 5), 0},
		{[]string{"n0 timer slow{}", "n0 timer quick{}", "n0 timer slow{}", "n0 timer slow{}", "n0 timer slow{}", "n0 timer slow{}"}, 2},
		{[]string{"n1 crash", "n1 restart", "n0 timer slow{}", "n0 timer slow{}", "n0 timer slow{}", "n0 timer slow{}", "n0 timer slow{}"}, 3},
	} {
		w, err := world.New(sys, sim.Params{}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var steps []choose.Step
		for _, what := range c.run {
			steps = append(steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}})
		}
		record := choose.NewRecord(choose.NewFollow(nil, steps))
		w.Environ.Allow(sys.Tolerates, nil)
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
		path := record.Path()
		path.Header = search.Describe(sys, w.Params())
		path.Add("faults", "crash=1")
		path.Add("seed", "1")
		lab, err := search.NewLab(sys, path, search.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer lab.Close()
		of, err := lab.Take(path)
		if err != nil || of.Steps() != len(c.run) || of.Failure == nil {
			t.Fatalf("%v: %v, %+v", c.run, err, of)
		}
		short, whole, err := lab.Nearest(of, 0, 10_000, any)
		if err != nil || whole != (c.left == 0) || short == nil != (c.left == 0) || short != nil && short.Steps() != c.left {
			t.Errorf("%v: %+v, %v, %v; want %d steps", c.run, short, whole, err, c.left)
		}
	}
}
