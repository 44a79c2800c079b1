package walk

import (
	"testing"

	"macemc/search/internal/run"
)

// Plans depend on the number of the walk alone, and say when a walk is judged:
// behind the prefix, or behind the step that heals.
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
