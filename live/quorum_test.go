package live

import (
	"strings"
	"testing"

	"macemc/sim"
	"macemc/systems/paxos"
)

// Nodes that take several messages at a time are refused in one line.
func TestQuorumIsRefused(t *testing.T) {
	p, err := paxos.System.Configure(0, []string{"answers=quorum"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(paxos.System, Config{Params: p})
	if err == nil || !strings.HasPrefix(err.Error(), "n0 of paxos takes several messages at a time (sim.OnQuorum), which live cannot do") {
		t.Errorf("got %v", err)
	}
	var single sim.Params
	if single, err = paxos.System.Configure(0, nil, nil); err == nil {
		err = quorate(paxos.System, single)
	}
	if err != nil {
		t.Errorf("single messages: %v", err)
	}
}
