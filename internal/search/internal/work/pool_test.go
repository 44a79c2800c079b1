package work

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestPoolEndsAtTheFirst: each unit is taken at most once. If a unit ends the work or fails, Do returns
// the outcomes of that unit and of all units before it.
func TestPoolEndsAtTheFirst(t *testing.T) {
	const n = 40
	broken := errors.New("broken")
	for _, hands := range []int{1, 3} {
		p := Pool[int]{Hands: make([]int, hands)}
		for _, last := range []struct {
			at   int
			fail error
			want int
		}{{n, nil, n}, {0, nil, 1}, {5, nil, 6}, {5, broken, 6}, {n - 1, nil, n}} {
			var taken [n]atomic.Int32
			came, err := p.Do(n, 1, func(_ int, u Unit, _ func() bool) (Outcome, error) {
				taken[u.From].Add(1)
				if u.From == last.at {
					return Outcome{Stats: Stats{Steps: 1}, Ends: true}, last.fail
				}
				return Outcome{Stats: Stats{Steps: 1}}, nil
			})
			if len(came) != last.want || !errors.Is(err, last.fail) {
				t.Errorf("%d hands, unit %d of %d is the last that is wanted: %d count, %v", hands, last.at, n, len(came), err)
			}
			for i := range taken {
				if times := taken[i].Load(); times > 1 || i < len(came) && times == 0 {
					t.Errorf("%d hands, unit %d of %d, of which %d count, was taken %d times", hands, i, n, len(came), times)
				}
			}
			for i, o := range came {
				if o.Stats.Steps != 1 {
					t.Errorf("%d hands: the outcome of unit %d is %+v", hands, i, o)
				}
			}
		}
	}
}

// A size that does not divide the numbers leaves a shorter unit at the end.
func TestPoolUnits(t *testing.T) {
	p := Pool[int]{Hands: make([]int, 2)}
	var sum atomic.Int64
	count, err := p.Share(10, 4, func(_ int, u Unit, _ func() bool) (Outcome, error) {
		for i := u.From; i < u.To; i++ {
			sum.Add(1 << i)
		}
		return Outcome{}, nil
	}, nil)
	if count != 3 || err != nil || sum.Load() != 1<<10-1 {
		t.Errorf("%d units, %v, and the numbers %b", count, err, sum.Load())
	}
}

// A hand whose goroutine is ended in a unit is replaced, and the units go on.
func TestPoolReplacesAHand(t *testing.T) {
	p := Pool[string]{Hands: []string{"first", "second"}}
	p.Gone = func(k int, u Unit) (Outcome, bool) {
		p.Hands[k] = "another"
		return Outcome{Stats: Stats{Walks: 100 + u.From}}, true
	}
	came, err := p.Do(20, 1, func(_ string, u Unit, _ func() bool) (Outcome, error) {
		if u.From == 7 {
			runtime.Goexit()
		}
		return Outcome{}, nil
	})
	if err != nil || len(came) != 20 || came[7].Stats.Walks != 107 || p.Hands[0] != "another" && p.Hands[1] != "another" {
		t.Errorf("%v, %d outcomes, the hands are %v", err, len(came), p.Hands)
	}
}

// TestStatsAdd: counts are added, and flags combined by or. Engine and Depth get the later value.
func TestStatsAdd(t *testing.T) {
	a, b := Stats{Engine: "memo", Steps: 1, Depth: 3, Manners: Manners{1, 2}, Periphery: Periphery{1, 2, 3}}, Stats{Engine: "local", Steps: 5, Walks: 2, Depth: 4, Cloned: true}
	var sum Stats
	sum.Add(a)
	sum.Add(b)
	if want := (Stats{Engine: "local", Steps: 6, Walks: 2, Depth: 4, Cloned: true, Manners: Manners{1, 2}, Periphery: Periphery{1, 2, 3}}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
}

// BenchmarkShare measures the cost of sharing out units that do nothing, for few and many hands and units.
func BenchmarkShare(b *testing.B) {
	for _, c := range []struct {
		name         string
		hands, units int
	}{{"1hand", 1, 1}, {"64hands", 64, 64}, {"1hand,1000units", 1, 1000}, {"64hands,100000units", 64, 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			p := Pool[int]{Hands: make([]int, c.hands)}
			for b.Loop() {
				if _, err := p.Share(c.units, 1, func(int, Unit, func() bool) (Outcome, error) { return Outcome{}, nil }, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
