package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/trace"
)

// standing returns the line that a terminal shows after this was written to it.
func standing(written string) string {
	line := ""
	for _, part := range strings.SplitAfter(written, "\x1b[K") {
		part = strings.TrimPrefix(part, "\r")
		if text, cleared := strings.CutSuffix(part, "\x1b[K"); cleared {
			line = text
		} else {
			line += part
		}
	}
	return line
}

func at(s int) search.Progress {
	return search.Progress{Stats: search.Stats{States: 1000 * s}, Phase: search.PhaseStates, Level: 7, Done: 100 * s, Of: 1000}
}

// On a terminal the line is rewritten in its place, only when it changes, is
// cut to the width, and leaves nothing behind.
func TestProgressLive(t *testing.T) {
	var b strings.Builder
	width := 80
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := &progress{live: true, columns: func() int { return width }, w: &b, began: began, showing: true}
	second := func(n int) time.Time { return began.Add(time.Duration(n) * time.Second) }
	if p.draw(second(0)); b.Len() > 0 {
		t.Errorf("before anything was said, %q is shown", b.String())
	}
	p.showing = true // the test draws
	for _, c := range []struct {
		at    int
		width int
		want  string
	}{
		{1, 80, "depth 7 (10 %), 1,000 states, 1 s"},
		{2, 80, "depth 7 (20 %), 2,000 states (1,000/s), 2 s, 8 s to go at this depth"},
		{5, 80, "depth 7 (50 %), 5,000 states (1,000/s), 5 s, 5 s to go at this depth"},
		{6, 20, "depth 7 (60 %), 6,0"},
		{7, 1, ""},
		{8, 80, "depth 7 (80 %), 8,000 states (1,000/s), 8 s, 2 s to go at this depth"},
	} {
		width = c.width
		p.searched(at(c.at))
		if p.draw(second(c.at)); standing(b.String()) != c.want {
			t.Errorf("after %d s, %q is shown, want %q", c.at, standing(b.String()), c.want)
		}
	}
	before := b.Len()
	if p.draw(second(8)); b.Len() > before {
		t.Errorf("the same line is written again: %q", b.String()[before:])
	}
	p.note("a note")
	if rest := b.String()[before:]; rest != "\r\x1b[Ka note\n" {
		t.Errorf("a note is written as %q", rest)
	}
	before = b.Len()
	p.draw(second(9))
	p.clear()
	if rest := b.String()[before:]; standing(rest) != "" || p.draw(second(10)) {
		t.Errorf("after it was cleared, %q stands there", standing(rest))
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Errorf("the line breaks: %q", b.String())
	}
}

// Elsewhere there is a plain line every ten seconds; quiet there is nothing.
func TestProgressPlain(t *testing.T) {
	defer func(d time.Duration) { everyPlain = d }(everyPlain)
	everyPlain = 10 * time.Second
	var b strings.Builder
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := &progress{w: &b, began: began, told: began, showing: true}
	for s := 1; s <= 35; s++ {
		p.searched(at(s))
		p.draw(began.Add(time.Duration(s) * time.Second))
	}
	p.clear()
	if n := strings.Count(b.String(), "\n"); n != 3 || strings.ContainsAny(b.String(), "\r\x1b") {
		t.Errorf("in 35 seconds: %q", b.String())
	}
	quiet := &progress{quiet: true, live: true, w: &b}
	before := b.Len()
	quiet.searched(at(1))
	if quiet.showing || b.Len() > before {
		t.Error("a quiet search shows its progress")
	}
	quiet.finds(&search.Finding{Failure: trace.Failure{Verdict: trace.VerdictSafety, Message: "two leaders"}})
	if s := quiet.status(); s.States != 1000 || !strings.HasPrefix(s.Line, "depth 7 (10 %), 1,000 states") || !slices.Equal(s.Findings, []string{"safety: two leaders"}) {
		t.Errorf("the status of a quiet search is %+v", s)
	}
}
