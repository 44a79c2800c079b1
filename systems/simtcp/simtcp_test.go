package simtcp

import (
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Through storms of faults the correct transport keeps its promises, and after each storm all messages arrive.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		name   string
		nodes  int
		faults sim.Faults
		many   int
	}{
		{"2 nodes", 2, System.Tolerates, 3_000},
		{"3 nodes", 3, System.Tolerates, 3_000},
		{"4 nodes, all that TCP can suffer", 4, sim.Faults{Crash: 3, Down: 1, Reset: 4, Partition: 2, OneWay: 2}, 1_000},
	} {
		w := newWorld(t, c.nodes, c.faults)
		source, longest, events := choose.NewWalk(1), 0, map[sim.Kind]int{}
		for i := range c.many {
			source.Restart(1, uint64(i))
			r := storm(w, source, i%150, 5_000)
			if r.failure != nil {
				t.Fatalf("%s, walk %d: %s: %s", c.name, i, r.failure.Property, r.failure.Message)
			}
			if !r.live {
				_, why := w.Judge.NotLive()
				t.Fatalf("%s, walk %d: not live after %d steps: %v\n%v\n%v", c.name, i, r.steps, why, w.Text.Lines(), w.Run.Err())
			}
			longest = max(longest, r.steps)
			for k, n := range r.events {
				events[k] += n
			}
		}
		t.Logf("%s: at most %d steps, %v", c.name, longest, events)
		for _, k := range []sim.Kind{sim.KindMessage, sim.KindClear, sim.KindFlushed, sim.KindError, sim.KindRefused, sim.KindRestart, sim.KindTimer, sim.KindCrash, sim.KindReset} {
			if events[k] == 0 {
				t.Errorf("%s: no %s event", c.name, k)
			}
		}
	}
}

const fit = "tcp: the two ends of a connection keep flags that fit"

// Each flaw of the transport is found by a few stormy walks, on any seed.
func TestFlawsByWalks(t *testing.T) {
	for _, bug := range []sim.BugID{ST1, ST2, ST3} {
		for _, nodes := range []int{2, 3} {
			w, source := newWorld(t, nodes, System.Tolerates, string(bug)), choose.NewWalk(1)
			var took []int
			for seed := range uint64(5) {
				for i := 0; ; i++ {
					if i == 3_000 {
						t.Fatalf("%s, %d nodes, seed %d: not found in %d walks", bug, nodes, seed, i)
					}
					source.Restart(seed, uint64(i))
					if r := storm(w, source, 100, 0); r.failure != nil {
						if r.failure.Property != fit {
							t.Errorf("%s, %d nodes: %s: %s", bug, nodes, r.failure.Property, r.failure.Message)
						}
						took = append(took, i+1)
						break
					}
				}
			}
			t.Logf("%s, %d nodes: found by walk number %v of five seeds", bug, nodes, took)
		}
	}
}

// Taking all runs of a few steps finds each flaw, too. The table has the least number of steps for each.
func TestFlawsByEnumeration(t *testing.T) {
	for _, c := range []struct {
		bug   sim.BugID
		depth int
	}{{ST1, 3}, {ST2, 4}, {ST3, 4}} {
		for depth := 1; depth <= c.depth; depth++ {
			failure, paths := enumerate(newWorld(t, 2, System.Tolerates, string(c.bug)), depth)
			switch {
			case failure == nil && depth == c.depth:
				t.Errorf("%s: not found in %d steps", c.bug, depth)
			case failure != nil && depth < c.depth:
				t.Errorf("%s: found in %d steps already: %s", c.bug, depth, failure.Message)
			case failure != nil:
				t.Logf("%s: in %d steps, after %d runs: %s", c.bug, depth, paths, failure.Message)
			}
		}
	}
	if failure, paths := enumerate(newWorld(t, 2, System.Tolerates), 6); failure != nil {
		t.Errorf("the correct one: %s: %s", failure.Property, failure.Message)
	} else {
		t.Logf("the correct one: %d runs of 6 steps", paths)
	}
}

// enumerate takes all runs of depth steps, until one fails.
func enumerate(w *world.World, depth int) (failure *trace.Failure, paths int) {
	for o, more := choose.NewOdometer(), true; more; more = o.Next() {
		paths++
		failure = w.Protect(func() {
			w.Start(o)
			for range depth {
				if w.Judge.Check() != nil || w.Step(o) != world.Stepped {
					return
				}
			}
			w.Judge.Check()
		})
		if failure != nil {
			return failure, paths
		}
		o.Cut()
	}
	return nil, paths
}
