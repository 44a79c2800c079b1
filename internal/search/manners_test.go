package search

import (
	"fmt"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/randtree"
	"macemc/systems/simtcp"
	"macemc/systems/wal"
)

// Walks of each manner are the same whenever they are taken, and differ from those of other
// manners. They use all kinds of faults, and can be repeated from their answers with every check
// on.
func TestManners(t *testing.T) {
	walks := long.Of(12, 40)
	faults := sim.Faults{Crash: 1, Reset: 1, Partition: 1, Pause: 1}
	told := map[string]bool{}
	for _, w := range []Walking{WalkWeighted, WalkChain, WalkSwarm, WalkAuto} {
		take := func() (all string, kinds []sim.Kind) {
			r, err := newRunner(randtree.System, Options{Walking: w, Conditions: sim.Conditions{Faults: &faults}})
			if err != nil {
				t.Fatal(err)
			}
			s, how := walk.New(r.opts.Seed), r.strategy(nil)
			for i := range walks {
				s.Begin(how.Plan(i, r.length()))
				end, failure, x := r.Run(s, i%8 == 1)
				if failure != nil || end == run.EndStopped {
					t.Fatalf("%s, walk %d: %v, %v", w, i, end, failure)
				}
				state, answers := x.State.Hash(), choose.NewRaw(s.Picks())
				all += fmt.Sprint(s.Picks(), r.Climate)
				again := run.Repeat(answers, r.Climate, x.Run.Steps())
				again.See = func(w *world.World) {
					if k := w.Run.LastEvent().Kind; k.Fault() && !slices.Contains(kinds, k) {
						kinds = append(kinds, k)
					}
				}
				if _, failure, x := r.Run(again, true); failure != nil || x.State.Hash() != state || !answers.Done() {
					t.Fatalf("%s, walk %d: taken again it is another: %v", w, i, failure)
				}
			}
			return all, kinds
		}
		all, kinds := take()
		if again, _ := take(); again != all {
			t.Errorf("%s: walks differ when they are taken again", w)
		}
		if told[all] {
			t.Errorf("%s: walks are those of another manner", w)
		}
		told[all] = true
		if len(kinds) != 4 {
			t.Errorf("%s: faults that happened are %v", w, kinds)
		}
	}
}

// A step of a walk allocates no memory, in any manner.
func TestMannersAllocate(t *testing.T) {
	allocated := func(w Walking) float64 {
		r, err := newRunner(simtcp.System, Options{Walking: w, WalkLeast: 2_000})
		if err != nil {
			t.Fatal(err)
		}
		s, how := walk.New(r.opts.Seed), r.strategy(nil)
		i := 0
		take := func() {
			for i = range 24 {
				p := how.Plan(i, r.length())
				s.Begin(p)
				r.Run(s, false)
			}
		}
		take()
		return testing.AllocsPerRun(3, take)
	}
	weighted := allocated(WalkWeighted)
	for _, w := range []Walking{WalkChain, WalkSwarm, WalkAuto} {
		if n := allocated(w); n > 2*weighted+100 {
			t.Errorf("%s: 24 walks allocate %v times, weighted ones %v", w, n, weighted)
		}
	}
}

// In some guided walks with a partition, the network stays cut until the environment heals, which may take hundreds
// of steps. In some it stays cut until a step that is drawn, and in the others it is usually mended soon.
func TestPartsStay(t *testing.T) {
	for _, manner := range []Walking{WalkChain, WalkSwarm} {
		r, err := newRunner(randtree.System, Options{Walking: manner, Conditions: sim.Conditions{Faults: &sim.Faults{Partition: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		s, how, length := walk.New(r.opts.Seed), r.strategy(nil), r.length()
		length.Heals = walk.Heals(0, 0, 0, 0) // all heal
		var cut, mended, longest [3]int       // where parts are not to stay, until an earlier step, until it heals
		lasted := 0
		for i := range long.Of(250, 1_000) {
			p := how.Plan(i, length)
			s.Begin(p)
			r.Run(s, false)
			from, of := 0, 0
			switch last := p.Guide.Isolate; {
			case last == p.Climate.Heal:
				of = 2
			case last > 0:
				of = 1
			}
			again := run.Repeat(choose.NewRaw(s.Picks()), r.Climate, r.World.Run.Steps())
			again.See = func(w *world.World) {
				switch k := w.Run.LastEvent().Kind; {
				case k == sim.KindPartition && from == 0:
					from = w.Run.Steps()
					cut[of]++
				case from > 0 && (k == sim.KindMend || k == sim.KindHeal):
					if k == sim.KindMend {
						mended[of]++
					}
					if k == sim.KindMend && of == 1 && w.Run.Steps() > p.Guide.Isolate {
						lasted++
					}
					longest[of], from = max(longest[of], w.Run.Steps()-from), -1
				}
			}
			r.Run(again, false)
		}
		if cut[2] < long.Of(25, 100) || mended[2] > cut[2]/10 || mended[0] < cut[0]/2 || longest[2] < 200 || mended[1] < cut[1]/2 || lasted < mended[1]*3/4 {
			t.Errorf("%s: of %v partitions %v mend before the environment heals, the longest take %v steps; %d of those that are to last until a step do", manner, cut, mended, longest, lasted)
		}
	}
}

// Nearly all walks with a storm heal if becoming live takes few steps, and few heal if it takes
// many. The search counts both kinds. If there is no liveness property, none heals.
func TestShareHeals(t *testing.T) {
	walks := long.Of(200, 400)
	for _, c := range []struct {
		recovery, least, most int // years until a crash is over; walks that heal
		lively                bool
	}{{1, walks / 2, walks, true}, {2_000, 1, walks / 8, true}, {1, 0, 0, false}} {
		sys := aging(0, 0, func(*ager) bool { return true }, nil)
		if c.lively {
			sys.Properties = append(sys.Properties, sim.Eventually("it is well again", func(v sim.View[*ager]) bool {
				for _, a := range v.Nodes() {
					return a.Age%c.recovery == 0
				}
				return true
			}))
		}
		res, err := Search(sys, Options{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}, Depth: 1, Walks: walks, Seed: 3})
		if err != nil || res.Finding != nil {
			t.Fatal(err, res)
		}
		s := res.Stats
		if fair := walks / 8; s.Walks != walks || s.Healed+s.Ended+fair != walks || s.Healed < c.least || s.Healed > c.most {
			t.Errorf("of %d walks %d heal and %d end with their storm; %d to %d are to heal, and %d have none", s.Walks, s.Healed, s.Ended, c.least, c.most, fair)
		}
	}
}

// Faults stop waiting for a moment once the search has noticed that the system does not have it. randtree stores
// nothing and posts no tasks; wal has no tasks, and syncs in the step that writes.
func TestMomentsThatASystemHas(t *testing.T) {
	for _, c := range []struct {
		sys           *sim.System
		walks         int
		lacks, others []walk.Moment
	}{
		{randtree.System, 2_000, []walk.Moment{walk.Unsynced, walk.Pending}, []walk.Moment{walk.Sent, walk.Reborn}},
		{wal.System, 8_000, []walk.Moment{walk.Unsynced, walk.Pending}, []walk.Moment{walk.Sent, walk.Reborn}},
	} {
		res := search(t, c.sys, 0, nil, Options{Depth: 1, Walks: c.walks, Workers: 1, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}}})
		of := res.Stats.Waited
		for _, m := range c.lacks {
			if of[m].For < 64 || 2*of[m].For > of[walk.Sent].For || of[m].Came > 0 {
				t.Errorf("%s: %d faults waited for moment %d, and %d for a send; want 64, and half as many at most", c.sys.Name, of[m].For, m, of[walk.Sent].For)
			}
		}
		for _, m := range c.others {
			if of[m].For < 200 || 5*of[m].Came < of[m].For {
				t.Errorf("%s: %d faults waited for moment %d, and %d happened at it; want 200, and a fifth of them", c.sys.Name, of[m].For, m, of[m].Came)
			}
		}
	}
}
