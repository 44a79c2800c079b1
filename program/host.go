package program

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// A Host gives a program a network and a disk.
type Host struct {
	world *World
	name  string
	life  *life // the latest life; nil before the first Start
	disk  Disk
	lives int // the number of lives so far
	clock clock
}

// A life lasts from one Start to the next crash or stop.
type life struct {
	number   uint32
	cancel   context.CancelFunc
	returned chan struct{}
	program  Program
	over     bool
	mail     func() chan Mail
	show     func() any // returns the state of the program; may be nil
}

// run starts the program in a goroutine of the life.
func (l *life) run(ctx context.Context, h *Host) {
	before := bubble.SetLife(l.number)
	defer bubble.SetLife(before)
	go func() {
		defer close(l.returned)
		l.program(ctx, h)
	}()
}

func (l *life) end() { l.over = true }

func (h *Host) begin(l *life) { h.life, h.lives = l, h.lives+1 }

// Name returns the name of the host, which is also its address.
func (h *Host) Name() string { return h.name }

// Running reports whether the host has a life that has not crashed or stopped.
func (h *Host) Running() bool { return h.life != nil && !h.life.over }

// Disk returns the storage of the host, which all of its lives share.
func (h *Host) Disk() *Disk { return &h.disk }

// Logf adds a line with the name of the host to the log of the world.
func (h *Host) Logf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	h.world.note(h.name + ": " + line)
	h.world.happened(Event{Kind: happens.Log, Host: h.name, Text: line})
}

// left describes the goroutines of the latest life that still run, or returns "".
func (h *Host) left() (text string) {
	for _, g := range bubble.Left() {
		if g.Life == h.life.number {
			text += "\n\n" + g.String()
		}
	}
	return text
}

// lasts reports whether any goroutine of the latest life still runs.
func (h *Host) lasts() bool { return slices.Contains(bubble.Lives(), h.life.number) }

// Wait waits until every other goroutine of the world is blocked.
func (w *World) Wait() { synctest.Wait() }

// Choose returns a number below n that the search chooses, as World.Choose does.
func (h *Host) Choose(n int) int { return h.world.Choose(n) }

// Go runs f in a goroutine of the current life, so that a crash ends it.
func (h *Host) Go(f func()) {
	before := bubble.SetLife(h.life.number)
	defer bubble.SetLife(before)
	go f()
}
