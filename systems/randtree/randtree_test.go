package randtree

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// options returns the options of a search that is short enough for a test: few walks are the evidence of a dead
// state, and no walks are taken for its critical step.
func options(t *testing.T, nodes int, settings []string, faults string, bugs ...string) search.Options {
	t.Helper()
	params, err := System.Configure(nodes, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	budgets, err := sim.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	return search.Options{Params: params, Conditions: sim.Conditions{Faults: &budgets}, EvidenceWalks: 5, WalkSteps: 2_000}
}

// With two nodes every state within System.Within is visited, with each single fault, and with and without room
// in the buffers. From every one of these states both nodes can become one tree.
func TestTwoNodes(t *testing.T) {
	for _, faults := range []string{"none", "crash=1", "reset=1", "partition=1"} {
		for _, buffer := range []string{"buffer=1", "buffer=20"} {
			o := options(t, 2, []string{buffer}, faults)
			o.Depth, o.NoWalks = 1_000, true
			res, err := search.Search(System, o)
			if err != nil {
				t.Fatal(err)
			}
			if f := res.Finding; f != nil {
				t.Errorf("%s, %s: found is %s: %s %s", faults, buffer, f.Verdict, f.Property, f.Message)
			} else if s := res.Liveness.State; s != search.StateExhausted && s != search.StateExhaustedWithin {
				t.Errorf("%s, %s: liveness is %s", faults, buffer, s)
			}
			t.Logf("%s, %s: %d states", faults, buffer, res.Stats.States)
		}
	}
}

// Three nodes have connections that queue one message, and timers that wait until nothing is under way to or
// from their node. Every state within five attempts of each node is visited, and from every one of them the
// nodes can become one tree.
func TestThreeNodes(t *testing.T) {
	if !*long.On {
		t.Skip("-long: hundreds of thousands of states")
	}
	for _, faults := range []string{"none", "reset=1"} {
		o := options(t, 3, []string{"buffer=1"}, faults)
		o.Early, o.Depth, o.NoWalks = new(0), 1_000, true
		res, err := search.Search(System, o)
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Finding; f != nil {
			t.Errorf("%s: found is %s: %s %s", faults, f.Verdict, f.Property, f.Message)
		} else if s := res.Liveness.State; s != search.StateExhaustedWithin {
			t.Errorf("%s: liveness is %s", faults, s)
		}
		t.Logf("%s: %d states", faults, res.Stats.States)
	}
}

// All walks of more nodes, through storms of faults, end with one tree.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		settings []string
		faults   string
	}{
		{3, nil, "crash=2,reset=2,partition=1"},
		{4, []string{"buffer=2"}, "crash=1,reset=1"},
		{4, []string{"children=1", "visitors=3"}, "crash=2,reset=2"},
		{5, []string{"children=1"}, "crash=2,reset=2,partition=1"},
		{6, []string{"peers=all", "buffer=1"}, "crash=3,partition=1"},
		{8, []string{"peers=first", "visitors=7"}, "crash=3,reset=3"},
	} {
		o := options(t, c.nodes, c.settings, c.faults)
		o.Depth, o.Paths, o.WalkSteps = 2, long.Of(150, 2_000), 10_000
		res, err := search.Search(System, o)
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Finding; f != nil {
			t.Errorf("%d nodes, %s, %s: found is %s: %s %s", c.nodes, c.settings, c.faults, f.Verdict, f.Property, f.Message)
		}
	}
}

// The known bugs that need little work are found with every seed. The entries in the catalogue say how the
// others are found.
func TestBugs(t *testing.T) {
	live := []string{"all joined", "one root", "children match parents", "roots match", "siblings match"}
	for _, c := range []struct {
		bug        sim.BugID
		nodes      int
		settings   []string
		faults     string
		properties []string
		want       trace.Verdict
	}{
		{RT1, 3, nil, "none", nil, trace.VerdictDivergence},
		{RT2, 2, nil, "none", nil, trace.VerdictDead},
		{RT11, 3, nil, "none", nil, trace.VerdictSafety},
		{RT3, 3, nil, "none", live, trace.VerdictDead},
		{RT4, 4, nil, "none", nil, trace.VerdictDead},
		{RT5, 3, nil, "none", nil, trace.VerdictDivergence},
		{RT6, 3, nil, "none", nil, trace.VerdictDivergence},
		{RT10, 3, nil, "none", nil, trace.VerdictDead},
		{RT12, 3, []string{"buffer=2"}, "none", nil, trace.VerdictDead},
		{RT18, 3, nil, "reset=1", nil, trace.VerdictDead},
		{RT22, 3, []string{"visitors=2"}, "none", nil, trace.VerdictDivergence},
		{RT25, 3, []string{"buffer=1"}, "none", nil, trace.VerdictDead},
		{RT26, 3, []string{"buffer=1"}, "none", nil, trace.VerdictDead},
	}[:long.Of(3, 13)] {
		seeds := uint64(long.Of(1, 3))
		if c.want == trace.VerdictDead {
			seeds = 1 // it takes walks to believe that
		}
		for seed := uint64(1); seed <= seeds; seed++ {
			o := options(t, c.nodes, c.settings, c.faults, string(c.bug))
			o.Properties, o.Seed, o.Depth = c.properties, seed, 6
			res, err := search.Search(System, o)
			if err != nil {
				t.Fatal(err)
			}
			if res.Finding == nil {
				t.Errorf("%s, seed %d: nothing is found", c.bug, seed)
			} else if v := res.Finding.Verdict; v != c.want {
				t.Errorf("%s, seed %d: found is %s, want %s", c.bug, seed, v, c.want)
			}
		}
	}
}

// Over the transport of systems/transport the tree has the same properties as over TCP, though nodes crash and
// give each other up, and datagrams are lost.
func TestOverUDP(t *testing.T) {
	o := options(t, 3, []string{"transport=udp"}, "crash=2,loss=2,dup=2,reorder=2,partition=1,rare=2")
	o.Depth, o.Paths, o.Workers = 3, long.Of(100, 10_000), 1
	res, err := search.Search(System, o)
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Finding; f != nil {
		t.Errorf("found is %s: %s %s", f.Verdict, f.Property, f.Message)
	}
	if res.Stats.Walks < o.Paths {
		t.Errorf("%d walks were taken", res.Stats.Walks)
	}
}

// RT13 is found over the transport, too: a node leaves before it has joined. Deciding that such a run is dead
// takes most of a minute.
func TestBugOverUDP(t *testing.T) {
	if !*long.On {
		t.Skip("most of a minute: -long")
	}
	o := options(t, 3, []string{"transport=udp", "visitors=1"}, "none", string(RT13))
	o.Depth, o.WalkSteps, o.Workers = 3, 1_000, 1
	res, err := search.Search(System, o)
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead {
		t.Errorf("RT13 over UDP: %+v", f)
	}
}
