package world

import (
	"testing"

	"macemc/internal/state"
	"macemc/sim"
	"macemc/trace"
)

// fuse is a node whose timer panics after it has set Burnt.
type fuse struct{ Burnt bool }

type spark struct{}

func (*fuse) Init(env sim.Env)                       { env.After(1, spark{}) }
func (*fuse) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (f *fuse) Handle(sim.Env, sim.Signal)           { f.Burnt = true; panic("burnt") }

// TestLoadAfterFailure checks that a state which is loaded again after a failed step from it is the same
// as before: the event of that step is possible, and the changes of the handler are gone.
func TestLoadAfterFailure(t *testing.T) {
	w, err := New(&sim.System{
		Name: "fuse", Doc: "A node that burns.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &fuse{} },
	}, sim.Params{Nodes: 2}, Config{Sprint: true})
	if err != nil {
		t.Fatal(err)
	}
	bank, at := w.State.NewBank(), Vector(nil)
	for range 3 { // the third time the bank has the nodes already, and their twins, and takes none
		w.Protect(func() {
			w.Start(&scripted{})
			at = make(Vector, bank.Places())
			w.State.Save(bank, at)
		})
	}
	hash, state := w.State.Hash(), tellState(w)
	for range 2 {
		if f := w.Protect(func() { w.State.Resume(bank, at, 0); w.Step(&scripted{[]int{0}}) }); f == nil || f.Verdict != trace.VerdictPanic {
			t.Fatalf("the step fails with %+v", f)
		}
		w.Protect(func() { w.State.Resume(bank, at, 0) })
		if again := tellState(w); again != state || w.State.Hash() != hash {
			t.Errorf("after a step that failed it is %s\nbefore, %s", again, state)
		}
	}
}

// TestPanicInCrash checks that a panic in System.Crash is reported for the step in which the node crashed,
// not for the step before.
func TestPanicInCrash(t *testing.T) {
	w, err := New(&sim.System{
		Name: "fuse", Doc: "A node that cannot be replaced.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &fuse{} },
		Crash:  func(sim.Params, sim.Addr, sim.Node) sim.Node { panic("gone") },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return nil },
	}, sim.Params{Nodes: 2}, Config{Trace: true, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() {
		w.Start(&scripted{})
		w.Step(&scripted{[]int{w.Events.Count() - 1}})
	})
	steps := w.Run.Trace().Steps
	if f == nil || f.Identity != "n1 crash" || f.Node != state.AddrOf(1) || len(steps) != 1 || !steps[0].Cut || steps[0].Event.Kind != sim.KindCrash || steps[0].Node != state.AddrOf(1) {
		t.Errorf("told as %+v, with the steps %+v", f, steps)
	}
}
