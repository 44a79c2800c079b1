package search

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/sim"
	"macemc/trace"
)

// released ends the loop of a handler that is stuck once it holds a result: the one that the search
// reported of the handler.
var released atomic.Pointer[Result]

// hasty has a message under way that never arrives, so its timer always fires early. It fails at
// the second firing, which a limit of one early firing excludes.
type hasty struct {
	Fired int
	wrong string `mc:"-"`
}

func (h *hasty) Init(env sim.Env) {
	env.After(time.Second, ring(0))
	env.UDP().Send(env.Self(), word(1))
}

func (h *hasty) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (h *hasty) Accepts(sim.Addr, sim.Message) bool { return false }

func (h *hasty) Handle(env sim.Env, _ sim.Signal) {
	if h.Fired++; h.Fired == 2 {
		switch h.wrong {
		case "panics":
			panic("too early")
		case "tells":
			env.Emit(1)
		case "loops":
			for {
				env.Self()
			}
		case "sticks":
			for released.Load() == nil {
			}
		}
	}
	if h.Fired < 4 {
		env.After(time.Second, ring(0))
	}
}

// A limit on early firings bounds the exhaustive phase, and healing lifts it. A failure that needs
// more early firings is not met by the exhaustive phase, but is still found.
func TestFailsBeyondTheLimit(t *testing.T) {
	for _, c := range []struct {
		wrong   string
		verdict trace.Verdict
	}{
		{"panics", trace.VerdictPanic},
		{"tells", trace.VerdictSafety},
		{"violates", trace.VerdictSafety},
		{"loops", trace.VerdictDivergence},
	} {
		fired := func(bad func(fired int) bool) func(sim.View[*hasty]) bool {
			return func(v sim.View[*hasty]) bool {
				for _, h := range v.Nodes() {
					if bad(h.Fired) {
						return false
					}
				}
				return true
			}
		}
		sys := &sim.System{
			Name: c.wrong, Doc: "It fires early.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &hasty{wrong: c.wrong} },
			Properties: []sim.Property{
				sim.Eventually("it fires three times", fired(func(n int) bool { return n != 3 })),
				sim.Monitor("nothing is told", func(*struct{}, sim.Addr, any) error { return errors.New("something was told") }),
				sim.Always("it does not fire twice without any harm", fired(func(n int) bool { return c.wrong == "violates" && n == 2 })),
			},
		}
		for _, only := range [][]string{nil, {"nothing is told", "it does not fire twice without any harm"}} {
			for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
				t.Run(fmt.Sprint(c.wrong, "/", engine, len(only)), func(t *testing.T) {
					res, err := Search(sys, Options{Engine: engine, Conditions: sim.Conditions{Early: new(1), Properties: only}, Paths: 50, once: true})
					if err != nil {
						t.Fatal(err)
					}
					if res.Stats.Engine != string(engine) {
						t.Errorf("the engine was %s", res.Stats.Engine)
					}
					if f := res.Finding; f == nil || f.Verdict != c.verdict || f.Step != 2 || res.Stats.Walks == 0 {
						t.Errorf("safety %s, liveness %s, stopped: %s; found is %+v", res.Safety.State, res.Liveness.State, res.Stop, f)
					}
				})
			}
		}
	}
}

// faller climbs one rung or falls to the ground, by a coin. It is live at the summit, and emits
// a fact one rung below.
type faller struct{ Rung int }

const summit = 40

func (c *faller) Init(sim.Env)                           {}
func (c *faller) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *faller) Offers(offer func(sim.Signal))          { offer(turn{}) }
func (c *faller) Handle(env sim.Env, _ sim.Signal) {
	if c.Rung = (c.Rung + 1) * env.Choose(2, "hold"); c.Rung == summit-1 {
		env.Emit(c.Rung)
	}
}

// The healed closure of a suspect meets a failure that no walk meets. The closure is not
// exhausted then, and so it does not prove that the suspect is dead.
func TestNoProofBeyondAFailure(t *testing.T) {
	sys := &sim.System{
		Name: "faller", Doc: "It climbs, or falls.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &faller{} },
		Properties: []sim.Property{
			sim.Monitor("nothing is told", func(*struct{}, sim.Addr, any) error { return errors.New("something was told") }),
			sim.Eventually("it is at the top", func(v sim.View[*faller]) bool {
				for _, c := range v.Nodes() {
					if c.Rung < summit {
						return false
					}
				}
				return true
			}),
		},
	}
	res, err := Search(sys, Options{Depth: 1, Paths: 3, EvidenceWalks: 3, WalkSteps: 200})
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead || f.Proved || f.Evidence == nil {
		t.Errorf("found is %+v", f)
	}
}

// A handler that never returns is reported even if it runs only in a healed state of the closure,
// which no run of the search reaches.
func TestStuckBeyondTheLimit(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal}[:long.Of(1, 2)] {
		released.Store(nil)
		sys := &sim.System{
			Name: "sticks", Doc: "It fires early.",
			Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:        func(sim.Params, sim.Addr) sim.Node { return &hasty{wrong: "sticks"} },
			Properties: []sim.Property{sim.Eventually("it ends", func(sim.View[*hasty]) bool { return false })},
		}
		_, err := Search(sys, Options{
			Engine: engine, Conditions: sim.Conditions{Early: new(1)}, NoWalks: true,
			Stuck: 60 * time.Millisecond, OnStuck: func(r *Result) { released.Store(r) },
		})
		if err != nil {
			t.Fatal(err)
		}
		r := released.Load()
		if r == nil {
			t.Fatalf("%s: nothing was told", engine)
		}
		if f := r.Finding; f.Verdict != trace.VerdictDivergence || f.Identity != run.HealedStep || !strings.Contains(f.Stack, "(*hasty).Handle") {
			t.Errorf("%s: told was %+v", engine, f)
		}
	}
}
