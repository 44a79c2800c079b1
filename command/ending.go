package command

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"macemc/internal/search"
)

// If the time limit ends a command, the command may go on with the report of a finding for lateAfterTime, and
// then writes the results that it has. If it still runs after killAfterTime, the keeper kills the child.
// After a signal the times are lateAfterSignal and killAfterSignal, which are shorter, since a user waits for
// the command.
const (
	lateAfterTime, killAfterTime     = 2 * time.Second, 3500 * time.Millisecond
	lateAfterSignal, killAfterSignal = 500 * time.Millisecond, 1200 * time.Millisecond
)

// ending records whether a command should end, and why.
type ending struct {
	asked, over atomic.Bool // a signal has asked it to end; its time is over
	late        atomic.Bool // the analysis of findings should end too
}

// why returns the reason to end, or "" if there is none.
func (e *ending) why() search.Stop {
	switch {
	case e.asked.Load():
		return search.StopInterrupted
	case e.over.Load():
		return search.StopTime
	default:
		return ""
	}
}

// interrupts makes the first Ctrl-C or SIGTERM end the command with its results so far, and the second one
// end the process. The command also ends with its results after the time limit, unless limit is 0. ignore
// restores the default behavior of signals.
func (t *tool) interrupts(p *progress, limit time.Duration) (e *ending, ignore func()) {
	e = &ending{}
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var timers []*time.Timer
	after := func(d time.Duration, is *atomic.Bool) {
		timers = append(timers, time.AfterFunc(d, func() { is.Store(true) }))
	}
	if limit > 0 {
		after(limit, &e.over)
		after(limit+lateAfterTime, &e.late)
	}
	go func() {
		defer func() {
			for _, one := range timers {
				one.Stop()
			}
		}()
		for {
			select {
			case <-done:
				return
			case <-signals:
				if t.child != nil {
					t.child.trail.Hear()
				}
			}
			if e.asked.Swap(true) {
				p.clear()
				t.shelf.Abandon()
				t.exit(exitStopped)
			}
			after(lateAfterSignal, &e.late)
			p.note("macemc: stopping with what was found so far; again to exit at once")
		}
	}()
	return e, func() {
		signal.Stop(signals)
		close(done)
	}
}
