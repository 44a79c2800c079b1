package byzantine

import (
	"strings"
	"testing"

	"macemc/systems/paxos"
)

// TestQuorumIsRefused checks that a node with quorums cannot be Byzantine, since a Byzantine node gets messages one by one.
func TestQuorumIsRefused(t *testing.T) {
	p, err := paxos.System.Configure(0, []string{"answers=quorum"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := System(paxos.System, p, "lies=1@n0"); err == nil || !strings.Contains(err.Error(), "the Byzantine node n0 of paxos takes several messages at once (sim.OnQuorum)") {
		t.Errorf("got %v", err)
	}
	if _, err := System(paxos.System, p, "lies=1@n2"); err != nil {
		t.Errorf("an acceptor, which takes messages one by one: %v", err)
	}
}
