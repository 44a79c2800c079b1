package live

import (
	"time"

	"macemc/sim"
)

// clock decides when a node's timers fire, and when else the node wakes.
type clock struct {
	began  time.Time
	pace   float64
	pause  time.Duration // between two guarded actions
	action time.Time     // no guarded action before
	waking time.Time     // an alarm apart from the timers; the zero time if there is none
}

// reading reads the node's clock. It runs as fast as the timers do, so that the promises of
// System.Clock hold at any pace.
func (c *clock) reading() time.Duration {
	return time.Duration(float64(time.Since(c.began))/c.pace) + time.Second
}

// alarm wakes the loop at a time.
func (c *clock) alarm(at time.Time) {
	if c.waking.IsZero() || at.Before(c.waking) {
		c.waking = at
	}
}

// rings reports whether the alarm is due, and turns it off.
func (c *clock) rings(now time.Time) bool {
	if c.waking.IsZero() || now.Before(c.waking) {
		return false
	}
	c.waking = time.Time{}
	return true
}

// idle returns how long the loop may wait.
func (c *clock) idle(now time.Time, timers map[sim.Signal]time.Time) time.Duration {
	until := now.Add(time.Hour)
	earlier := func(t time.Time) {
		if t.Before(until) {
			until = t
		}
	}
	for _, at := range timers {
		earlier(at)
	}
	if !c.waking.IsZero() {
		earlier(c.waking)
	}
	if now.Before(c.action) {
		earlier(c.action)
	}
	return max(until.Sub(now), 0)
}

// due removes and returns the timer with the earliest time, and that time, if it has come.
func (c *clock) due(now time.Time, timers map[sim.Signal]time.Time) (timer sim.Signal, first time.Time, ok bool) {
	for s, at := range timers {
		if !at.After(now) && (!ok || at.Before(first)) {
			timer, first, ok = s, at, true
		}
	}
	if ok {
		delete(timers, timer)
	}
	return timer, first, ok
}
