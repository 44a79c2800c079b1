package live

import (
	"time"

	"macemc/sim"
)

// clock decides when a node's timers fire, and when its loop wakes for another reason.
type clock struct {
	began  time.Time
	pace   float64
	pause  time.Duration // the pause between two guarded actions
	action time.Time     // the earliest time of the next guarded action
	waking time.Time     // the time of an alarm that is no timer; the zero time if there is none
}

// reading returns the time that Env.Now reads. It goes as fast as the timers do, so that
// the promises of System.Clock hold at any pace.
func (c *clock) reading() time.Duration {
	return time.Duration(float64(time.Since(c.began))/c.pace) + time.Second
}

// alarm makes the node's loop wake at a time, or earlier.
func (c *clock) alarm(at time.Time) {
	if c.waking.IsZero() || at.Before(c.waking) {
		c.waking = at
	}
}

// rings reports whether the time of the alarm has come, and if so, turns the alarm off.
func (c *clock) rings(now time.Time) bool {
	if c.waking.IsZero() || now.Before(c.waking) {
		return false
	}
	c.waking = time.Time{}
	return true
}

// idle returns how long the loop may wait until a timer, the alarm or the next guarded action is due, but at
// most an hour.
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

// due finds the timer that should fire first. If its time has come, due removes it and
// returns it with that time.
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
