package setting

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/choose"
	"macemc/internal/toy"
	"macemc/sim"
)

// TestHeaderIsReadBack checks that Parse reads the header that a setting wrote as the same setting, whichever of its
// conditions differ from the default.
func TestHeaderIsReadBack(t *testing.T) {
	sys := toy.MustParse("start: a\na -> b\n\nstart: a\na -> b\n")
	params, err := sys.Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	early, faults := 3, sim.Faults{Crash: 1, Loss: 2}
	net, err := ParseNetwork("tcp-buffer=20,udp-capacity=4")
	if err != nil {
		t.Fatal(err)
	}
	all := sim.Conditions{Properties: []string{"p", "q"}, Faults: &faults, Early: &early, Network: net, FreeTimers: true, DiskReorder: true}
	for name, c := range map[string]sim.Conditions{
		"none":       {Faults: new(sim.Faults)},
		"all":        all,
		"properties": {Faults: new(sim.Faults), Properties: all.Properties},
		"faults":     {Faults: all.Faults},
		"early":      {Faults: new(sim.Faults), Early: all.Early},
		"network":    {Faults: new(sim.Faults), Network: all.Network},
		"timers":     {Faults: new(sim.Faults), FreeTimers: true},
		"disk":       {Faults: new(sim.Faults), DiskReorder: true},
		"within":     {Faults: new(sim.Faults), CrashWithin: true},
		"implicit":   {Faults: new(sim.Faults), CrashImplicit: true},
	} {
		s := Setting{Sys: sys, Params: params, Conditions: c}
		path := &choose.Path{Header: s.Header(true)}
		for _, f := range path.Header {
			if !Describes(f.Key) {
				t.Errorf("%s: the key %s is not one that describes a setting", name, f.Key)
			}
		}
		back, err := Parse(sys, path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(s.Conditions, back.Conditions); diff != "" {
			t.Errorf("%s: read back otherwise (-written +read):\n%s", name, diff)
		}
		if back.Params.Nodes != 2 || back.Sys != sys {
			t.Errorf("%s: read back %d nodes of %s", name, back.Params.Nodes, back.Sys.Name)
		}
	}
}

// TestNetworkIsReadBack checks that ParseNetwork reads what Network.String writes.
func TestNetworkIsReadBack(t *testing.T) {
	for _, n := range []sim.Network{{TCPBuffer: 3}, {UDPCapacity: 2}, {TCPBuffer: 1, UDPCapacity: 9}} {
		if back, err := ParseNetwork(n.String()); back.String() != n.String() || err != nil {
			t.Errorf("%s: %v, %v", n, back, err)
		}
	}
}
