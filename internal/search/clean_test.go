package search

import (
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/jointree"
	"macemc/systems/overcast"
	"macemc/systems/peterson"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/systems/twophase"
)

// deep is a depth that no search reaches whose space is exhausted.
const deep = 1 << 20

// A system without bugs has no finding. Either its space is exhausted, and every state is safe and
// can become live; or the search takes at least ten times the transitions, and ten times the steps
// of walks, that the slowest known bug of the system needs, and with -long it visits a million
// states.
//
// brokentree with faults is left out: it promises to survive none, and with
// crash=1,reset=1,partition=1 walk 30,834 of seed 1 is found dead. The test does not look at what
// was never exercised.
func TestClean(t *testing.T) {
	tcp := &sim.Faults{Crash: 1, Reset: 1, Partition: 1}
	for _, c := range []struct {
		name     string
		sys      *sim.System
		nodes    int
		settings []string
		opts     Options
		states   int  // of the closed space, or 0 if it is not closed here
		long     bool // with -long only, as are those that are not closed or have more than 2,000 states
	}{
		{name: "handshake", sys: handshake.System, opts: Options{Depth: deep}, states: 285},
		{name: "peterson", sys: peterson.System, opts: Options{Depth: deep}, states: 771},
		{name: "twophase", sys: twophase.System, opts: Options{Depth: deep}, states: 288},
		{name: "twophase, 6 managers", sys: twophase.System, settings: []string{"rms=6"}, opts: Options{Depth: deep}, states: 50_816},
		{name: "stopwait", sys: stopwait.System, opts: Options{Depth: deep}, states: 2_748},
		{name: "stopwait, any loss", sys: stopwait.System, opts: Options{Depth: deep, Conditions: sim.Conditions{Faults: &sim.Faults{Loss: sim.Unlimited}}}, states: 7_032},
		{name: "brokentree", sys: brokentree.System, opts: Options{Depth: deep}, states: 76_290},
		{name: "overcast, a crash", sys: overcast.System, opts: Options{Depth: deep, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}}, states: 117_036, long: true},
		{name: "overcast, 6 nodes", sys: overcast.System, nodes: 6, opts: Options{Effort: 600_000}},
		{name: "simtcp", sys: simtcp.System, opts: Options{Depth: deep}, states: 9_060},
		{name: "simtcp, partitions", sys: simtcp.System, opts: Options{Conditions: sim.Conditions{Faults: tcp}}},
		{name: "simtcp, 3 nodes", sys: simtcp.System, nodes: 3},
		{name: "jointree", sys: jointree.System},

		{name: "simtcp, twice as many faults", sys: simtcp.System, opts: Options{Depth: deep, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Reset: 2}}}, states: 130_722, long: true},
		{name: "simtcp, 3 nodes, 1 message", sys: simtcp.System, nodes: 3, settings: []string{"messages=1"}, opts: Options{Depth: deep}, states: 239_745, long: true},
		{name: "simtcp, 3 nodes", sys: simtcp.System, nodes: 3, opts: Options{Effort: 5_000_000, Paths: 100_000}, long: true},
		{name: "simtcp, 3 nodes, partitions", sys: simtcp.System, nodes: 3, opts: Options{Effort: 6_000_000, Conditions: sim.Conditions{Faults: tcp}, Paths: 100_000}, long: true},
		{name: "jointree", sys: jointree.System, opts: Options{Effort: 5_000_000, Paths: 100_000}, long: true},
		{name: "overcast", sys: overcast.System, opts: Options{Depth: deep}, states: 1_669_476, long: true},
		{name: "overcast, 4 nodes", sys: overcast.System, nodes: 4, opts: Options{Effort: 5_000_000, Paths: 100_000}, long: true},
		{name: "overcast, 6 nodes", sys: overcast.System, nodes: 6, opts: Options{Effort: 5_000_000, Paths: 100_000}, long: true},
		{name: "stopwait, all faults", sys: stopwait.System, opts: Options{Depth: deep, Conditions: sim.Conditions{Faults: &sim.Faults{Loss: 2, Dup: 1, Reorder: sim.Unlimited}}}, states: 104_411, long: true},
	} {
		if !*long.On && (c.long || c.states == 0 || c.states > 2_000) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if c.states > 0 {
				c.opts.Reduce = ReduceNone
			}
			res := search(t, c.sys, c.nodes, c.settings, c.opts)
			s := res.Stats
			t.Logf("safety %s to depth %d, liveness %s; %d states, %d transitions, %d walks, %d steps",
				res.Safety.State, res.Safety.Depth, res.Liveness.State, s.States, s.Transitions, s.Walks, s.Steps)
			if f := res.Finding; f != nil {
				t.Fatalf("found is %s: %s: %s", f.Verdict, f.Property, f.Message)
			}
			if c.states > 0 {
				closed := StateExhausted
				if !c.sys.Within.IsZero() {
					closed = StateExhaustedWithin
				}
				if res.Safety.State != closed || res.Liveness.State != closed || s.States != c.states {
					t.Errorf("safety is %s and liveness %s over %d states; want %s over %d", res.Safety.State, res.Liveness.State, s.States, closed, c.states)
				}
				return
			}
			transitions, steps := slowest(t, c.sys)
			t.Logf("its slowest bug needs %d transitions, by walks alone %d steps", transitions, steps)
			if s.Transitions < 10*transitions || s.Steps < 10*steps {
				t.Errorf("%d transitions and %d steps are too few", s.Transitions, s.Steps)
			}
			if c.long && s.States < 1_000_000 {
				t.Errorf("%d states are less than a million", s.States)
			}
		})
	}
}

func search(t *testing.T, sys *sim.System, nodes int, settings []string, opts Options, bugs ...string) *Result {
	t.Helper()
	var err error
	if opts.Params, err = sys.Configure(nodes, settings, bugs); err != nil {
		t.Fatal(err)
	}
	res, err := Search(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if most := max(1, opts.Findings); len(res.Findings) > most {
		t.Errorf("%s: %d findings, where %d were asked for", sys.Name, len(res.Findings), most)
	}
	return res
}

// slowest returns the largest numbers that any known bug of a system needs to be found: transitions
// with the exhaustive phase, and steps of walks without it, over five seeds. Bugs that need flags
// are searched for only with the exhaustive phase.
func slowest(t *testing.T, sys *sim.System) (transitions, steps int) {
	t.Helper()
	for _, b := range catalog.Bugs() {
		if b.System != sys || b.Long && !*long.On {
			continue
		}
		transitions = max(transitions, searchFor(t, b, Options{}).Stats.Transitions)
		for seed := uint64(1); seed <= 5 && len(b.Flags.Args()) == 0; seed++ {
			steps = max(steps, searchFor(t, b, Options{Depth: 1, Seed: seed}).Stats.Steps)
		}
	}
	return transitions, steps
}
