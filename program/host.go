package program

import (
	"context"
	"fmt"
	"testing/synctest"

	"macemc/internal/bubble"
)

// A Host is what a program has of the world: a network, and a disk.
type Host struct {
	world *World
	name  string
	life  *life // the latest; nil before the first
	disk  Disk
}

// A life is what one Start began.
type life struct {
	number   uint32
	cancel   context.CancelFunc
	returned chan struct{}
	program  Program
	over     bool
}

// run runs the program in a goroutine of its life.
func (l *life) run(ctx context.Context, h *Host) {
	before := bubble.SetLife(l.number)
	defer bubble.SetLife(before)
	go func() {
		defer close(l.returned)
		l.program(ctx, h)
	}()
}

func (l *life) end() { l.over = true }

func (h *Host) begin(l *life) { h.life = l }

// Name returns the name of the host, which is its address too.
func (h *Host) Name() string { return h.name }

// Running reports whether the host has a life that did not crash or stop.
func (h *Host) Running() bool { return h.life != nil && !h.life.over }

// Disk returns the storage of the host, which its lives share.
func (h *Host) Disk() *Disk { return &h.disk }

// Logf notes a line of the host.
func (h *Host) Logf(format string, args ...any) {
	h.world.note(h.name + ": " + fmt.Sprintf(format, args...))
}

// left tells which goroutines of the latest life there are.
func (h *Host) left() (text string) {
	for _, g := range bubble.Left() {
		if g.Life == h.life.number {
			text += "\n\n" + g.String()
		}
	}
	return text
}

// Wait waits until every other goroutine of the world is blocked.
func (w *World) Wait() { synctest.Wait() }

// Choose is that of the world.
func (h *Host) Choose(n int) int { return h.world.Choose(n) }

// Go runs f in a goroutine of the life that the host has: a crash ends it.
func (h *Host) Go(f func()) {
	before := bubble.SetLife(h.life.number)
	defer bubble.SetLife(before)
	go f()
}
