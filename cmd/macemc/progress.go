package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"macemc/critical"
	"macemc/internal/report"
	"macemc/search"
)

const (
	everyLive  = 200 * time.Millisecond // on a terminal
	everyPlain = 10 * time.Second       // elsewhere
)

// progress tells how far a search is: on a terminal in one line that is
// rewritten, elsewhere in a line now and then.
type progress struct {
	quiet bool
	live  bool // on a terminal

	mu    sync.Mutex // the signals' goroutine writes too
	w     io.Writer
	began time.Time
	told  time.Time
	shown bool // a live line stands there
}

func (t *tool) progress(quiet bool) *progress {
	now := time.Now()
	return &progress{quiet: quiet, live: terminal(t.stderr), w: t.stderr, began: now, told: now}
}

// terminal reports whether w is a screen.
func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// searched is told by the search how far it is.
func (p *progress) searched(s search.Stats) {
	p.say(func(elapsed time.Duration) string { return report.Progress(s, elapsed) })
}

// looking is told how far the work on a finding is.
func (p *progress) looking(c critical.Progress) {
	p.say(func(time.Duration) string { return report.Looking(c) })
}

// say shows a line, if it is time for one.
func (p *progress) say(text func(elapsed time.Duration) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, every := time.Now(), everyPlain
	if p.live {
		every = everyLive
	}
	if p.quiet || now.Sub(p.told) < every {
		return
	}
	p.told = now
	line := text(now.Sub(p.began))
	if p.live {
		fmt.Fprintf(p.w, "\r%s\x1b[K", line)
		p.shown = true
		return
	}
	fmt.Fprintln(p.w, line)
}

// clear takes the live line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// note says something in a line of its own.
func (p *progress) note(text string) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, text)
}

// interrupts makes the first Ctrl-C, or a polite request to end, end the search at the end of its run, and
// the second end the process; the end of the time limit, if there is one, also
// ends the search. ignore goes back to the usual.
func (t *tool) interrupts(p *progress, limit time.Duration) (stop func() search.Stop, ignore func()) {
	var asked, over atomic.Bool
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	timer := time.AfterFunc(math.MaxInt64, func() { over.Store(true) })
	if limit > 0 {
		timer.Reset(limit)
	}
	go func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			if asked.Swap(true) {
				p.clear()
				t.shelf.Abandon()
				t.exit(exitStopped)
			}
			p.note("macemc: stopping at the end of this run; again to exit at once")
		}
	}()
	reason := func() search.Stop {
		switch {
		case asked.Load():
			return search.StopInterrupted
		case over.Load():
			return search.StopTime
		default:
			return ""
		}
	}
	return reason, func() {
		timer.Stop()
		signal.Stop(signals)
		close(done)
	}
}
