package search

import (
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/spec"
	"macemc/systems/randtree"
)

// The states of runs of random services are decided about twice: in one lab for all runs, which
// remembers earlier decisions, and in a lab of its own for each run. The answers are equal, and the
// lab that remembers visits fewer states.
func TestFactsChangeNoAnswer(t *testing.T) {
	shared, apart := 0, 0
	for seed := range uint64(long.Of(6, 1_000)) {
		s := spec.Draw(seed)
		opts := conditions(s)
		opts.Workers = 1
		open := func() *Lab {
			l, err := newLab(s.System(), opts, nil)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		one := open()
		if !one.CanBeLive() {
			continue
		}
		for n := range uint64(long.Of(4, 6)) {
			climate := run.Climate{Faults: true, Heal: int(n) * 2}
			take := func(l *Lab) *Case {
				of, err := alone(l, func() (*Case, error) {
					of, _, _ := l.examine(choose.NewWalk(seed<<8+n/2), climate, 12)
					return of, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return of
			}
			of := take(one)
			if of.Failure != nil || of.Steps() == 0 {
				continue
			}
			for _, q := range []struct{ from, most int }{{of.Steps(), 30}, {of.Steps() / 2, 2_000}, {of.Steps(), 2_000}, {0, 2_000}, {0, 30}} {
				own := open()
				last, decided, err := one.Settle(of, q.from, q.most)
				wantLast, want, err2 := own.Settle(take(own), q.from, q.most)
				shared, apart = shared+one.states, apart+own.states
				one.states = 0
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if want && (!decided || last != wantLast) || decided && !want && q.most > 30 {
					t.Fatalf("service %d, walk %d, from %d within %d states: last %d, decided %v; without what was known: %d, %v", seed, n, q.from, q.most, last, decided, wantLast, want)
				}
			}
		}
	}
	t.Logf("%d states were visited in one lab, and %d in labs of their own", shared, apart)
	if 10*shared > 9*apart {
		t.Errorf("%d states were visited in one lab, and %d in labs of their own", shared, apart)
	}
}

// Open returns the lab of the search with its decisions, under the limits of the caller.
func TestOpenReturnsTheLabOfTheSearch(t *testing.T) {
	sys := randtree.System
	p, err := sys.Configure(3, nil, []string{"RT18"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Search(sys, Options{Params: p, Workers: 1})
	if err != nil || r.Finding == nil || r.lab == nil {
		t.Fatalf("%v: %+v", err, r)
	}
	stopped := Stop("")
	l, err := r.Open(r.Finding.Path, Options{Workers: 2, EvidenceWalks: 7, Stop: func() Stop { return stopped }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l != r.lab || l.Effort() != 0 || len(l.hands()) != 2 || l.Options().EvidenceWalks != 7 || len(l.facts) == 0 {
		t.Errorf("the lab of the search: %v; effort %d, hands %d, %d walks, %d facts", l == r.lab, l.Effort(), len(l.hands()), l.Options().EvidenceWalks, len(l.facts))
	}
	of, err := l.Take(r.Finding.Path)
	if err != nil {
		t.Fatal(err)
	}
	before := l.Effort()
	if last, decided, err := l.Settle(of, of.Steps(), SettleMost); err != nil || !decided || last >= of.Steps() || l.Effort() != before {
		t.Errorf("%v: decided %v, last %d of %d, for an effort of %d", err, decided, last, of.Steps(), l.Effort()-before)
	}
	if stopped = StopInterrupted; !l.Stopped() {
		t.Error("the lab does not stop")
	}
	other := *r.Finding.Path
	other.Set("seed", "77")
	if another, err := r.Open(&other, Options{Workers: 1}); err != nil || another == l {
		t.Errorf("%v: a path of another seed is looked into in the same lab: %v", err, another == l)
	}
}
