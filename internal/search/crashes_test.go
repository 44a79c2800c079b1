package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/catalog"
	"macemc/internal/contract"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// seenBy returns the system with its safety properties and one more, which adds to labels what
// properties can see of each judged state: every node that is up, in full.
func seenBy(t *testing.T, sys *sim.System, labels map[string]bool) *sim.System {
	walker, err := contract.Walker(sys)
	if err != nil {
		t.Fatal(err)
	}
	own := *sys
	own.Properties = []sim.Property{sim.Always("is recorded", func(v sim.View[any]) bool {
		var label strings.Builder
		for a, n := range v.Nodes() {
			fmt.Fprintf(&label, "%s: %s\n", a, walker.Text(n))
		}
		labels[label.String()] = true
		return true
	})}
	for _, p := range sys.Properties {
		if k := p.Kind(); k == "always" || k == "monitor" {
			own.Properties = append(own.Properties, p)
		}
	}
	return &own
}

// crashed searches a system in which this number of nodes may go down, and returns the labels of
// seenBy.
func crashed(t *testing.T, sys *sim.System, implicit bool, down, depth int, params sim.Params) (map[string]bool, *Result, error) {
	labels := map[string]bool{}
	own := seenBy(t, sys, labels)
	own.Tolerates = sim.Faults{Down: down} // in Tolerates and not in Options.Faults: with these, walks would come first, and reach states beyond the depth
	r, err := Search(own, Options{
		Params: params, Conditions: sim.Conditions{CrashImplicit: implicit}, Depth: depth, NoWalks: true, Workers: 1, once: true,
	})
	return labels, r, err
}

// missing returns one of the labels in some that all lacks.
func missing(some, all map[string]bool) string {
	for label := range some {
		if !all[label] {
			return label
		}
	}
	return ""
}

// TestImplicitCrashes compares the two crash models in every system of the catalogue to which both
// apply, and keeps the list of these systems. Properties see the same in both. With explicit
// crashes, going down is a step of its own. So at equal depth, implicit crashes show all that
// explicit ones show; and explicit ones show all that implicit ones show if the depth is greater by
// the number of crashes.
func TestImplicitCrashes(t *testing.T) {
	var eligible []string
	for _, sys := range catalog.Systems() {
		bare := *sys
		bare.Within = sim.Constraint{} // depth bounds the space here
		for down := 1; down <= long.Of(1, 2); down++ {
			depth := long.Of(3, 6)
			implicit, _, err := crashed(t, &bare, true, down, depth, sim.Params{})
			if err != nil {
				if !strings.Contains(err.Error(), "the crash model implicit differs from explicit") {
					t.Errorf("%s: %v", sys.Name, err)
				}
				break
			}
			if down == 1 {
				eligible = append(eligible, sys.Name)
			}
			as, _, err := crashed(t, &bare, false, down, depth, sim.Params{})
			if err != nil {
				t.Fatalf("%s: %v", sys.Name, err)
			}
			deeper, _, err := crashed(t, &bare, false, down, depth+down, sim.Params{})
			if err != nil {
				t.Fatalf("%s: %v", sys.Name, err)
			}
			if label := missing(as, implicit); label != "" {
				t.Errorf("%s, down=%d: only the explicit model shows\n%s", sys.Name, down, label)
			}
			if label := missing(implicit, deeper); label != "" {
				t.Errorf("%s, down=%d: only the implicit model shows\n%s", sys.Name, down, label)
			}
			if len(implicit) < 2*bare.NodeRange(sim.Params{}).Default {
				t.Errorf("%s, down=%d: only %d views were compared", sys.Name, down, len(implicit))
			}
		}
	}
	slices.Sort(eligible)
	want := []string{"counter", "dispatcher", "handshake", "multipaxos", "paxos", "peterson", "reliable", "stopwait", "storage", "twophase"}
	if diff := cmp.Diff(want, eligible); diff != "" {
		t.Errorf("the systems in which nobody can tell that a node failed (-want +got):\n%s", diff)
	}
}

// In systems to which both crash models apply, both models find the known bugs of safety, and
// neither finds anything without bugs.
func TestImplicitCrashesFindBugs(t *testing.T) {
	all := []struct {
		system, bug string
		depth       int
	}{{"reliable", "RL6", 9}, {"stopwait", "SW1", 9}, {"paxos", "PX3", 12}, {"paxos", "PX1", 16}, {"paxos", "PX2", 16}}
	for _, b := range all[:long.Of(2, len(all))] {
		sys, err := catalog.Find(b.system)
		if err != nil {
			t.Fatal(err)
		}
		for _, bugs := range [][]string{nil, {b.bug}} {
			params, err := sys.Configure(0, nil, bugs)
			if err != nil {
				t.Fatal(err)
			}
			var verdicts []trace.Verdict
			for _, implicit := range []bool{false, true} {
				own := seenBy(t, sys, map[string]bool{})
				own.Within = sim.Constraint{} // depth bounds the space here
				r, err := Search(own, Options{
					Params: params, Conditions: sim.Conditions{Faults: &sim.Faults{Down: 1}, CrashImplicit: implicit}, NoWalks: true, Depth: b.depth, Workers: 1, once: true,
				})
				if err != nil {
					t.Fatalf("%s %v: %v", b.system, bugs, err)
				}
				verdicts = append(verdicts, r.Verdict())
			}
			if len(bugs) > 0 && verdicts[1] != trace.VerdictSafety {
				t.Errorf("%s %v: %s where nodes take no more steps", b.system, bugs, verdicts[1])
			}
			if verdicts[0] != verdicts[1] {
				t.Errorf("%s %v: %s where nodes go down, %s where they take no more steps", b.system, bugs, verdicts[0], verdicts[1])
			}
		}
	}
}

// Implicit crashes are refused, with the reason, if a node of the system can notice that another
// one failed.
func TestImplicitCrashesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		system string
		faults sim.Faults
		change func(*sim.System, *Options)
		want   string
	}{
		"no fault":    {system: "paxos", want: "no fault down is allowed"},
		"restarts":    {system: "paxos", faults: sim.Faults{Down: 1, Crash: 1}, want: "crash=1 lets failed nodes restart"},
		"connections": {system: "randtree", faults: sim.Faults{Down: 1}, want: "a node sends by tcp"},
		"clocks":      {system: "lease", faults: sim.Faults{Down: 1}, want: "timers fire in the order of clocks"},
		"detector":    {system: "election", faults: sim.Faults{Down: 1}, want: "a node sends by tcp"},
		"storage":     {system: "wal", faults: sim.Faults{Down: 1}, want: "a node stores"},
		"liveness": {system: "paxos", faults: sim.Faults{Down: 1}, want: "asks what can still be reached", change: func(sys *sim.System, _ *Options) {
			sys.Properties = append(sys.Properties, sim.Eventually("e", func(sim.View[any]) bool { return true }))
		}},
		"steps": {system: "paxos", faults: sim.Faults{Down: 1}, want: "looks at steps", change: func(sys *sim.System, _ *Options) {
			sys.Properties = append(sys.Properties, sim.Steps("s", func(_, _ sim.View[any]) bool { return true }))
		}},
		"messages": {system: "paxos", faults: sim.Faults{Down: 1}, want: "looks at the messages under way", change: func(sys *sim.System, _ *Options) {
			sys.Properties = append(sys.Properties, sim.Always("m", func(v sim.View[any]) bool { return v.InFlight() >= 0 }))
		}},
		"nodes up": {system: "paxos", faults: sim.Faults{Down: 1}, want: `property "all are up" looks at which nodes are up: after step 0 it holds with all nodes and not without n0`, change: func(sys *sim.System, _ *Options) {
			sys.Properties = append(sys.Properties, sim.Always("all are up", func(v sim.View[any]) bool { return v.Len() == v.Params().Nodes }))
		}},
		"slow links":   {system: "paxos", faults: sim.Faults{Down: 1}, want: "on a slow link", change: func(_ *sim.System, o *Options) { o.Network.Slow = "n0" }},
		"early timers": {system: "reliable", faults: sim.Faults{Down: 1}, want: "a limit of early timers", change: func(_ *sim.System, o *Options) { o.Early = new(int) }},
		"liars":        {system: "paxos", faults: sim.Faults{Down: 1}, want: "some nodes are Byzantine", change: func(_ *sim.System, o *Options) { o.Byzantine = "lies=1@n0" }},
	} {
		sys, err := catalog.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		bare := seenBy(t, sys, map[string]bool{})
		bare.Within = sim.Constraint{}
		o := Options{Conditions: sim.Conditions{Faults: &c.faults, CrashImplicit: true}, NoWalks: true, Depth: 4, Workers: 1}
		if c.change != nil {
			c.change(bare, &o)
		}
		_, err = Search(bare, o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "use explicit") {
			t.Errorf("%s: %v, want: ...%s...", name, err, c.want)
		}
	}
	_, err := Search(traps(1, 1, true), Options{Conditions: sim.Conditions{CrashWithin: true, CrashImplicit: true}})
	if err == nil || !strings.HasSuffix(err.Error(), "set one of them") {
		t.Errorf("both ways of failing: %v", err)
	}
}

// A backup takes over when its connection reports that the first node is gone. It has a bug: it does so even before
// it has a copy.
type backup struct{ Copied, Leads bool }

type (
	register struct{}
	copied   struct{}
)

func (b *backup) begin(env sim.Env, _ register) { env.TCP().Send(env.Peers()[0], register{}) }
func (b *backup) register(env sim.Env, from sim.Addr, _ register) {
	env.TCP().Send(from, copied{})
}
func (b *backup) copied(sim.Env, sim.Addr, copied) { b.Copied = true }
func (b *backup) lost(sim.Env, sim.PeerError)      { b.Leads = true }

// The backup's bug needs a failure of the first node, which the failure detector reports. Implicit crashes have no
// step at which a node fails, so they would miss the bug, and are refused.
func TestImplicitCrashesWithADetector(t *testing.T) {
	handlers := sim.Handle(sim.OnSignal((*backup).begin), sim.OnMessage((*backup).register), sim.OnMessage((*backup).copied), sim.OnSignal((*backup).lost))
	sys := &sim.System{
		Name: "backup", Doc: "A backup and a failure detector.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&backup{}) },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(1) {
				return []sim.Signal{register{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Each("who leads has a copy", func(v sim.View[*backup]) bool {
			for _, b := range v.Nodes() {
				if b.Leads && !b.Copied {
					return false
				}
			}
			return true
		})},
	}
	for _, c := range []struct {
		down int
		want trace.Verdict
	}{{0, trace.VerdictNone}, {1, trace.VerdictSafety}} {
		sys.Tolerates = sim.Faults{Down: c.down}
		r, err := Search(sys, Options{NoWalks: true})
		if err != nil || r.Verdict() != c.want {
			t.Errorf("down=%d: %v, %v, want %s", c.down, r, err, c.want)
		}
	}
	_, err := Search(sys, Options{NoWalks: true, Conditions: sim.Conditions{CrashImplicit: true}})
	if err == nil || !strings.Contains(err.Error(), "the crash model implicit differs from explicit") {
		t.Errorf("implicit: %v", err)
	}
}
