package main

import (
	"os/exec"
	"strings"
	"testing"

	"macemc/systems/paxos"
	"macemc/systems/peterson"
	"macemc/systems/storage"
	"macemc/systems/twophase"
)

// small are instances that both search in an instant, with their sizes.
var small = []struct {
	row
	space
}{
	{row{"twophase", "", twophase.System, []string{"rms=3"}, twophaseModel(3)}, space{288, 1_145}},
	{row{"paxos", "", paxos.System, []string{"proposers=1"}, paxosModel(1)}, space{202, 481}},
	{row{"storage", "", storage.System, []string{"writes=1"}, storageModel(1, 1)}, space{2_200, 8_312}},
	{row{"peterson", "", peterson.System, []string{"n=3"}, petersonModel(3)}, space{771, 1_787}},
	{row{"lamport-set", "", overSet, []string{"ballots=2"}, lamportSet(2)}, space{7_056, 20_506}},
	{row{"lamport-node", "", oneNode, []string{"ballots=2"}, lamportNode(2)}, space{3_921, 9_442}},
}

// The service and the generated model have the same states and transitions.
func TestSameSpaces(t *testing.T) {
	_, missing := exec.LookPath("spin")
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := c.search(&out, how{workers: 1, liveness: true}); err != nil {
				t.Fatal(err)
			}
			ours, err := counted(out.String())
			if err != nil {
				t.Fatal(err)
			}
			if ours != c.space {
				t.Errorf("the service has %v, not %v", ours, c.space)
			}
			if missing != nil {
				t.Skip("the model is not searched: there is no spin here")
			}
			checker, err := c.model.compile()
			if err != nil {
				t.Fatal(err)
			}
			defer checker.remove()
			theirs, err := checker.run()
			if err != nil {
				t.Fatal(err)
			}
			if theirs.space != ours {
				t.Errorf("SPIN visits %v, macemc %v", theirs.space, ours)
			}
		})
	}
}

// A checker that found an error, or printed no counts, is no measurement.
func TestStored(t *testing.T) {
	const good = "State-vector 28 byte, depth reached 25, errors: 0\n  1745408 states, stored\n 18507778 transitions (= stored+matched)\n"
	if s, err := stored(good); err != nil || s != (space{1_745_408, 18_507_777}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"", strings.Replace(good, "errors: 0", "errors: 1", 1), strings.Replace(good, "stored", "kept", 1)} {
		if s, err := stored(bad); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
}
