package raft_test

import (
	"fmt"

	"macemc/examples/raft"
	"macemc/search"
	"macemc/sim"
)

// This search has a known bug switched on.
func Example() {
	params, err := raft.System.Configure(3, nil, []string{string(raft.RF3)})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := search.Search(raft.System, search.Options{
		Params:        params,
		Conditions:    sim.Conditions{Faults: new(sim.Faults)}, // none: this bug needs none
		Effort:        1_000,                                   // a short exhaustive phase, and then walks
		EvidenceWalks: 20,
		WalkSteps:     2_000,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict())
	// Output: dead
}
