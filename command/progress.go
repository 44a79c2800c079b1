package command

import (
	"fmt"
	"io"
	"macemc/internal/jobs"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"macemc/internal/critical"
	"macemc/internal/report"
	"macemc/internal/search"
)

const (
	everyLive = 200 * time.Millisecond // on a terminal
	window    = 2 * time.Second        // rates are averages over this time
)

var everyPlain = 10 * time.Second // elsewhere; tests have no such lines

// progress shows the progress of a search: on a terminal in one line that is rewritten,
// elsewhere in a line from time to time. The search reports progress at any time; a
// goroutine shows the latest report.
type progress struct {
	quiet   bool
	live    bool       // it writes to a terminal
	columns func() int // returns the width of the terminal

	mu      sync.Mutex // the signals' goroutine writes too
	w       io.Writer
	began   time.Time
	limit   time.Duration // the time that the search may take; 0 means no limit
	told    time.Time     // when the last plain line was written
	shown   string        // the live line on the terminal now
	what    string        // a name for this search among several, or ""
	text    func(now time.Time) string
	showing bool // the goroutine that shows reports is running

	latest search.Progress
	looks  []look
	found  []string // the findings so far
}

// look is a report of the progress of a search, with its time.
type look struct {
	at time.Time
	search.Progress
}

func (t *tool) progress(quiet bool) *progress {
	now := time.Now()
	return &progress{quiet: quiet, live: terminal(t.stderr), columns: func() int { return columns(t.stderr) }, w: t.stderr, began: now, told: now}
}

// columns returns the width of the terminal to which w writes, or 80 if it is unknown.
func columns(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// terminal reports whether w writes to a terminal, on which a line can be rewritten.
func terminal(w io.Writer) bool {
	if p, is := w.(*printer); is {
		w = p.to
	}
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// searched makes s the latest report of the search, and shows it.
func (p *progress) searched(s search.Progress) {
	p.mu.Lock()
	p.latest = s
	p.mu.Unlock()
	p.say(p.searching)
}

// finds adds a finding to the status.
func (p *progress) finds(f *search.Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, f.Verdict.String()+": "+f.Message)
}

// status returns the present progress of the search, even if it is not shown.
func (p *progress) status() jobs.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	s := jobs.Status{Progress: p.latest, Elapsed: now.Sub(p.began), Findings: slices.Clone(p.found)}
	if p.text != nil {
		s.Line = p.text(now)
	}
	return s
}

// looking shows a report about the analysis of a finding.
func (p *progress) looking(c critical.Progress) {
	p.say(func(now time.Time) string { return report.Looking(c) + ", " + report.Elapsed(now.Sub(p.began)) })
}

// searching returns the line that shows the latest report of a search.
func (p *progress) searching(now time.Time) string {
	for len(p.looks) > 1 && now.Sub(p.looks[1].at) >= window {
		p.looks = p.looks[1:]
	}
	p.looks = append(p.looks, look{now, p.latest})
	then := p.looks[0]
	return report.Progress(p.latest, then.Progress, now.Sub(then.at), now.Sub(p.began), p.limit)
}

// say begins to show a line, or shows another one from now on. text returns the line for a time.
func (p *progress) say(text func(now time.Time) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text = text; !p.showing && !p.quiet {
		p.showing = true
		go p.show()
	}
}

// doing begins to show the progress of another search, called what, and forgets the reports of the
// one before.
func (p *progress) doing(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.began, p.latest, p.looks = what, time.Now(), search.Progress{}, nil
}

// show shows the line again and again, until clear was called. It runs on a goroutine of
// its own.
func (p *progress) show() {
	tick := time.NewTicker(everyLive)
	defer tick.Stop()
	for now := range tick.C {
		if !p.draw(now) {
			return
		}
	}
}

// draw shows the line if it is time to do so. It returns false if clear was called and no line has
// been set since.
func (p *progress) draw(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil {
		p.showing = false
		return false
	}
	line := p.text(now)
	if p.what != "" {
		line = p.what + ": " + line
	}
	switch {
	case !p.live:
		if now.Sub(p.told) >= everyPlain {
			p.told = now
			fmt.Fprintln(p.w, line)
		}
	default:
		if r := []rune(line); len(r) >= p.columns() { // the last column would wrap on some
			line = string(r[:max(0, p.columns()-1)])
		}
		if line != p.shown {
			fmt.Fprintf(p.w, "\r%s\x1b[K", line)
			p.shown = line
		}
	}
	return true
}

// clear removes the line from the terminal. Nothing is shown until the next call of say.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = nil
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
}

// note prints a text on a line of its own, which is not overwritten by the line of progress.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
	fmt.Fprintln(p.w, text)
}
