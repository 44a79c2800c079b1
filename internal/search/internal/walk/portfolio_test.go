package walk

import (
	"math/bits"
	"slices"
	"testing"

	"macemc/internal/search/internal/run"
	"macemc/sim"
)

// TestPortfolioPlans: the plans of a portfolio depend only on the seed and the number of the walk. The
// manners are used in turn, one walk in eight has no faults, and faults become due within the storm.
func TestPortfolioPlans(t *testing.T) {
	const base, walks, most = 7, 2_400, 1_000
	fair, stormy := &run.Fork{Steps: base}, &run.Fork{Steps: base}
	how := func(seed uint64) *Portfolio {
		return &Portfolio{
			Weighted: Weighted{Fair: fair, Faulty: stormy, Base: base, Stormy: true},
			Seed:     seed, Manners: []Manner{Chain, Swarm, ByWeight, Single}, Lively: true,
			Budgets: []Budget{{sim.KindCrash, 2}, {sim.KindReset, 1}, {sim.KindPartition, 1}},
		}
	}
	one, again, other := how(1), how(1), how(2)
	var manners [Manners]int
	var lengths []int
	fairs, late, alike, isolated, long, close, ends, moments, returned := 0, 0, 0, 0, 0, 0, 0, 0, 0
	kinds := map[uint64]int{}
	for i := range walks {
		p := one.Plan(i, Length{Least: Least, Most: most, Glance: Least, Heals: healsOf / 4})
		if q := again.Plan(i, Length{Least: Least, Most: most, Glance: Least, Heals: healsOf / 4}); p != q {
			t.Fatalf("walk %d: %+v, then %+v", i, p, q)
		}
		if other.Plan(i, Length{}).Guide.Key == p.Guide.Key {
			alike++
		}
		manners[p.Guide.Manner]++
		if !p.Climate.Faults {
			if fairs++; p.Begin != fair || p.Guide.Until != p.Judged || p.Length.Least != Least || p.Guide.Faults != 0 {
				t.Errorf("walk %d: %+v, want a fair one that goes on", i, p)
			}
			continue
		}
		heal, calm := p.Climate.Heal, p.Storm.Calm
		points := p.Guide.Points[:p.Guide.Faults]
		lengths = append(lengths, heal-calm)
		if p.Begin != stormy || p.Judged != heal+1 || p.Guide.Until != heal || p.Length.Least != 0 {
			t.Errorf("walk %d: %+v", i, p)
		}
		if p.Ends {
			ends++
		}
		kinds[p.Guide.Kinds]++
		if heal-calm > 100 && len(points) == 2 { // else all are close
			if long++; points[1]-points[0] <= 6 {
				close++
			}
		}
		if calm > base {
			late++
		}
		switch last := p.Guide.Isolate; {
		case last == heal:
			isolated++
		case last > 0:
			if returned++; last < calm || last > heal {
				t.Errorf("walk %d: partitions last to step %d, of a storm from %d to %d", i, last, calm, heal)
			}
		}
		if slices.ContainsFunc(p.Guide.Moments[:len(points)], func(m Moment) bool { return m != AtOnce }) {
			moments++
		}
		if least := bits.OnesCount64(p.Guide.Kinds); len(points) < min(1, least) || len(points) > 4 || !slices.IsSorted(points) || int(points[0]) < calm || int(points[len(points)-1]) >= heal+6 {
			t.Errorf("walk %d: faults at %v, of a storm from %d to %d", i, points, calm, heal)
		}
	}
	for m, n := range manners {
		if n != walks/len(manners) {
			t.Errorf("%d walks are of the manner %s", n, Manner(m))
		}
	}
	slices.Sort(lengths)
	if lengths[0] < stormLeast || lengths[len(lengths)-1] != stormMost || lengths[len(lengths)/2] < 20 || lengths[len(lengths)/2] > 80 {
		t.Errorf("storms take %d to %d steps, half of them %d", lengths[0], lengths[len(lengths)-1], lengths[len(lengths)/2])
	}
	if close < long/4 || close > 3*long/4 {
		t.Errorf("in %d of %d long storms the first two faults are close", close, long)
	}
	if fairs != walks/fairEach || late < walks/6 || late > walks/4 || isolated < walks/12 || returned < walks/12 || alike > 0 {
		t.Errorf("%d walks are fair, %d storms late, %d parted until they heal and %d until before, %d alike for two seeds", fairs, late, isolated, returned, alike)
	}
	if stormy := walks - fairs; ends < stormy*7/10 || ends > stormy*8/10 || moments < stormy/4 || moments > stormy*3/4 || len(kinds) != 7 {
		t.Errorf("%d of %d storms end the walk, in %d a fault waits for its moment; the kinds of faults are %v", ends, stormy, moments, kinds)
	}
}

// The share of walks that heal is the one at which a bug of safety and one of liveness lose the
// same factor, which is less than two.
func TestHeals(t *testing.T) {
	const storms, storm = 1_000, 100
	for _, c := range []struct{ heal, want int }{{0, healsOf}, {10, 232}, {100, 128}, {1_000, 23}, {2_000, 12}, {1 << 20, 1}} {
		q := Heals(storms, storms*storm, storms, storms*c.heal)
		if q != c.want {
			t.Errorf("if healing takes %d steps and a storm %d, %d of %d walks heal, want %d", c.heal, storm, q, healsOf, c.want)
		}
		share, h := float64(q)/healsOf, float64(c.heal)/storm
		if safe, live := 1+share*h, (1/share+h)/(1+h); q > 1 && (safe > 2 || live > safe+1.0/8 || live < safe-1.0/8) {
			t.Errorf("if healing takes %d steps, a bug of safety costs %.2f times as much, one of liveness %.2f times", c.heal, safe, live)
		}
	}
	for healed := range 10 {
		if q := Heals(storms, storms*storm, healed, healed*10_000); q == healsOf != (healed < 8) {
			t.Errorf("once %d have healed, %d of %d walks do", healed, q, healsOf)
		}
	}
}

// TestPortfolioGoesOn: if the corpus has states, Restarts of a hundred walks with faults begin at one of
// them. Their storm begins at the depth of that state. Walks without faults do not begin there, since
// the state may have been met in a storm.
func TestPortfolioGoesOn(t *testing.T) {
	const walks = 4_000
	s := &Portfolio{Weighted: Weighted{Stormy: true}, Seed: 1, Manners: []Manner{Chain}, Budgets: []Budget{{sim.KindCrash, 1}}, Lively: true, Restarts: 30}
	plans := func() (from, fair int) {
		for i := range walks {
			p := s.Plan(i, Length{Least: Least, Most: 1_000})
			switch {
			case p.From == 0:
			case !p.Climate.Faults:
				fair++
			case p.lead != &s.Corpus.kept[p.From-1] || p.Storm.Calm != p.lead.depth || p.Climate.Heal <= p.lead.depth:
				t.Errorf("walk %d: %+v", i, p)
			default:
				from++
			}
		}
		return from, fair
	}
	for _, c := range []*Corpus{nil, NewCorpus()} {
		if s.Corpus = c; s.Corpus.Len() > 0 {
			t.Fatal("states are kept")
		}
		if from, fair := plans(); from+fair > 0 {
			t.Errorf("%d walks begin at kept states, of which there are none", from+fair)
		}
	}
	s.Corpus.kept = []kept{{depth: 5}, {depth: 90}}
	if from, fair := plans(); fair > 0 || from < walks*7/8*25/100 || from > walks*7/8*35/100 {
		t.Errorf("of %d walks %d go on from a kept state, and %d of those in fair weather", walks, from, fair)
	}
}
