package search

import (
	"strconv"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
)

// While a search makes its table of states larger, it is not reported as stuck, however long that
// takes. After that, a handler that does not return is.
func TestHouseworkIsNotStuck(t *testing.T) {
	r, err := newRunner(rounds(3, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	felt := map[*hand]*run.Feeling{}
	still := func() (n int) {
		for n = 1; n < 2*run.Looks; n++ {
			if r.monitor.feel(felt) != nil {
				return n
			}
		}
		return 0
	}
	r.Pulse.On = true
	r.Pulse.Tick()
	end := r.Limits.Tidy()
	if n := still(); n > 0 {
		t.Errorf("while a table grew, it was stuck after %d looks", n)
	}
	end()
	if n := still(); n != run.Looks+1 {
		t.Errorf("after that it was stuck after %d looks, want %d", n, run.Looks+1)
	}
}

// A ledger counts as housework while it makes its table larger, so that the monitor does not take
// the goroutine for one that is stuck.
func TestGrowingIsHousework(t *testing.T) {
	r, err := newRunner(rounds(3, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.owner.NewLedger(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	during := int32(-1)
	l.May = func(now int) int {
		during = r.Limits.Housework.Load()
		return 2 * now
	}
	e, before := l.Entry(), l.Set.Cap()
	for n := 1; l.Set.Cap() == before; n++ {
		if err := e.Room(1); err != nil {
			t.Fatal(err)
		}
		e.Pack([]uint32{uint32(n)})
		e.Add(canon.OfString(strconv.Itoa(n)), explore.Origin{})
		e.Told()
	}
	if after := r.Limits.Housework.Load(); during != 1 || after != 0 {
		t.Errorf("while the table grew, %d were at it; after that %d", during, after)
	}
}
