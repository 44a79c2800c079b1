package counter

import (
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/layers/rpc"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestCounter(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// With the layer, calls of a client take effect once and one after the other, or, if they time out, at most
// once, whatever is lost or duplicated. The whole space is visited.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		settings []string
		nodes    int
		faults   sim.Faults
	}{
		{nil, 2, sim.Faults{Loss: 2, Dup: 1}},
		{[]string{"tries=1", "adds=3"}, 2, sim.Faults{Loss: 2, Dup: 1, Reorder: 1}},
		{[]string{"adds=1", "tries=1"}, 3, sim.Faults{Loss: 1, Dup: 1}},
	} {
		params, err := System.Configure(c.nodes, c.settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.Search(System, search.Options{Params: params, Conditions: sim.Conditions{Faults: &c.faults}, Effort: 1 << 40, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil || res.Safety.State != search.StateExhausted || res.Liveness.State != search.StateExhausted {
			t.Errorf("%v: %s, %s, %v", c.settings, res.Safety.State, res.Liveness.State, res.Finding)
		}
		t.Log(c.settings, res.Stats.States, res.Stats.Transitions)
	}
}

func TestBugs(t *testing.T) {
	for _, b := range System.Bugs {
		macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{b.ID}, Expect: trace.VerdictSafety})
	}
}

// A client that crashed and adds again is not given the answers to its former adds, since
// its session is another one; without sessions it is.
func TestSessions(t *testing.T) {
	params, err := System.Configure(2, []string{"adds=1", "sessions=yes"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []bool{true, false} {
		sys := *System
		sys.New = func(p sim.Params, self sim.Addr) sim.Node {
			o := rpc.Options{Tries: 2, Sessions: with}
			if self == p.Addr(0) {
				return rpc.Over(servers.Node(&server{}), o)
			}
			return rpc.Over(clients.Node(&client{server: p.Addr(0), left: 1}), o)
		}
		faults := sim.Faults{Crash: 1, Loss: 1, Only: "crash@n1"}
		res, err := search.Search(&sys, search.Options{Params: params, Conditions: sim.Conditions{Faults: &faults}, Effort: 1 << 40, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if found := res.Finding != nil; found == with || with && res.Safety.State != search.StateExhausted {
			t.Errorf("with sessions %v: %s, %v", with, res.Safety.State, res.Finding)
		}
	}
}

// Requests and answers may use any link. With the faults of that link calls take effect once, and each known
// bug is found.
func TestLinks(t *testing.T) {
	for link, faults := range map[sim.Link]sim.Faults{
		sim.LinkUDP: {Loss: 1, Dup: 1},
		sim.LinkTCP: {Reset: 1},
		sim.LinkBag: {},
	} {
		sys := *System
		sys.New = func(p sim.Params, self sim.Addr) sim.Node {
			o := rpc.Options{By: link, Tries: 2}
			if self == p.Addr(0) {
				return rpc.Over(servers.Node(&server{}), o)
			}
			return rpc.Over(clients.Node(&client{server: p.Addr(0), left: 2}), o)
		}
		sys.Tolerates = faults
		for _, bug := range []string{"", "RP1", "RP2"} {
			params, err := sys.Configure(2, nil, strings.Fields(bug))
			if err != nil {
				t.Fatal(err)
			}
			res, err := search.Search(&sys, search.Options{Params: params, Conditions: sim.Conditions{Faults: &faults}, Effort: 1 << 40, NoWalks: true})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case bug == "" && (res.Finding != nil || res.Safety.State != search.StateExhausted || res.Liveness.State != search.StateExhausted):
				t.Errorf("by %s: %s, %s, %v", link, res.Safety.State, res.Liveness.State, res.Finding)
			case bug != "" && (len(res.Findings) != 1 || res.Finding.Verdict != trace.VerdictSafety):
				t.Errorf("by %s: %s is found as %v", link, bug, res.Findings)
			}
			t.Log(link, bug, res.Stats.States, res.Stats.Transitions)
		}
	}
}
