package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/spec"
	"macemc/sim"
	"macemc/systems/peterson"
	"macemc/systems/storage"
	"macemc/systems/twophase"
	"macemc/trace"
)

// TestFingerprints: a search that keeps fingerprints visits the same states as one that keeps vectors.
// It samples liveness, and reports the probability of a collision.
func TestFingerprints(t *testing.T) {
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		for _, bits := range []int{0, 32, 64} {
			res := search(t, twophase.System, 0, []string{"rms=4"}, Options{Engine: engine, Visited: VisitedFingerprint, HashBits: bits, Effort: 1 << 40, Paths: 10})
			s := res.Stats
			if s.States != 1_568 || s.Transitions != 8_257 || res.Safety.State != StateExhausted {
				t.Errorf("%s, %d bits: %d states, %d transitions, safety %s", engine, bits, s.States, s.Transitions, res.Safety.State)
			}
			if res.Liveness.State != StateSampled || res.Liveness.Bottoms != bottomsMost {
				t.Errorf("%s, %d bits: liveness %s, %d walks from the bottom", engine, bits, res.Liveness.State, res.Liveness.Bottoms)
			}
			if low, high := 1e-14, 1e-12; bits == 32 && (s.Collision < 1e-4 || s.Collision > 1e-3) || bits != 32 && (s.Collision < low || s.Collision > high) {
				t.Errorf("%s, %d bits: the risk is %g", engine, bits, s.Collision)
			}
		}
	}
	res := search(t, twophase.System, 0, []string{"rms=4"}, Options{Effort: 1 << 40, NoWalks: true})
	if res.Stats.Collision != 0 || res.Liveness.State != StateExhausted {
		t.Errorf("where states are compared in full, the risk is %g, and liveness %s", res.Stats.Collision, res.Liveness.State)
	}
}

// The parts of expanded states are freed if fingerprints are kept and all steps are taken in the world. The
// search visits the same states, takes the same steps and finds the same as one that keeps vectors.
func TestPartsAreFreed(t *testing.T) {
	compare := func(sys *sim.System, opts Options) {
		t.Helper()
		opts.NoWalks, opts.once, opts.parts, opts.team = true, true, -1, 1
		first := ""
		for _, c := range []struct {
			engine  Engine
			visited Visited
			workers int
		}{{EngineMemo, VisitedVectors, 1}, {EngineLocal, VisitedFingerprint, 1}, {EngineMemo, VisitedFingerprint, 1}, {EngineLocal, VisitedFingerprint, 3}} {
			opts.Engine, opts.Visited, opts.Workers, opts.worth = c.engine, c.visited, c.workers, 1
			res, err := Search(sys, opts)
			switch {
			case err != nil && strings.Contains(err.Error(), "cannot happen"):
				return
			case err != nil:
				t.Fatal(err)
			}
			s := res.Stats
			said := fmt.Sprint(s.States, s.Transitions, s.Duplicates, s.Depth, res.Stop, res.Safety)
			if f := res.Finding; f != nil { // workers end the level in which they find something
				said = fmt.Sprint(f.Verdict, f.Property, f.Step)
			}
			if first == "" {
				first = said
			}
			if said != first {
				t.Errorf("%s, %v: %s; want %s", sys.Name, c, said, first)
			}
		}
	}
	for _, sys := range []*sim.System{peterson.System, twophase.System, storage.System} {
		compare(sys, Options{Conditions: sim.Conditions{Faults: &sim.Faults{Down: 1}}, Depth: 7})
	}
	for seed := range uint64(long.Of(20, 200)) {
		s := spec.Draw(300 + seed)
		opts := conditions(s)
		opts.Depth = 5
		if compare(s.System(), opts); t.Failed() {
			t.Fatalf("service %d: %s", seed, s)
		}
	}
}

// TestBottomsAreWalkedFrom: if only fingerprints are kept, the search takes walks from the states that
// were found last. They find a dead state there, before any walk from the start.
func TestBottomsAreWalkedFrom(t *testing.T) {
	params, err := peterson.System.Configure(0, nil, []string{string(peterson.PE2)})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Search(peterson.System, Options{Params: params, Visited: VisitedFingerprint, Effort: 1 << 40, Step: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead || res.Stats.Walks != 0 {
		t.Errorf("found is %+v, after %d walks", f, res.Stats.Walks)
	}
}

// ticker counts its requests, and does nothing else.
type ticker struct{ N int }

func (k *ticker) Init(sim.Env)                           {}
func (k *ticker) Handle(sim.Env, sim.Signal)             { k.N++ }
func (k *ticker) Deliver(sim.Env, sim.Addr, sim.Message) {}

// If no visited states are kept, every path is taken: two nodes with at least depth requests each
// have 2 to the power of depth paths, though there are few states.
func TestVisitedOff(t *testing.T) {
	const depth = 7
	sys := &sim.System{
		Name: "tickers", Doc: "They count.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &ticker{} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return make([]sim.Signal, 0, depth) },
	}
	sys.Script = func(sim.Params, sim.Addr, int) (all []sim.Signal) {
		for range depth {
			all = append(all, nudge{})
		}
		return all
	}
	for _, c := range []struct {
		kept           Visited
		states, beyond int
	}{{VisitedOff, 1<<(depth+1) - 1, 1 << depth}, {VisitedFingerprint, (depth + 1) * (depth + 2) / 2, 0}} {
		res := search(t, sys, 0, nil, Options{Engine: EngineReference, Visited: c.kept, Depth: depth, Step: depth, NoWalks: true})
		if s := res.Stats; s.States != c.states || s.Paths < c.beyond {
			t.Errorf("%s: %d states, %d paths; want %d states", c.kept, s.States, s.Paths, c.states)
		}
	}
}

// An option that cannot be honoured is an error.
func TestVisitedErrors(t *testing.T) {
	for _, c := range []struct {
		opts Options
		says string
	}{
		{Options{Visited: "hash"}, `Options.Visited is "hash"; it must be vectors, fingerprint or off`},
		{Options{Visited: VisitedVectors, Engine: EngineReference}, "keeps no states"},
		{Options{Visited: VisitedOff, Engine: EngineMemo}, "use the engine reference"},
		{Options{Engine: EngineReference, Reduce: ReduceAuto}, "Options.Reduce auto does not go with the engine reference"},
		{Options{Engine: EngineReference, Reduce: ReduceStubborn}, "Options.Reduce stubborn does not go with the engine reference"},
		{Options{Visited: VisitedOff, Reduce: reduceSleep}, "Options.Reduce sleep does not go with the engine reference"},
		{Options{Engine: EngineLocal, Reduce: reduceDPOR}, "use the engine reference"},
		{Options{HashBits: 48}, "it must be 32 or 64"},
		{Options{HashBits: 32, Visited: VisitedVectors}, "Options.HashBits is for fingerprints"},
		{Options{HashBits: 32, Engine: EngineReference}, "128 bits"},
	} {
		if _, err := Search(twophase.System, c.opts); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.opts, fmt.Sprint(err))
		}
	}
	for _, c := range []struct {
		opts Options
		want Visited
	}{{Options{}, VisitedVectors}, {Options{Engine: EngineReference}, VisitedFingerprint}, {Options{HashBits: 32}, VisitedFingerprint}} {
		if got, err := c.opts.kept(); err != nil || got.Visited != c.want {
			t.Errorf("%+v: %s, %v", c.opts, got.Visited, err)
		}
	}
}
