package program

import (
	"fmt"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// A clock is the clock of a host, as the difference from the right time. Restarts of the host keep it.
type clock struct {
	jump time.Duration // how far the wall clock is ahead of the monotonic clock
	rate int           // how fast both clocks are, in millionths; negative if they are slow
}

// Jump sets the wall clock of a host forward by d, or back if d is negative, as an operator
// or a time server does. Timers and time differences use the monotonic clock, which does
// not jump.
func (w *World) Jump(name string, d time.Duration) {
	c := w.Host(name).clock
	c.jump += d
	w.sets(name, c, fmt.Sprintf("its wall clock jumps by %v", d))
}

// Drift makes all clocks of a host, and with them its timers, fast by rate millionths, or slow if
// rate is negative. A rate of 0 ends the drift; the clocks keep what they have gained.
func (w *World) Drift(name string, rate int) {
	c := w.Host(name).clock
	c.rate = max(min(rate, driftMost), -driftMost)
	w.sets(name, c, fmt.Sprintf("its clocks are fast by %d of a million", c.rate))
}

// RightClock ends the drift of a host, and sets its wall clock right.
func (w *World) RightClock(name string) {
	h := w.Host(name)
	if h.clock == (clock{}) {
		return
	}
	c := h.clock
	c.rate = 0
	lead := w.sets(name, c, "its wall clock is set right")
	c.jump = -lead
	w.sets(name, c, "")
}

// driftMost is the largest drift in millionths.
const driftMost = 500_000

// The largest jump and the largest drift if the caller does not set them.
const (
	skewUsual  = 10 * time.Second
	driftUsual = 10_000
)

// Unclock makes the clock of a host jump by at most skew, or drift by at most rate millionths, as
// the search chooses. If skew is 0, it is ten seconds; if rate is 0, it is 10,000.
func (w *World) Unclock(name string, skew time.Duration, rate int) {
	if skew == 0 {
		skew = skewUsual
	}
	if rate == 0 {
		rate = driftUsual
	}
	k := w.Choose(16)
	shift, sign := 2*(3-k%8/2), 1-2*(k%2)
	if k < 8 {
		w.Jump(name, time.Duration(sign)*(skew>>shift))
	} else {
		w.Drift(name, sign*(rate>>shift))
	}
}

// sets sets the clock of a host to c and logs text. It returns the time by which the host's
// monotonic clock is ahead.
func (w *World) sets(name string, c clock, text string) (lead time.Duration) {
	if err := bubble.Exact(); err != nil {
		w.t.Skip(fmt.Sprintf("host %s has no clock of its own: %v; only the overlay gives it one", name, err))
	}
	h := w.Host(name)
	if h.Running() {
		lead = bubble.SetClock(h.life.number, c.jump, c.rate)
	}
	h.clock = c
	if text != "" {
		w.note(name + ": " + text)
		w.happened(Event{Kind: happens.Clock, Host: name, Text: text})
	}
	return lead
}

// winds gives the host's new life the jump and the rate of the host's clock, since each life begins with a
// clock that is right.
func (h *Host) winds() {
	if h.clock != (clock{}) {
		bubble.SetClock(h.life.number, h.clock.jump, h.clock.rate)
	}
}
