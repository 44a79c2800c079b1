package observe

import (
	"runtime"
	"strings"
	"testing"
)

// several is a number of goroutines. It is larger than the number of goroutines of the test before that may end
// meanwhile, so that the count grows.
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

// TestGoroutinesAreNoticedOnce checks that goroutines of a handler are noticed once, and that goroutines which
// existed before the handler are not.
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

// TestHelpersDoNotCount checks that goroutines of macemc's own do not count as grown.
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
