package choose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func event(runs ...Run) *Question {
	q := &Question{Kind: Event, Runs: runs}
	for _, r := range runs {
		q.N += r.N
	}
	return q
}

// TestWalkDistribution compares counts with weights by Pearson's chi-squared. The seeds are
// fixed, so the test always has the same result.
func TestWalkDistribution(t *testing.T) {
	mixed := event(Run{2, 1}, Run{3, 0}, Run{1, 10}, Run{4, 0.25}, Run{1, 0})
	for _, test := range []struct {
		name string
		walk Walk
		q    *Question
		want []float64 // weights
	}{
		{"plain", Walk{}, &Question{Kind: Coin, N: 7}, []float64{1, 1, 1, 1, 1, 1, 1}},
		{"weighted", Walk{}, mixed, []float64{1, 1, 0, 0, 0, 10, .25, .25, .25, .25, 0}},
		{"uniform", Walk{Uniform: true}, mixed, []float64{1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0}},
		{"rare", Walk{Rare: true}, mixed, []float64{1, 1, rareWeight, rareWeight, rareWeight, 10, .25, .25, .25, .25, rareWeight}},
		{"uniform rare", Walk{Uniform: true, Rare: true}, mixed, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			const draws = 200_000
			test.walk.Restart(7, 3)
			counts := make([]int, test.q.N)
			for range draws {
				counts[test.walk.Answer(test.q)]++
			}
			chi, free := chiSquared(counts, test.want, draws)
			// 99.9 % quantile by Wilson and Hilferty.
			f := float64(free)
			if limit := f * math.Pow(1-2/(9*f)+3.09*math.Sqrt(2/(9*f)), 3); chi > limit {
				t.Errorf("chi-squared %.1f of %d degrees exceeds %.1f: %v", chi, free, limit, counts)
			}
		})
	}
}

// chiSquared returns Pearson's statistic and its degrees of freedom. It is +Inf if an alternative of weight 0
// was picked.
func chiSquared(counts []int, weights []float64, draws int) (chi float64, free int) {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	free = -1
	for i, w := range weights {
		expected := w / total * float64(draws)
		if expected == 0 {
			if counts[i] > 0 {
				return math.Inf(1), free
			}
			continue
		}
		free++
		chi += (float64(counts[i]) - expected) * (float64(counts[i]) - expected) / expected
	}
	return chi, free
}

// TestWalkIsTheSameForEver compares a walk with picks that are written down here: a seed that is
// printed in a report must lead to the same walk in later versions.
func TestWalkIsTheSameForEver(t *testing.T) {
	w := NewWalk(42)
	plain, weighted := &Question{Kind: Event, N: 1000}, event(Run{1, 1}, Run{98, 3}, Run{901, 0.5})
	for range 4 {
		w.Answer(plain)
		w.Answer(weighted)
	}
	const want = "[{1000 458} {1000 429} {1000 870} {1000 48} {1000 274} {1000 97} {1000 515} {1000 86}]"
	if got := fmt.Sprint(w.Picks()); got != want {
		t.Errorf("picks %s, want %s", got, want)
	}
}

func TestWalkStreams(t *testing.T) {
	q := &Question{Kind: Event, N: 1 << 20}
	stream := func(seed, index uint64) []Pick {
		var w Walk
		w.Restart(seed, index)
		for range 8 {
			w.Answer(q)
		}
		return w.Picks()
	}
	seen := map[Pick][2]uint64{}
	for seed := range uint64(8) {
		for index := range uint64(8) {
			s := stream(seed, index)
			if !slices.Equal(s, stream(seed, index)) {
				t.Errorf("walk %d of seed %d differs from itself", index, seed)
			}
			if other, ok := seen[s[0]]; ok {
				t.Errorf("walk %d of seed %d begins like %v", index, seed, other)
			}
			seen[s[0]] = [2]uint64{seed, index}
		}
	}
	if a := NewWalk(5); a.Answer(q) != int(stream(5, 0)[0].Pick) {
		t.Error("NewWalk is not walk 0 of its seed")
	}
}

// TestWalkNeighbours checks that the first answers of walks with neighbouring seeds and indexes are spread as
// randomly as others.
func TestWalkNeighbours(t *testing.T) {
	q := &Question{Kind: Event, N: 16}
	weights := slices.Repeat([]float64{1}, 16)
	bySeed, byIndex := make([]int, 16), make([]int, 16)
	const draws = 16_000
	var w Walk
	for i := range uint64(draws) {
		w.Restart(i, 0)
		bySeed[w.Answer(q)]++
		w.Restart(1, i)
		byIndex[w.Answer(q)]++
	}
	for _, counts := range [][]int{bySeed, byIndex} {
		if chi, _ := chiSquared(counts, weights, draws); chi > 37.7 { // 99.9 % of 15 degrees
			t.Errorf("chi-squared %.1f: %v", chi, counts)
		}
	}
}

func TestWalkOnlyRare(t *testing.T) {
	rare, some := event(Run{1, 0}), event(Run{1, 0}, Run{1, 1})
	w := NewWalk(1)
	if a := w.Answer(some); a != 1 {
		t.Errorf("answer %d, want 1", a)
	}
	if a := w.Answer(rare); a >= 0 || w.Err() != ErrOnlyRare {
		t.Errorf("answer %d, err %v", a, w.Err())
	}
	if a := w.Answer(some); a != 1 || w.Err() != nil || len(w.Picks()) != 2 {
		t.Errorf("after a no: answer %d, picks %v", a, w.Picks())
	}
	w.Restart(1, 0)
	w.Rare = true
	if a := w.Answer(rare); a != 0 || w.Err() != nil {
		t.Errorf("with Rare: answer %d, err %v", a, w.Err())
	}
	w.Restart(1, 0)
	w.Rare, w.Stuck = false, true
	for range 100 {
		if a := w.Answer(some); a != 1 {
			t.Fatalf("with Stuck, where there is another: answer %d, want 1", a)
		}
		if a := w.Answer(rare); a != 0 || w.Err() != nil {
			t.Fatalf("with Stuck: answer %d, err %v", a, w.Err())
		}
	}
	if n := len(w.Picks()); n != 200 {
		t.Errorf("with Stuck: %d picks of 200", n)
	}
}

// TestWalkEdges draws from weights at which rounding could go wrong.
func TestWalkEdges(t *testing.T) {
	for _, runs := range [][]Run{
		{{3, 0.1}, {7, 0.3}, {1, 0}},
		{{1, 1e-300}, {1, 1e300}, {2, 0}},
		{{1, 5e-324}, {5, 0}},
		{{0, 1}, {2, 1}, {0, 3}},
	} {
		q, w := event(runs...), NewWalk(9)
		for range 10_000 {
			if a := w.Answer(q); a < 0 || a >= q.N || weightOf(q, a) == 0 {
				t.Fatalf("answer %d of %v, err %v", a, runs, w.Err())
			}
		}
	}
}

// TestWeigh checks that each weight counts one unit more than its own, so that no weight above 0 becomes
// 0, and that sums of weights do not overflow.
func TestWeigh(t *testing.T) {
	const rare = 17
	for _, c := range []struct {
		walk   Walk
		weight float64
		want   uint64
	}{
		{Walk{}, 0, rare},
		{Walk{}, math.SmallestNonzeroFloat64, 1},
		{Walk{}, 0.5, unit/2 + 1},
		{Walk{}, 3, 3*unit + 1},
		{Walk{}, maxWeight - 1, (maxWeight-1)*unit + 1},
		{Walk{}, maxWeight, maxWeight*unit + 1},
		{Walk{}, maxWeight + 1, maxWeight*unit + 1},
		{Walk{}, math.MaxFloat64, maxWeight*unit + 1},
		{Walk{Uniform: true}, 0, rare},
		{Walk{Uniform: true}, 0.5, unit},
		{Walk{Uniform: true}, 3, unit},
	} {
		if got := c.walk.weigh(c.weight, rare); got != c.want {
			t.Errorf("uniform %v: a weight of %v counts %d, want %d", c.walk.Uniform, c.weight, got, c.want)
		}
	}
	for _, c := range []struct {
		walk Walk
		want uint64
	}{
		{Walk{}, 0}, {Walk{Uniform: true}, 0}, {Walk{Rare: true}, rareWeight * unit}, {Walk{Rare: true, Uniform: true}, unit},
	} {
		if got := c.walk.rareWeight(); got != c.want {
			t.Errorf("rare %v, uniform %v: weight 0 counts %d, want %d", c.walk.Rare, c.walk.Uniform, got, c.want)
		}
	}
}

func weightOf(q *Question, i int) float64 {
	for _, r := range q.Runs {
		if i < r.N {
			return r.Weight
		}
		i -= r.N
	}
	return 0
}

func TestRawRepeatsWalk(t *testing.T) {
	questions := []*Question{event(Run{3, 1}, Run{2, 2}), {Kind: Coin, N: 2}, event(Run{1, 1}), event(Run{4, 0}, Run{4, 1})}
	w := NewWalk(3)
	for _, q := range questions {
		w.Answer(q)
	}
	r := NewRaw(w.Picks())
	for range 2 {
		for i, q := range questions {
			if r.Done() {
				t.Errorf("done before question %d", i)
			}
			if a := r.Answer(q); a != int(w.Picks()[i].Pick) {
				t.Errorf("question %d: %d, want %d", i, a, w.Picks()[i].Pick)
			}
		}
		if !r.Done() || r.Err() != nil {
			t.Errorf("done %v, err %v", r.Done(), r.Err())
		}
		if a := r.Answer(questions[0]); a >= 0 || r.Err() != ErrEnd || r.Answer(questions[0]) >= 0 {
			t.Errorf("after the end: answer %d, err %v", a, r.Err())
		}
		r.Restart(w.Picks())
	}
	const want = "run diverged at choice 1: question of 5 was asked before, now coin of 2; a node may range over a map, or keep state outside itself"
	if a := r.Answer(questions[1]); a >= 0 || r.Err() == nil || r.Err().Error() != want {
		t.Errorf("answer %d, err %v", a, r.Err())
	}
}

func TestNoAllocations(t *testing.T) {
	q := event(Run{3, 1}, Run{2, 2}, Run{1, 0})
	w := NewWalk(1)
	walk := func(index uint64) {
		w.Restart(1, index)
		for range 100 {
			w.Answer(q)
		}
	}
	walk(0)
	if n := testing.AllocsPerRun(100, func() { walk(1) }); n != 0 {
		t.Errorf("a warm walk allocates %v times", n)
	}
	o, coin := NewOdometer(), &Question{Kind: Coin, N: 2}
	enumerate := func() {
		o.Reset()
		for more := true; more; more = o.Next() {
			for range 5 {
				o.Answer(coin)
			}
		}
	}
	enumerate()
	if n := testing.AllocsPerRun(100, enumerate); n != 0 {
		t.Errorf("a warm odometer allocates %v times", n)
	}
}

func BenchmarkWalk(b *testing.B) {
	for _, runs := range []int{0, 1, 2, 4, 6} {
		q := &Question{Kind: Event, N: 12}
		for i := range runs {
			q.Runs = append(q.Runs, Run{12 / runs, float64(i + 1)})
		}
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			w := NewWalk(1)
			for i := range b.N {
				if i%1024 == 0 {
					w.Restart(1, uint64(i))
				}
				w.Answer(q)
			}
		})
	}
}

func BenchmarkRestart(b *testing.B) {
	w := NewWalk(1)
	for i := range b.N {
		w.Restart(1, uint64(i))
	}
}

func BenchmarkOdometer(b *testing.B) {
	o, q := NewOdometer(), &Question{Kind: Coin, N: 2}
	for range b.N {
		for range 10 {
			o.Answer(q)
		}
		if !o.Next() {
			o.Reset()
		}
	}
}

// TestWalkSplitsRuns checks that a walk draws the same alternatives if each run of equal weight is split into
// runs of one alternative.
func TestWalkSplitsRuns(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	weights := []float64{0, 0, 1, 1, 2, 0.05, 1.0 / 3, 1e6}
	whole, split := NewWalk(1), NewWalk(1)
	for i := range 20_000 {
		one, each := Question{Kind: Event}, Question{Kind: Event}
		for range 1 + draw.IntN(4) {
			r := Run{N: 1 + draw.IntN(5), Weight: weights[draw.IntN(len(weights))]}
			one.N, one.Runs = one.N+r.N, append(one.Runs, r)
			for range r.N {
				each.N, each.Runs = each.N+1, append(each.Runs, Run{N: 1, Weight: r.Weight})
			}
		}
		for _, w := range []*Walk{whole, split} {
			w.Rare, w.Uniform, w.Stuck = i&1 != 0, i&2 != 0, i&4 != 0
		}
		if a, b := whole.Answer(&one), split.Answer(&each); a != b {
			t.Fatalf("question %d: of the runs %v alternative %d is drawn, and of %v alternative %d", i, one.Runs, a, each.Runs, b)
		}
	}
}
