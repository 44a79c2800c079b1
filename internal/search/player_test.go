package search

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/stopwait"
	"macemc/trace"
)

// TestPlayerJudges: if a player takes the run of a finding, it meets the same verdict about the same
// property in the same step. It meets it again if it goes back one step and takes the step again.
func TestPlayerJudges(t *testing.T) {
	params, err := stopwait.System.Configure(0, nil, []string{string(stopwait.System.Bugs[0].ID)})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Search(stopwait.System, Options{Params: params})
	if err != nil || found.Finding == nil {
		t.Fatal("nothing was found", err)
	}
	path := found.Finding.Path
	p, err := NewPlayer(stopwait.System, path)
	if err != nil {
		t.Fatal(err)
	}
	src := choose.NewReplay(path)
	if _, failure := p.Start(src); failure != nil {
		t.Fatal(failure.Message)
	}
	var before *world.Snapshot
	for i := range path.Steps {
		before = p.Snapshot()
		progress, failure := p.Step(src)
		if last := i == len(path.Steps)-1; (failure != nil) != last {
			t.Fatalf("step %d: %v, failure %v", i+1, progress, failure)
		} else if last && (failure.Verdict != found.Finding.Verdict || failure.Property != found.Finding.Property) {
			t.Errorf("the player says %s %q, the search %s %q", failure.Verdict, failure.Property, found.Finding.Verdict, found.Finding.Property)
		}
	}
	p.Restore(before)
	if p.World().State.Hash() != before.Hash() {
		t.Error("the state that was kept is another after going back")
	}
	last := path.Steps[len(path.Steps)-1]
	again := &choose.Path{Steps: []choose.Step{last}}
	if _, failure := p.Step(choose.NewReplay(again)); failure == nil {
		t.Error("the step does not fail when it is taken again")
	}
}

// TestPlayerJudgesSteps: a player evaluates properties of steps with the states before and after.
func TestPlayerJudgesSteps(t *testing.T) {
	sys := *stopwait.System
	sys.Properties = append(sys.Properties[:len(sys.Properties):len(sys.Properties)],
		sim.Steps("nothing is ever sent", func(before, after sim.View[sim.Node]) bool { return after.InFlight() <= before.InFlight() }))
	params, _ := sys.Configure(0, nil, nil)
	params.Nodes = 2
	p, err := NewPlayer(&sys, &choose.Path{Header: Describe(&sys, params)})
	if err != nil {
		t.Fatal(err)
	}
	if _, failure := p.Start(choose.NewWalk(1)); failure != nil {
		t.Fatal(failure.Message)
	}
	if _, failure := p.Step(choose.NewWalk(1)); failure == nil || failure.Property != "nothing is ever sent" {
		t.Errorf("the step is not judged: %v", failure)
	}
}

// A bare player evaluates no property, not even one that every step violates.
func TestPlayerWatches(t *testing.T) {
	sys := *stopwait.System
	sys.Properties = append(sys.Properties[:len(sys.Properties):len(sys.Properties)],
		sim.Steps("nothing ever happens", func(_, _ sim.View[sim.Node]) bool { return false }))
	params, _ := sys.Configure(0, nil, nil)
	p, err := NewPlayer(&sys, &choose.Path{Header: Describe(&sys, params)})
	if err != nil {
		t.Fatal(err)
	}
	p.bare = true
	src := choose.NewWalk(1)
	p.Start(src)
	if progress, failure := p.Step(src); progress != world.Stepped || failure != nil {
		t.Errorf("%v, %+v", progress, failure)
	}
}

// TestPlayerAudits: a player audits every step of a short run, even if the header of the path records
// no verdict that needs audits.
func TestPlayerAudits(t *testing.T) {
	sys := climbing(nil)
	sys.Properties[0] = sim.Always("small", func(v climbers) bool {
		for _, c := range v.Nodes() {
			if c.N > 2 {
				c.N = 0
			}
		}
		return true
	})
	found, err := Search(sys, Options{})
	if err != nil || found.Finding == nil || found.Finding.Verdict != trace.VerdictMutation {
		t.Fatal(err, found)
	}
	path := *found.Finding.Path
	path.Header = slices.Clone(path.Header)
	path.Unset("verdict")
	p, err := NewPlayer(sys, &path)
	if err != nil {
		t.Fatal(err)
	}
	src := choose.NewReplay(&path)
	_, failure := p.Start(src)
	for failure == nil && !src.Done() {
		_, failure = p.Step(src)
	}
	if failure == nil || failure.Verdict != trace.VerdictMutation {
		t.Errorf("the player met %+v", failure)
	}
}

// A player returns a handler's failure to the caller, which survives it.
func TestPlayerSurvives(t *testing.T) {
	for want, work := range map[string]func(*climber, sim.Env){
		"the handler ended its goroutine": func(*climber, sim.Env) { runtime.Goexit() },
		"boo":                             func(*climber, sim.Env) { panic("boo") },
		"called Env 100000 times": func(_ *climber, env sim.Env) {
			for {
				env.Peers()
			}
		},
	} {
		sys := climbing(nil)
		sys.New = working(work)
		found, err := Search(sys, Options{})
		if err != nil || found.Finding == nil {
			t.Fatal("nothing was found", err)
		}
		p, err := NewPlayer(sys, found.Finding.Path)
		if err != nil {
			t.Fatal(err)
		}
		src := choose.NewReplay(found.Finding.Path)
		_, failure := p.Start(src)
		for failure == nil && !src.Done() {
			_, failure = p.Step(src)
		}
		if failure == nil || !strings.Contains(failure.Message, want) {
			t.Errorf("the player met %+v, and not %q", failure, want)
		}
	}
}

// A step in which the source refuses an answer is not taken, and the player says why.
func TestPlayerRefused(t *testing.T) {
	_, of := labOf(t, strays(), Options{Workers: 1})
	of.Path.Header = Describe(strays(), sim.Params{})
	p, err := NewPlayer(strays(), of.Path)
	if err != nil {
		t.Fatal(err)
	}
	src := choose.NewRaw([]choose.Pick{{Of: 5, Pick: 3}}) // what comes to a coin, whose answer is missing
	if _, failure := p.Start(src); failure != nil {
		t.Fatal(failure)
	}
	if progress, failure := p.Step(src); progress != world.Stopped || failure != nil || p.Err() == nil {
		t.Errorf("%v, %v, %v", progress, failure, p.Err())
	}
}
