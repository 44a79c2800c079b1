package search

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/search/internal/closure"
	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/simtcp"
)

// TestMemory: if the table of visited states is full, the search ends. All states to the depth that it
// reports were visited.
func TestMemory(t *testing.T) {
	const slots = explore.LedgerLeast / 8
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		res, err := Search(rounds(60, 59), Options{Engine: engine, Effort: 1 << 40, table: 1, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		s := res.Stats
		if res.Stop != StopMemory || res.Finding != nil || res.Safety.State != StateBounded && res.Safety.State != StateIncomplete || res.Liveness.State != StateNone {
			t.Errorf("%s: stopped: %s, safety %s, liveness %s", engine, res.Stop, res.Safety.State, res.Liveness.State)
		}
		if s.States > slots || s.States < slots/2 {
			t.Errorf("%s: %d states of %d slots", engine, s.States, slots)
		}
		// The states to the reported depth: triples of numbers below 60 with at most that sum.
		within := 0
		for a := range 60 {
			for b := range 60 {
				for c := range 60 {
					within += count(a+b+c <= res.Safety.Depth)
				}
			}
		}
		if s.States < within || res.Safety.Depth < 40 {
			t.Errorf("%s: %d states, and to depth %d there are %d", engine, s.States, res.Safety.Depth, within)
		}
	}
}

// TestMemoryGrows: a table of visited states that gets full is replaced by a larger one, if memory
// allows, and no state is lost.
func TestMemoryGrows(t *testing.T) {
	if !*long.On {
		t.Skip("-long")
	}
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		res, err := Search(rounds(50, 49), Options{Engine: engine, Effort: 1 << 40, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if want := 52 * 50 * 50; res.Stats.States != want || res.Safety.State != StateExhausted {
			t.Errorf("%s: %d states, safety %s; want %d", engine, res.Stats.States, res.Safety.State, want)
		}
	}
}

// TestMemoryOfHealedStates: if timers may fire early at most twice, an alarm has three states, but very
// many healed states. If these do not fit into memory, liveness is not decided.
func TestMemoryOfHealedStates(t *testing.T) {
	const most = 200_000
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		sys := &sim.System{
			Name: "alarm", Doc: "It counts how often it fires.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &alarm{most: most} },
			Properties: []sim.Property{
				sim.Eventually("it has fired long enough", func(v sim.View[*alarm]) bool {
					for _, c := range v.Nodes() {
						if c.Fired == most {
							return true
						}
					}
					return false
				}),
			},
		}
		res, err := Search(sys, Options{Engine: engine, Conditions: sim.Conditions{Early: new(2)}, table: 1, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil || res.Safety.State != StateExhausted || res.Stats.States != 3 || res.Liveness.State != StateNone {
			t.Errorf("%s: %d states, safety %s, liveness %s, found is %+v", engine, res.Stats.States, res.Safety.State, res.Liveness.State, res.Finding)
		}
	}
}

// TestPatienceIsNoVerdict: an alarm becomes live only if its timer fires while a message waits. The
// closure first lets timers wait for messages (patience), and finds no live state in this way. It must
// not call the alarm dead for that. An alarm that cannot fire often enough in any way is dead.
func TestPatienceIsNoVerdict(t *testing.T) {
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		for _, c := range []struct{ most, wants int }{{1, 1}, {40, 40}, {40, 41}} {
			sys := &sim.System{
				Name: "alarm", Doc: "It counts how often it fires.",
				Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
				New:   func(sim.Params, sim.Addr) sim.Node { return &alarm{most: c.most} },
				Properties: []sim.Property{
					sim.Eventually("both have fired long enough", func(v sim.View[*alarm]) bool {
						for _, a := range v.Nodes() {
							if a.Fired < c.wants {
								return false
							}
						}
						return true
					}),
				},
			}
			res, err := Search(sys, Options{Engine: engine, Conditions: sim.Conditions{Early: new(0)}, NoWalks: true})
			switch f := res.Finding; {
			case err != nil:
				t.Fatal(err)
			case res.Stats.States != 1:
				t.Errorf("%s: %d states, and a timer may not fire early", engine, res.Stats.States)
			case c.wants <= c.most && (f != nil || res.Liveness.State != StateExhausted):
				t.Errorf("%s: it fires %d times, and is to fire %d times: liveness %s, found is %+v", engine, c.most, c.wants, res.Liveness.State, f)
			case c.wants > c.most && (f == nil || !f.Proved || f.Critical == nil || f.Critical.Step != 0):
				t.Errorf("%s: it fires %d times, and is to fire %d times: liveness %s, found is %+v", engine, c.most, c.wants, res.Liveness.State, f)
			}
		}
	}
}

// alarm has sent itself a message. Until the message arrives, its timer may fire, at most most times.
type alarm struct {
	Fired int
	most  int `mc:"-"`
}

func (c *alarm) Init(env sim.Env) {
	env.UDP().Send(env.Self(), word(1))
	env.After(1, ring(0))
}
func (c *alarm) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *alarm) Accepts(sim.Addr, sim.Message) bool     { return false }
func (c *alarm) Handle(env sim.Env, _ sim.Signal) {
	if c.Fired++; c.Fired < c.most {
		env.After(1, ring(0))
	}
}

func spreads(x *explore.Taker) bool {
	_, is := x.Visitor.(*closure.Spreading)
	return is
}

// TestInterrupted: if Options.Stop returns a reason, the search stops soon, in every part of the
// exhaustive phase and of the closure, and its result has the reason.
func TestInterrupted(t *testing.T) {
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		for _, c := range []struct {
			name   string
			faults sim.Faults
			here   func(x *explore.Taker) bool
			safety State
		}{
			{"exhaustive", sim.Faults{}, func(x *explore.Taker) bool { return !x.Healed && x.Len() > 2_000 }, StateBounded},
			{"collecting", sim.Faults{Crash: 1}, func(x *explore.Taker) bool { return x.Healed && !spreads(x) }, StateExhausted},
			{"collecting without a fault", sim.Faults{Reset: 1}, func(x *explore.Taker) bool { return x.Healed && !spreads(x) }, StateExhausted},
			{"collecting what healed states lead to", sim.Faults{Reset: 1}, func(x *explore.Taker) bool { return x.Healed && !spreads(x) && x.Current > 500 }, StateExhausted},
			{"spreading", sim.Faults{}, func(x *explore.Taker) bool { return x.Healed && spreads(x) }, StateExhausted},
			{"spreading after faults", sim.Faults{Crash: 1}, func(x *explore.Taker) bool { return x.Healed && spreads(x) }, StateExhausted},
		} {
			var r *runner
			stops, after := 0, 0
			opts := Options{Engine: engine, NoWalks: true, once: true, Effort: 1 << 40, Conditions: sim.Conditions{Faults: &c.faults}, Stop: func() Stop {
				if r.Exploring != nil && c.here(r.Exploring.(*explore.Taker)) {
					stops++
				}
				if stops > 0 {
					after++
				}
				if stops > 0 {
					return StopInterrupted
				}
				return ""
			}}
			var err error
			if r, err = newRunner(rounds(16, 15), opts); err != nil {
				t.Fatal(err)
			}
			res, err := r.search()
			if err != nil {
				t.Fatal(err)
			}
			if res.Stop != StopInterrupted || res.Safety.State != c.safety || res.Liveness.State != StateNone || res.Finding != nil || res.Stats.Walks != 0 {
				t.Errorf("%s, %s: stopped: %s, safety %s, liveness %s, %d walks, found is %v",
					engine, c.name, res.Stop, res.Safety.State, res.Liveness.State, res.Stats.Walks, res.Finding)
			}
			if stops == 0 || after > 3 {
				t.Errorf("%s, %s: told to stop, the search asked %d times again", engine, c.name, after)
			}
		}
	}
}

// TestFoundAndCut: if a search is stopped early after a finding, its result has the finding and the
// reason for stopping.
func TestFoundAndCut(t *testing.T) {
	for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		for _, cut := range []Stop{StopTime, ""} {
			params, err := simtcp.System.Configure(0, nil, []string{"ST2"})
			if err != nil {
				t.Fatal(err)
			}
			var r *runner
			opts := Options{Params: params, Engine: engine, Findings: 9, Effort: 500, NoWalks: true, Stop: func() Stop {
				if len(r.findings.all) > 0 {
					return cut
				}
				return ""
			}}
			if r, err = newRunner(simtcp.System, opts); err != nil {
				t.Fatal(err)
			}
			res, err := r.search()
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Findings) == 0 || res.Cut != cut || cut == "" && res.Stop.Early() || cut != "" && res.Stop != cut {
				t.Errorf("%s, to be cut short by %q: %d findings, stopped: %q, cut short by %q", engine, cut, len(res.Findings), res.Stop, res.Cut)
			}
		}
	}
}

// With one finding wanted, the reference engine goes on to look for a shorter run. If that is cut
// short, the result has the cause in Cut, and the finding that the engine had.
func TestFoundWhenCut(t *testing.T) {
	asked := 0
	for limit := 1; ; limit++ {
		asked = 0
		res := search(t, simtcp.System, 0, nil, Options{Engine: EngineReference, Step: 20, Stop: func() Stop {
			if asked++; asked > limit {
				return StopTime
			}
			return ""
		}}, "ST2")
		switch {
		case res.Finding == nil && res.Cut == StopTime:
		case res.Finding != nil && res.Cut == StopTime && res.Stop == StopFound:
			return
		default:
			t.Fatalf("told to stop after %d looks: found is %v, stopped: %q, cut short by %q", limit, res.Finding, res.Stop, res.Cut)
		}
	}
}

// The steps that a search takes in advance, to see whether faults can happen, are not counted:
// neither for the depth at which a property first held, nor for what was exercised.
func TestProbeIsNotCounted(t *testing.T) {
	for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		res := search(t, simtcp.System, 0, nil, Options{Engine: engine, Depth: 1, NoWalks: true, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}})
		for _, h := range res.Held {
			if h.Run || h.Depth > 1 {
				t.Errorf("%s: in a search to depth 1, %q first held at %d", engine, h.Property, h.Depth)
			}
		}
		if len(res.Never) == 0 {
			t.Errorf("%s: all is exercised by one step", engine)
		}
	}
}

// An interrupt and the end of the time stop the whole search at once. A bound that was reached ends
// one phase only.
func TestStopsAtOnce(t *testing.T) {
	for s, want := range map[Stop]bool{
		StopInterrupted: true, StopTime: true,
		StopFound: false, StopDone: false, StopDepth: false, StopPaths: false, StopMemory: false, StopKilled: false, "": false,
	} {
		if s.AtOnce() != want {
			t.Errorf("%q: at once is %v", s, !want)
		}
	}
}
