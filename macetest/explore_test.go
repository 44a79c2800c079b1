package macetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/worlds"
	"macemc/program"
)

// seeded are the bugs of the queue, with the text of the report when each is found.
var seeded = []struct{ bug, says string }{
	{"lost wake-up", "was accepted and never done"},
	{"double close", "panic: close of closed channel"},
	{"leaked goroutine", "goroutines"},
	{"select starvation", "after it was to stop"},
	{"timeout race", "was done"},
	{"torn write", "nobody submitted it"},
}

// TestQueue tests the queue with one of its bugs, or without one. The other tests run it in other processes.
func TestQueue(t *testing.T) {
	bug := os.Getenv("MACETEST_QUEUE")
	if bug == "" {
		t.Skip("no process of another test")
	}
	Explore(t, runQueue(strings.TrimPrefix(bug, "none")))
}

// explored removes TestQueue's tape, runs TestQueue with a bug, and returns its output.
func explored(t *testing.T, bug string) string {
	t.Helper()
	os.Remove(filepath.FromSlash("testdata/macemc/TestQueue.tape"))
	return queueing(bug)
}

// queueing runs TestQueue with a bug, which replays the tape of an earlier run if there is one, and returns its output.
func queueing(bug string) string {
	cmd := exec.Command(os.Args[0], "-test.run=^TestQueue$", "-test.v", "-test.timeout=9m")
	cmd.Env = append(os.Environ(), "MACETEST_QUEUE="+bug)
	out, _ := cmd.CombinedOutput() // the output says whether the test failed
	return string(out)
}

func TestExploreFindsEachKindOfBug(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("the overlay compiles the standard library: with -long")
	}
	for _, s := range seeded {
		t.Run(s.bug, func(t *testing.T) {
			out := explored(t, s.bug)
			t.Log(out)
			if !strings.Contains(out, s.says) || !strings.Contains(out, "replay: exact") {
				t.Errorf("not found: %q", s.says)
			}
			if out := queueing(s.bug); !strings.Contains(out, "fails again") {
				t.Errorf("the tape does not fail again: %s", out)
			}
			if out := queueing("none"); !strings.Contains(out, "--- PASS") {
				t.Errorf("the service without the bug fails: %s", out)
			}
		})
	}
	os.Remove(filepath.FromSlash("testdata/macemc/TestQueue.tape"))
}

// TestSample checks that, without the overlay, some worlds run in this process, each with choices of its own. A world
// in which a host crashes is skipped.
func TestSample(t *testing.T) {
	chosen := map[int]int{}
	sample(t, &worlds.Search{Seed: 1, Worlds: 400}, func(t *testing.T, w *World) {
		n := w.Choose(4)
		chosen[n]++
		if n == 3 {
			w.Start("h", func(ctx context.Context, h *program.Host) { <-ctx.Done() })
			w.Crash("h")
			t.Error("it crashed")
		}
	})
	if len(chosen) != 4 {
		t.Errorf("20 worlds chose %v", chosen)
	}
	t.Run("queue", func(t *testing.T) { sample(t, &worlds.Search{Seed: 1, Worlds: 200}, runQueue("")) })
}
