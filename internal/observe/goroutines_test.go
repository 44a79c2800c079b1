package observe

import (
	"strings"
	"testing"
)

// A goroutine is noticed once, and not at all if it was there before the handler.
func TestGoroutinesAreNoticedOnce(t *testing.T) {
	var g Goroutines
	release := make(chan bool)
	defer close(release)
	start := func() {
		ready := make(chan bool)
		go func() { close(ready); <-release }()
		<-ready
	}
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
	g.Start()
	ready, release, over := make(chan bool), make(chan bool), make(chan bool)
	go func() { defer close(over); close(ready); <-release }()
	<-ready
	Helps(1)
	if g.Grown() {
		t.Error("a helper counts as a handler's goroutine")
	}
	Helps(-1)
	if !g.Grown() {
		t.Error("after it helps no more, it does not count")
	}
	close(release)
	<-over
}
