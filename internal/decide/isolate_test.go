package decide

import (
	"testing"

	"macemc/sim"
)

// mortal is a lab of a run whose states before number dead are recoverable, and whose others are
// not.
type mortal struct {
	dead int
}

func (m *mortal) Walk(q Walks) (*Walked, error) {
	if q.From < m.dead {
		return &Walked{Taken: 1, Success: []Success{{}}}, nil
	}
	return &Walked{Taken: q.Count}, nil
}

func (*mortal) Settle(int, int) (int, bool, error) { return 0, false, nil }
func (*mortal) Did(Walks) (*Did, error)            { return &Did{}, nil }
func (*mortal) Without() (int, []sim.BugID, error) { return 0, nil, nil }
func (*mortal) Stopped() bool                      { return false }
func (*mortal) Effort() int                        { return 0 }

// In a run of many stretches, the last one that begins with a recoverable state is found without
// trying all of them.
func TestLastAliveOfMany(t *testing.T) {
	for _, n := range []int{startsMost + 1, 60, 400} {
		starts := make([]int, n)
		for i := range starts {
			starts[i] = i
		}
		for _, dead := range []int{0, 1, 2, n / 3, n - 1, n} {
			lab := &mortal{dead: dead}
			p := New(lab, &Run{Wild: make([]bool, n), Live: make([]bool, n+1), Events: make([]string, n)}, Options{Walks: 6, WalkSteps: 10, MaxWalkSteps: 10})
			last, err := p.lastAlive(starts, -1)
			if err != nil || last != dead-1 {
				t.Errorf("of %d states %d are recoverable; the last is %d, %v", n, dead, last, err)
			}
			// A state that is dead costs some walks of each manner.
			if tried := len(p.verdicts); tried > 2*startsMost+10 {
				t.Errorf("of %d states %d were tried", n, tried)
			}
		}
	}
}

// An attempt to decide exactly about the end of a run that was not enough is remembered, and one that was not made is none.
func TestTooMany(t *testing.T) {
	for _, most := range []int{-1, 5} {
		p := New(&mortal{}, &Run{Wild: make([]bool, 3), Live: make([]bool, 4), Events: make([]string, 3), Counts: true}, Options{Walks: 6, WalkSteps: 10, MaxWalkSteps: 10, Exhaust: most})
		if _, err := p.Seems(1, true); err != nil || p.TooMany() != (most > 0) {
			t.Errorf("with at most %d states: too many is %v, %v", most, p.TooMany(), err)
		}
	}
}
