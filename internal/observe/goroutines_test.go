package observe

import (
	"runtime"
	"strings"
	"testing"
)

// several is a number of goroutines that is larger than that of those which end meanwhile: the goroutine of the
// test before may still count when the next one begins.
const several = 8

// starts starts several goroutines, which wait for release, and waits until they run. When the test is over, it
// waits until the process has no more goroutines than before.
func starts(t *testing.T, release chan bool) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	})
	ready := make(chan bool)
	for range several {
		go func() { ready <- true; <-release }()
	}
	for range several {
		<-ready
	}
}

// Goroutines are noticed once, and not at all if they were there before the handler.
func TestGoroutinesAreNoticedOnce(t *testing.T) {
	var g Goroutines
	release := make(chan bool)
	defer close(release)
	start := func() { starts(t, release) }
	start()
	if g.Start(); g.Grown() {
		t.Error("a goroutine that was there before counts")
	}
	if start(); !g.Grown() || !strings.Contains(g.Child(), "goroutines_test.go") {
		t.Error("a goroutine that was started meanwhile is not named")
	}
	if g.Grown() || g.Child() != "" {
		t.Error("it is noticed twice")
	}
}

// Goroutines of macemc's own do not count: nobody looks at the stacks of all goroutines for them.
func TestHelpersDoNotCount(t *testing.T) {
	var g Goroutines
	release := make(chan bool)
	defer close(release)
	g.Start()
	starts(t, release)
	Helps(several)
	if g.Grown() {
		t.Error("helpers count as a handler's goroutines")
	}
	Helps(-several)
	if !g.Grown() {
		t.Error("after they help no more, they do not count")
	}
}
