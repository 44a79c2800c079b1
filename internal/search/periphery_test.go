package search

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// trapped counts to most again and again, on every node. If trap is set, node n0 may fall into a trap
// in its first step. It then goes on counting, so the state is never at rest, but the trap does not
// open any more.
type trapped struct {
	N    int
	Trap bool
	most int  `mc:"-"`
	trap bool `mc:"-"`
}

type revolve struct{}

func (c *trapped) Init(env sim.Env)                       { env.After(1, revolve{}) }
func (c *trapped) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *trapped) Handle(env sim.Env, _ sim.Signal) {
	if c.trap && c.N == 0 && env.Choose(2, "into the trap") == 1 {
		c.Trap = true
	}
	c.N = (c.N + 1) % c.most
	env.After(1, revolve{})
}

func traps(nodes, most int, trap bool) *sim.System {
	return &sim.System{
		Name: "traps", Doc: "Nodes that turn for ever, one of which may be trapped.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: nodes, Least: nodes, Most: nodes} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return &trapped{most: most, trap: trap && self == p.Addr(0)}
		},
		Properties: []sim.Property{
			sim.Eventually("the second has come far, and nobody is trapped", func(v sim.View[*trapped]) bool {
				far := false
				for self, n := range v.Nodes() {
					if n.Trap {
						return false
					}
					far = far || self.String() == "n1" && n.N == most/2
				}
				return far
			}),
		},
	}
}

// paths returns a value of Options.Paths that allows few walks from the start. For the reference
// engine it is larger, since that counts the runs of its exhaustive phase, too.
func paths(engine Engine) int {
	if engine == EngineReference {
		return 10_000
	}
	return 1
}

// TestPeripheryFinds: walks from the end of the first round find a dead state near the start, long
// before all states are visited. The state is not at rest, so only walks show that it is dead.
func TestPeripheryFinds(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal, EngineReference}[:long.Of(1, 3)] {
		res, err := Search(traps(3, 40, true), Options{Engine: engine, WalkSteps: 2_000, Effort: 20_000, Paths: paths(engine)})
		if err != nil {
			t.Fatal(err)
		}
		f := res.Finding
		if f == nil || f.Verdict != trace.VerdictDead || f.Critical == nil || !f.Critical.Exact || f.Critical.Event != "n0 timer revolve{}" {
			t.Errorf("%s: found is %+v, stopped: %s", engine, f, res.Stop)
			continue
		}
		if s := res.Stats; s.Depth > 5 || f.Step != 1 || s.Periphery.Walked == 0 || s.Walks != 0 {
			t.Errorf("%s: found at depth %d, in a run of %d steps, by %+v, and %d walks from the start", engine, s.Depth, f.Step, s.Periphery, s.Walks)
		}
		again, err := Replay(res.System, throughText(t, f.Path), Options{WalkSteps: 2_000})
		if err != nil || !again.Reproduced {
			t.Errorf("%s: its path is not reproduced: %v", engine, err)
		}
	}
}

// If every state can become live, one walk begins at each state at the end of a round; of a wide
// level, at a sample of its states, whose size depends on the work done. A walk that is too short
// to become live is a false alarm, and makes later walks longer.
func TestPeripheryIsBounded(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal, EngineReference}[:long.Of(1, 3)] {
		res, err := Search(traps(3, 20, false), Options{Engine: engine, WalkSteps: 20, Depth: 10, Paths: paths(engine), EvidenceWalks: 3})
		if err != nil {
			t.Fatal(err)
		}
		p := res.Stats.Periphery
		if res.Finding != nil || p.Walked == 0 || p.Walked > p.States || res.Stats.Suspects == 0 {
			t.Errorf("%s: %+v, %d suspects, found is %+v", engine, p, res.Stats.Suspects, res.Finding)
		}
		if reach := res.Liveness.WalkSteps; reach <= 20 || reach > 160 {
			t.Errorf("%s: walks are now %d steps long", engine, reach)
		}
		wide, err := Search(traps(5, 60, false), Options{Engine: engine, Depth: 10, Paths: paths(engine)})
		if err != nil {
			t.Fatal(err)
		}
		most := wide.Stats.Executed + peripheryLeast + 10_000
		if p := wide.Stats.Periphery; p.Walked >= p.States || p.Steps > most {
			t.Errorf("%s: %+v, of %d executed transitions", engine, p, wide.Stats.Executed)
		}
	}
}

// If a walk from the periphery ends in another failure than death, it is reported only if no
// shorter run shows that failure.
func TestPeripheryPending(t *testing.T) {
	for _, c := range []struct{ at, most, steps int }{
		{at: 8, most: 60, steps: 8},   // the next rounds find it, after 8 steps
		{at: 59, most: 60, steps: 59}, // at least: the next rounds are not as deep
	} {
		sys := traps(3, c.most, false)
		sys.Properties = append(sys.Properties, sim.Always("not so far", func(v sim.View[*trapped]) bool {
			for _, n := range v.Nodes() {
				if n.N == c.at {
					return false
				}
			}
			return true
		}))
		res, err := Search(sys, Options{Effort: 1 << 40, Paths: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := res.Finding
		if f == nil || f.Verdict != trace.VerdictSafety || c.steps < 20 && f.Step != c.steps || f.Step < c.steps || res.Stats.Walks != 0 {
			t.Errorf("%+v: found is %+v, stopped: %s, %+v", c, f, res.Stop, res.Stats)
		}
	}
}

// TestCoprime: adding coprime(n) again and again modulo n yields each number below n once. In this
// order walks begin at the n states of a level.
func TestCoprime(t *testing.T) {
	for n := 1; n < 3000; n++ {
		met := make([]bool, n)
		stride := coprime(n)
		for i, k := 0, n/2; i < n; i, k = i+1, (k+stride)%n {
			if met[k] {
				t.Fatalf("of %d, with a stride of %d, number %d comes twice", n, stride, k)
			}
			met[k] = true
		}
	}
}

// Walks from the ends of rounds begin at the same states if several workers explore: a dead
// state is found at the same depth, and without one the number of walks is the same.
func TestPeripheryOfSeveral(t *testing.T) {
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		for _, trap := range []bool{true, false} {
			if !*long.On && (engine == EngineLocal || !trap) {
				continue // one of the four takes the race detector to all meetings
			}
			one := ""
			for _, workers := range []int{1, 3} {
				res := search(t, traps(3, long.Of(16, 40), trap), 0, nil, Options{Engine: engine, WalkSteps: long.Of(150, 1_000), Depth: long.Of(5, 10), Paths: 1, Workers: workers, team: 1, once: true})
				s := res.Stats
				said := fmt.Sprint(s.Depth, s.States, s.Transitions, s.Periphery.States, s.Periphery.Walked, s.Walks, res.Safety, res.Verdict(), res.Stop)
				if one == "" {
					one = said
				}
				if said != one || (res.Finding != nil) != trap || s.Periphery.Walked == 0 {
					t.Errorf("%s, %d workers: %s; one: %s", engine, workers, said, one)
				}
				if f := res.Finding; f != nil {
					if f.Verdict != trace.VerdictDead || f.Critical == nil || f.Critical.Step != 1 {
						t.Errorf("%s, %d workers: found is %+v, critical %+v", engine, workers, f, f.Critical)
					}
					replayed(t, res.System, f, false)
				}
			}
		}
	}
}

// A search that is to stop while it walks from the periphery takes at most 64 steps more of each
// of 16 walks, however long these walks may be.
func TestPeripheryStops(t *testing.T) {
	sys := traps(3, 40, true)
	sys.Properties = []sim.Property{sim.Eventually("never", func(sim.View[*trapped]) bool { return false })}
	var r *runner
	asked := 0
	opts := Options{Depth: 5, Workers: 1, WalkSteps: 5_000, once: true, Stop: func() Stop {
		if r.periphery.states > 0 {
			asked++
		}
		if asked > 1 { // the first time no walk has begun
			return StopTime
		}
		return ""
	}}
	var err error
	if r, err = newRunner(sys, opts); err != nil {
		t.Fatal(err)
	}
	res, err := r.search()
	if err != nil || res.Stop != StopTime || res.Stats.Periphery.Walked == 0 || res.Stats.Periphery.Steps > 16*64 {
		t.Errorf("%v: stopped: %s, after %d steps of %d walks", err, res.Stop, res.Stats.Periphery.Steps, res.Stats.Periphery.Walked)
	}
}
