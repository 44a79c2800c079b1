package search

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/sim"
)

// others is an Afar of two takers in this process. All values pass through JSON. It takes the last
// span first, and returns the results in order.
type others struct {
	t      *testing.T
	takers []*Taker
	told   []Knowledge
	size   int
	leave  int // the walk that is left out, or -1
	spans  int
}

func through[T any](t *testing.T, v T) (out T) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (o *others) Size(n int) int { return o.size }

func (o *others) Grow(func(int) ([]byte, bool), func([]byte) error, func() bool) error {
	panic("no runs")
}

func (o *others) Learn(k Knowledge) error {
	o.told = append(o.told, through(o.t, k))
	return nil
}

func (o *others) Take(spans []Span, _ func() bool, came func(Spanned) bool) error {
	all := make([]Spanned, len(spans))
	for k := len(spans) - 1; k >= 0; k-- {
		one := o.takers[(k+o.spans)%len(o.takers)]
		for one.Lot()+1 < len(o.told) {
			if err := one.Learn(o.told[one.Lot()+1]); err != nil {
				return err
			}
		}
		out, _, err := one.Take(through(o.t, spans[k]), func(walk int) Next {
			if walk == o.leave {
				return NextLeave
			}
			return NextTake
		})
		if err != nil {
			return err
		}
		all[k] = through(o.t, out)
	}
	o.spans += len(spans)
	for _, s := range all {
		if !came(s) {
			break
		}
	}
	return nil
}

func takeAfar(t *testing.T, sys *sim.System, opts Options, size, leave int) (*Result, *others) {
	t.Helper()
	o := &others{t: t, size: size, leave: leave}
	for range 2 {
		one, err := NewTaker(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		o.takers = append(o.takers, one)
	}
	opts.Afar = o
	r, err := Search(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r, o
}

// A search whose walks other processes take returns the same path, counts and coverage as one alone.
func TestWalksAfarComeToTheSame(t *testing.T) {
	entries, err := known.Find(catalog.Bugs(), []string{"RT13", "RT14", "RS1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entry int // or -1 for commit without a bug
		size  int
		walks int
	}{{-1, 37, 1500}, {1, 100, 1800}, {0, 1000, 4000}, {2, 64, 8000}}[:long.Of(1, 4)] {
		var sys *sim.System
		opts := Options{Effort: 500, late: 1, Walks: c.walks, Workers: 1}
		if c.entry >= 0 {
			e := entries[c.entry]
			sys = e.System
			p, faults, err := e.Configure(e.ID)
			if err != nil {
				t.Fatal(err)
			}
			opts.Params, opts.Faults = p, faults
		} else if sys, err = known.System(catalog.Systems(), "commit"); err != nil {
			t.Fatal(err)
		}
		want, err := Search(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		got, o := takeAfar(t, sys, opts, c.size, -1)
		if diff := cmp.Diff(told(t, want), told(t, got)); diff != "" {
			t.Errorf("%s %v: another result (-alone +afar):\n%s", sys.Name, opts.Params.Bugs(), diff)
		}
		if o.spans == 0 {
			t.Errorf("%s: no walk was taken by others", sys.Name)
		}
	}
}

// The search reports a walk that was left out, and is incomplete.
func TestQuarantine(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := takeAfar(t, sys, Options{Params: p, Effort: 500, Walks: 1300, Workers: 1}, 50, 1234)
	if len(r.Quarantined) != 1 || r.Quarantined[0] != 1234 || r.Stats.Walks != 1299 {
		t.Errorf("quarantined are %d, and %d walks were taken", r.Quarantined, r.Stats.Walks)
	}
	if r.Stop != StopQuarantined || r.Cut != StopQuarantined || r.Liveness.State != StateIncomplete {
		t.Errorf("stopped: %s, cut: %s, liveness %s", r.Stop, r.Cut, r.Liveness.State)
	}
}
