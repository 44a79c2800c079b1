package search

import (
	"testing"

	"macemc/trace"
)

// TestUndecidedSuspects: if the search has to stop before it has decided about a suspected run, the result
// has that run as the path of a dead run, in whatever phase it stops.
func TestUndecidedSuspects(t *testing.T) {
	sys := sleepers(2, func(s *sleeper) bool { return s.Side == 0 })
	met := 0
	for _, after := range []int{40, 150, 400} {
		asked, late := 0, 0
		r, err := newRunner(sys, Options{Depth: 5, Workers: 1, WalkSteps: 500, MaxWalkSteps: 1_000, once: true})
		if err != nil {
			t.Fatal(err)
		}
		r.Limits.Ask = func() string {
			if asked++; asked > after {
				late++
				return string(StopTime)
			}
			return ""
		}
		res, err := r.search()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("after %d: stopped %s, %d undecided, found is %v", after, res.Stop, len(res.Undecided), res.Finding != nil)
		if late > 20 {
			t.Errorf("after %d: told to stop, the search asked %d times again", after, late)
		}
		if res.Finding == nil && res.Stop != StopTime {
			t.Errorf("after %d: stopped: %s", after, res.Stop)
		}
		if len(res.Undecided) == 0 {
			continue
		}
		met++
		again, err := Replay(sys, res.Undecided[0].Path, Options{AsRecorded: true})
		if err != nil || again.Finding.Verdict != trace.VerdictDead {
			t.Errorf("after %d: what was not decided is replayed as: %v, %+v", after, err, again)
		}
	}
	if met == 0 {
		t.Error("no suspect was left undecided")
	}
}

// TestTimeLiftsTheWalks: with Options.Timed, walks go on beyond the default number until the time is
// over. The reason for stopping says whether that number was reached.
func TestTimeLiftsTheWalks(t *testing.T) {
	sys := sleepers(2, func(s *sleeper) bool { return true })
	for _, c := range []struct {
		walks, paths int
		want         Stop
		taken        int
	}{
		{200, 0, StopTime, 200},
		{defaultWalks + 200, 0, StopSpent, defaultWalks + 200},
		{defaultWalks + 200, 300, StopPaths, 300},
	} {
		var r *runner
		var err error
		opts := Options{Depth: 1, Workers: 1, once: true, Timed: true, Paths: c.paths, Stop: func() Stop {
			if r.stats.Walks >= c.walks {
				return StopTime
			}
			return ""
		}}
		if r, err = newRunner(sys, opts); err != nil {
			t.Fatal(err)
		}
		res, err := r.search()
		if err != nil || res.Stop != c.want || res.Stats.Walks < c.taken || res.Stats.Walks > c.taken+1_000 {
			t.Errorf("%+v: %v, stopped: %s after %d walks", c, err, res.Stop, res.Stats.Walks)
		}
	}
}

// TestReplayAsRecordedJudgesNothing: with Options.AsRecorded, a replay of a dead run takes its steps, and
// no walks to decide whether its end is dead. So it takes only as long as the run.
func TestReplayAsRecordedJudgesNothing(t *testing.T) {
	asked := 0
	sys := sleepers(2, func(s *sleeper) bool { asked++; return s.Side == 0 })
	f := search(t, sys, 0, nil, Options{Depth: 1, Workers: 1, WalkSteps: 500, MaxWalkSteps: 1_000, once: true}).Finding
	if f == nil || f.Proved {
		t.Fatalf("found is %+v", f)
	}
	for recorded, most := range map[bool]int{true: 4 * f.Step, false: 1 << 40} {
		asked = 0
		r, err := Replay(sys, f.Path, Options{AsRecorded: recorded, Workers: 1, WalkSteps: 500, MaxWalkSteps: 1_000})
		if err != nil || !r.Reproduced || asked > most || !recorded && asked < 4*f.Step {
			t.Errorf("as recorded: %t: %v, %+v, and of a run of %d steps %d states were looked at", recorded, err, r, f.Step, asked)
		}
	}
}
