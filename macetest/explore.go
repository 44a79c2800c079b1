package macetest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"macemc/choose"
	"macemc/internal/numerals"
	"macemc/internal/worlds"
	"macemc/program"
)

// A World has what the body of Explore uses: hosts with a network and disks, and choices.
type World = program.World

// Explore runs body in a testing/synctest bubble, as synctest.Test does, but many times:
// with other orders of goroutines, of select cases, of maps and of timers that are due at
// the same instant, with other random numbers, and with other answers to the choices of the
// World. The test fails with the first world that fails: by t, by a panic, by a deadlock,
// or by goroutines that are left running.
//
// The worlds run in other processes. These run the same test, built with macemc's overlay
// of the runtime; the first such build compiles the standard library. A failing world is
// made small, and its tape, which is the record of all its random decisions, is kept in
// testdata/macemc. From then on Explore replays that tape first. If there is no overlay for
// the toolchain, a few worlds run in this process, and replay is not exact.
//
// Explore takes about 1,000 worlds, or 100 with -short. The flags -macetest.scale and
// -macetest.seed work as for Run. With -macetest.prefix FILE, each world first repeats the
// tape in the file. A world deviates where it takes another order or answer than the usual
// first one. With -macetest.walk, all worlds choose in one manner where they deviate. With
// -macetest.deviate N, Explore takes every world that deviates at most N times.
func Explore(t *testing.T, body func(t *testing.T, w *World)) {
	t.Helper()
	call := calls.next(t.Name())
	job, err := worlds.Job()
	if err != nil {
		t.Fatal(err)
	}
	if job != nil {
		if job.Test == t.Name() && job.Call == call {
			if err := worlds.Do(job, body); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	times, err := scale(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	number, err := seed(1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := prefix()
	if err != nil {
		t.Fatal(err)
	}
	s := &worlds.Search{
		Test: t.Name(), Call: call, Seed: number,
		Worlds: int(worldsDefault * times), Workers: runtime.GOMAXPROCS(0), Stop: soon(t),
		Keep: cmp.Or(*replayFlag, worlds.Kept(t.Name(), call)), Walk: *walkFlag, Prefix: first, Deviate: *deviateFlag,
	}
	if err := s.Prepare(); err != nil {
		t.Logf("replay is not exact: %v", err)
		sample(t, s, body)
		return
	}
	again(t, s)
	if *replayFlag != "" {
		return
	}
	f, taken, err := s.Go()
	switch {
	case err != nil:
		t.Fatal(err)
	case f != nil:
		t.Fatal(failed(t, f))
	case s.Deviate > 0 && s.Whole == s.Deviate:
		t.Logf("all %d worlds that deviate at most %d times pass; nothing is proved of others", taken, s.Whole)
	case s.Deviate > 0:
		t.Logf("%d worlds pass, and were not all that deviate at most %d times; all are that deviate at most %d times", taken, s.Deviate, s.Whole)
	case taken < s.Worlds:
		t.Logf("the search was cut short after %d of %d worlds", taken, s.Worlds)
	case testing.Verbose():
		t.Logf("%d worlds pass; nothing is proved", taken)
	}
}

// prefix reads the flags that select worlds, and returns the path that all worlds follow
// first, or nil if there is none.
func prefix() (*choose.Path, error) {
	switch walk := *walkFlag; {
	case walk != "" && !slices.Contains(worlds.Walks, walk):
		return nil, fmt.Errorf("macetest: -macetest.walk is %q; it must be one of %s", walk, strings.Join(worlds.Walks, ", "))
	case *deviateFlag < 0:
		return nil, fmt.Errorf("macetest: -macetest.deviate is %d; it must be a number of 1 or more", *deviateFlag)
	case *deviateFlag > 0 && (walk != "" || *prefixFlag != ""):
		return nil, errors.New("macetest: -macetest.deviate takes worlds from the start, and not by walks; leave -macetest.walk and -macetest.prefix out")
	case *prefixFlag != "":
		return choose.Open(*prefixFlag)
	}
	return nil, nil
}

// worldsDefault is the number of worlds that Explore takes.
const worldsDefault = 1000

// calls counts the calls of Explore in each test.
var calls counter

type counter struct {
	mu sync.Mutex
	of map[string]int
}

func (c *counter) next(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[name]++
	return c.of[name] - 1
}

// soon returns a function that reports whether the test's deadline is near, or nil if the
// test has no deadline.
func soon(t *testing.T) func() bool {
	stop := deadline(t)
	if stop == nil {
		return nil
	}
	return func() bool { return stop() != "" }
}

// sample runs a twentieth of the worlds in this process, each as a subtest. It is for toolchains without an
// overlay.
func sample(t *testing.T, s *worlds.Search, body func(t *testing.T, w *World)) {
	ok := true
	for k := range max(1, s.Worlds/20) {
		s.Loose(k, func() {
			ok = t.Run(fmt.Sprint("world", k), func(t *testing.T) { loose(t, body) })
		})
		if !ok {
			return
		}
	}
}

// loose runs a world in this process, without the overlay.
func loose(t *testing.T, body func(t *testing.T, w *World)) {
	var w *World
	defer func() { // synctest panics about goroutines that are left running
		if left := recover(); left != nil && (w == nil || len(w.Names()) == 0) {
			t.Error(left)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w = program.New(t)
		defer w.End()
		body(t, w)
	})
}

// again replays the kept tape of the test, if there is one.
func again(t *testing.T, s *worlds.Search) {
	if _, err := os.Stat(s.Keep); err != nil {
		return
	}
	failure, fit, notes, warning, err := s.Replay(s.Keep)
	if err != nil {
		t.Fatal(err)
	}
	if warning != "" {
		t.Logf("replay is not exact: %s", warning)
	}
	switch {
	case failure != nil:
		t.Fatalf("the world of %s fails again: %s\n%s%s", s.Keep, failure.Kind, failure.Message, happened(notes, 0))
	case fit:
		t.Logf("%s passes now: remove it if it is of no use", s.Keep)
	default:
		t.Logf("%s does not apply any more, and passes", s.Keep)
	}
}

// notesMost is the largest number of lines in a report about the log of a world. endMost is
// the largest number of final lines if the lines around the critical step are shown before
// them.
const (
	notesMost = 60
	endMost   = 8
)

// happened returns the log of a world, with its steps. Of a long log it returns the part around the
// critical step, and the end; if critical is 0, only the end.
func happened(notes []worlds.Note, critical uint32) string {
	if len(notes) == 0 {
		return ""
	}
	text := "\n\nwhat happened:\n  step"
	tell := func(some []worlds.Note) {
		for _, n := range some {
			text += fmt.Sprintf("\n  %4d  %s", n.Step, n.Text)
		}
	}
	skip := func(n int) {
		if n > 0 {
			text += fmt.Sprintf("\n        ... %s ...", numerals.Many(n, "line"))
		}
	}
	if len(notes) <= notesMost {
		tell(notes)
		return text
	}
	end := len(notes)
	if critical > 0 {
		after := slices.IndexFunc(notes, func(n worlds.Note) bool { return n.Step > critical })
		end = min(max(after, 0)+notesMost/3, len(notes)-endMost)
	}
	from := max(0, end-notesMost+endMost)
	skip(from)
	tell(notes[from:end])
	if end < len(notes) {
		skip(len(notes) - end - endMost)
		tell(notes[len(notes)-endMost:])
	}
	return text
}

// turned describes the critical step of a world.
func turned(turn worlds.Turn) string {
	switch {
	case turn.Worlds == 0:
		return ""
	case turn.Step == 0:
		return fmt.Sprintf("\n\ncritical: none: %d of %d worlds that are free from the beginning fail so, too", turn.Worlds, turn.Worlds)
	}
	text := fmt.Sprintf("\n\ncritical: step %d of %d: the first after which %d of %d worlds that go on freely fail so",
		turn.Step, turn.Of, turn.Worlds, turn.Worlds)
	for _, d := range turn.Draws {
		text += "\n  " + d
	}
	return text
}

// failed describes the world of finding f, which fails.
func failed(t *testing.T, f *worlds.Finding) string {
	text := fmt.Sprintf("world %d: %s\n%s", f.World, f.Failure.Kind, f.Failure.Message)
	if !f.Exact {
		return text + "\n\nreplay is not exact, and nothing is kept:\n  " + strings.Join(f.Differs, "\n  ")
	}
	text += happened(f.Notes, f.Turn.Step)
	text += turned(f.Turn)
	text += fmt.Sprintf("\n\n%d of %d draws deviate; in the world that was found, %d did (%d runs made it smaller)\n  %s",
		f.Deviate, f.Asked, f.First, f.Runs, strings.Join(f.Left, "\n  "))
	return text + fmt.Sprintf("\n\nreplay: exact: two processes drew the same\ntape:   %s\nagain:  go test -run '^%s$'", f.Tape, t.Name())
}
