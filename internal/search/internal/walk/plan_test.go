package walk

import (
	"testing"

	"macemc/internal/search/internal/run"
)

// TestWeightedPlans: a plan depends only on the number of its walk. A walk is judged from the end of the
// prefix on or, if it has a storm, from the step after healing on.
func TestWeightedPlans(t *testing.T) {
	short, long := Length{Least: Least, Most: 1000}, Length{Least: 2000, Most: 1000}
	fair, stormy := &run.Fork{Steps: 7}, &run.Fork{Steps: 7}
	how := &Weighted{Fair: fair, Faulty: stormy, Base: 7, Stormy: true}
	late := 0
	for i := range 200 {
		p, again := how.Plan(i, short), how.Plan(i, short)
		if p != again || p.Number != uint64(i) {
			t.Fatalf("walk %d: %+v, then %+v", i, p, again)
		}
		if i%2 == 0 {
			if p.Begin != fair || p.Climate != run.Fair || p.Judged != 7 {
				t.Errorf("walk %d: %+v, want a fair one", i, p)
			}
			continue
		}
		heal := p.Climate.Heal
		if p.Begin != stormy || !p.Climate.Faults || p.Judged != heal+1 || heal < 7+4 || heal >= 7+4+117 {
			t.Errorf("walk %d: %+v", i, p)
		}
		if p.Storm.gust(6) || !p.Storm.gust(10) && p.Storm.Every == 1 {
			t.Errorf("walk %d: a storm of %+v from step 7 on", i, p.Storm)
		}
		if q := how.Plan(i, long); q.Storm.Calm > 7 {
			late++
			if q.Storm.Calm >= 7+1000 || q.Climate.Heal-q.Storm.Calm != heal-7 || !q.Storm.Stuck {
				t.Errorf("walk %d, which is long: %+v", i, q)
			}
		}
	}
	if late < 40 || late > 60 {
		t.Errorf("of 100 storms in long walks %d come late", late)
	}
	how.Stormy = false
	if p := how.Plan(1, short); p.Climate != run.Fair {
		t.Errorf("without faults: %+v", p)
	}
}

// TestFrom: in a walk from a state in the middle of a run, the environment heals in the first step,
// unless the run has healed before or has no faults.
func TestFrom(t *testing.T) {
	k := &run.Fork{Steps: 9}
	for _, c := range []struct{ in, out run.Climate }{
		{run.Fair, run.Fair},
		{run.Climate{Faults: true, Heal: -1}, run.Climate{Faults: true, Heal: 9}},
		{run.Climate{Faults: true, Heal: 12}, run.Climate{Faults: true, Heal: 9}},
		{run.Climate{Faults: true, Heal: 9}, run.Climate{Faults: true, Heal: 9}},
		{run.Climate{Faults: true, Heal: 8}, run.Climate{Faults: true, Heal: 8}},
	} {
		judged := 9
		if c.out.Heal == 9 {
			judged++
		}
		if p := From(k, c.in, 100); p.Begin != k || p.Climate != c.out || p.Judged != judged || p.Length.Most != 100 {
			t.Errorf("in %+v: %+v", c.in, p)
		}
	}
}

// A walk is looked at after 500 and 2,000 steps, as long as that is well before it is suspected.
func TestLooks(t *testing.T) {
	for most, want := range map[int][]int{10_000: {500, 2_000, 10_000}, 4_000: {500, 2_000, 4_000}, 3_999: {500, 3_999}, 1_000: {500, 1_000}, 999: {999}} {
		l := Length{Most: most}
		for i, n := range want {
			if l.Longer(); l.until() != n {
				t.Errorf("to %d steps: look %d is after %d, want %d", most, i, l.until(), n)
			}
		}
	}
}

// Walks are planned one by one until LotLeast walks or LotSteps steps were taken. From then on the
// size of each lot is the number of walks before it.
func TestLots(t *testing.T) {
	few, many := &run.Share{Steps: LotSteps - 1}, &run.Share{Steps: LotSteps}
	for _, c := range []struct {
		i     int
		s     *run.Share
		to    int
		large bool
	}{
		{0, few, 1, false}, {LotLeast - 1, few, LotLeast, false},
		{0, many, 1, true}, {7, many, 14, true}, {LotLeast, few, 2 * LotLeast, true}, {1 << 20, many, 1<<20 + LotMost, true}, {1_500, few, 2_000, true},
	} {
		n := 2_000_000
		if c.i == 1_500 {
			n = 2_000
		}
		if l, large := NextLot(c.i, n, c.s); l.From != c.i || l.To != c.to || large != c.large {
			t.Errorf("from walk %d: %+v, large %v; want to %d, %v", c.i, l, large, c.to, c.large)
		}
	}
}

// A lot after which a corpus grows has a length that depends on its first walk alone.
func TestShortLots(t *testing.T) {
	for from, want := range map[int]int{1_000: 1_000, 2_000: 1_024, 65_536: 1_024, 1 << 17: 2_048, 1 << 20: 1 << 14, 1 << 22: LotMost} {
		l, _ := NextLot(from, 1<<23, &run.Share{Steps: LotSteps})
		if l = l.Short(); l.To-l.From != want {
			t.Errorf("from walk %d: a lot of %d, want %d", from, l.To-l.From, want)
		}
	}
}

// A walk that is no longer wanted ends within 64 steps. A walk without a function Wanted is always
// wanted.
func TestWanted(t *testing.T) {
	asked, wanted := 0, true
	s := New(1)
	steps := func(from int) (n int) {
		for n = from; n < from+5_000 && s.goesOn(n); n++ {
		}
		return n - from
	}
	if n := steps(0); n < 5_000 || s.Left {
		t.Errorf("it ends after %d steps, and nobody can tell", n)
	}
	s.Wanted = func() bool { asked++; return wanted }
	if n := steps(0); n < 5_000 || s.Left || asked > 80 {
		t.Errorf("it ends after %d steps, and is wanted; asked was %d times", n, asked)
	}
	wanted = false
	if n := steps(100); n > 64 || !s.Left {
		t.Errorf("it goes on for %d steps, and is not wanted", n)
	}
}
