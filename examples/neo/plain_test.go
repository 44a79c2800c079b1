package neo

import (
	"testing"
	"time"

	"github.com/nspcc-dev/dbft"
)

// clock is a timer of the library. Its time is an instant that the test sets, or that of the process.
type clock struct {
	now  time.Time
	last time.Duration
}

func (c *clock) Now() time.Time {
	if c.now.IsZero() {
		return time.Now()
	}
	return c.now
}

func (c *clock) Reset(_ uint32, _ byte, d time.Duration) { c.last = d }
func (c *clock) Extend(time.Duration)                    {}
func (c *clock) Height() uint32                          { return 1 }
func (c *clock) View() byte                              { return 0 }
func (c *clock) C() <-chan time.Time                     { return nil }

// second returns the time for which a validator waits for the second block, after it has proposed the first.
func second(t *testing.T, timer *clock) time.Duration {
	var height uint32
	h := &host{self: 1, all: 4}
	d := newLibrary(h, dbft.WithTimer[hash](timer), dbft.WithCurrentHeight[hash](func() uint32 { return height }),
		dbft.WithTimePerBlock[hash](func() time.Duration { return 15 * time.Second }))
	d.Start(0)
	for _, from := range []uint16{0, 2} {
		d.OnReceive(&payload{kind: dbft.PrepareResponseType, height: 1, from: from, body: response{h.outgoing[0].Hash()}})
	}
	for _, from := range []uint16{0, 2} {
		d.OnReceive(&payload{kind: dbft.CommitType, height: 1, from: from, body: commit{hash("[tx1]")}})
	}
	if h.accepted == "" {
		t.Fatal("no block")
	}
	height = 1
	d.Reset(0)
	return timer.last
}

// The library measures a round trip from a time by its Timer to a time by the clock of the process. If these
// are two clocks, the estimate is many years, and the library does not wait for the second block. The test
// passes as long as the library has this bug.
func TestRoundTripByTwoClocks(t *testing.T) {
	if wait := second(t, &clock{}); wait < 29*time.Second {
		t.Errorf("by the clock of the process it waits %s, not 30 s", wait)
	}
	if wait := second(t, &clock{now: time.Unix(0, 0)}); wait > 0 {
		t.Errorf("it waits %s: the bug is gone, so that this test can go, too", wait)
	}
}
