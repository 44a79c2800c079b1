package search

import (
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/multipaxos"
)

// TestTrialEnds: if a reduction does not pay, its trial ends at an early depth, before it has visited a fifteenth of the
// states. If the reduction pays only at later depths, the trial goes on. The lists are the numbers of states to each depth
// without and with the reduction, as they were counted for these systems.
func TestTrialEnds(t *testing.T) {
	for name, c := range map[string]struct {
		whole, reduced []int
		ends           int // the depth, or 0
	}{
		"storage, quorums":          {[]int{1, 3, 10, 22, 48, 98, 202, 395, 756, 1413, 2577, 4406, 6770, 9154}, []int{1, 2, 6, 14, 30, 65, 140, 291, 586, 1104, 2027, 3532, 4590}, 8},
		"storage, quorums, 2 reads": {[]int{1, 3, 10, 22, 48, 101, 220, 459, 953, 1949, 3924, 7544, 13761, 24238, 42415, 73651, 121762, 183173, 313549}, []int{1, 2, 6, 14, 33, 80, 183, 389, 815, 1754, 3676, 7156, 12938, 22818}, 10},
		"twophase":                  {[]int{1, 14, 92, 384, 1165, 2797, 5653, 10044}, []int{1, 14, 92, 384}, 2},
		"paxos":                     {[]int{1, 3, 10, 28, 66, 143, 302, 596, 1099, 2016, 3735, 6597, 10614}, []int{1, 2, 3, 9, 33, 98, 233, 467, 842, 1415, 2222, 3101, 3830}, 0},
		"paxos, quorums":            {[]int{1, 3, 10, 22, 48, 110, 236, 497, 1020, 1899, 3261, 5379, 8602}, []int{1, 2, 5, 12, 27, 60, 131, 283, 541, 899, 1338, 1871, 2462}, 0},
		"echomulticast":             {[]int{1, 3, 13, 47, 138, 358, 839, 1776, 3370, 5711, 8688}, []int{1, 2, 3, 7, 15, 48, 153, 413, 937, 1817, 3074}, 0},
	} {
		trial, ends := trial{sizes: c.whole}, 0
		for k := 1; k < len(c.reduced) && ends == 0; k++ {
			if trial.dear(k, c.reduced[k]-c.reduced[k-1]) {
				ends = k
			}
		}
		if ends != c.ends {
			t.Errorf("%s: the trial ends at depth %d, and should at %d", name, ends, c.ends)
		}
		if all := c.whole[len(c.whole)-1]; ends > 0 && 15*c.reduced[ends] > all {
			t.Errorf("%s: %d states of %d were visited in vain", name, c.reduced[ends], all)
		}
	}
}

// TestAutoTells: with ReduceAuto, the result has the reason why no steps were left out. There are four: the search ended
// before it looked at a sample; too few steps of the sample could be left out; a trial has shown that it does not pay; or it
// is not sound.
func TestAutoTells(t *testing.T) {
	for _, c := range []struct {
		system string
		trial  int
		want   string
	}{
		{"storage", 0, "the search ended after 1081 states, before it looked"},
		{"storage", 16, "it does not pay: of the 28 states to depth 3 it would visit more than half"}, // as its last level alone shows
		{"multipaxos", 64, "it does not pay: of the 101 states to depth 4 it would visit more than half; all steps of 1 states are taken, since propose changes what"},
		{"twophase", 16, "it would not pay: of the 10 steps of 2 sampled states, 0 could be left out; all steps of 2 states are taken, since abort"},
		{"lease", 16, "it would not pay: of the 6 steps of 3 sampled states, 1 could be left out; all steps of 2 states are taken, of 1 of them since each"},
		{"echomulticast", 64, "property \"what an honest initiator sent is delivered\" may depend on all"},
	} {
		sys, err := catalog.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		got := search(t, sys, 0, nil, Options{Reduce: ReduceAuto, Conditions: sim.Conditions{Faults: &sim.Faults{}}, NoWalks: true, Depth: 8, Workers: 1, once: true, trial: c.trial})
		if !strings.HasPrefix(got.Stats.Unreduced, c.want) {
			t.Errorf("%s, %d: it says %q, and should have %q", c.system, c.trial, got.Stats.Unreduced, c.want)
		}
	}
}

// TestAutoAndWorkers: several workers cannot leave steps out. So ReduceAuto decides before the first level that several
// workers expand, even if it would usually decide later. If the reduction does not pay, the workers go on without it.
func TestAutoAndWorkers(t *testing.T) {
	for _, c := range []struct {
		team int
		want string
	}{
		{16, "the search ended after "}, // too few states to look at
		{1500, "it would not pay: of "},
	} {
		opts := Options{Reduce: ReduceAuto, Conditions: sim.Conditions{Faults: &sim.Faults{}}, NoWalks: true, Depth: 9, team: c.team, once: true}
		var worlds [3]int // by the number of workers
		var got *Result
		for _, opts.Workers = range []int{1, 2} {
			opts.made = func(*world.World) { worlds[opts.Workers]++ }
			got = search(t, multipaxos.System, 0, nil, opts)
		}
		if of := got.Stats; of.States > trialAfter || !strings.HasPrefix(of.Unreduced, c.want) || worlds[2] <= worlds[1] {
			t.Errorf("levels of %d states are of several workers: %d states, %v worlds, and it says %q", c.team, of.States, worlds, of.Unreduced)
		}
	}
}
