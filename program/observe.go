package program

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
	"unicode"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// An Event is something that happened in a world. Value is nil except for facts.
type Event struct {
	At     time.Duration // the time since the beginning of the world
	Step   uint32        // the number of the step of the run
	Kind   string        // start, crash, stop, send, arrive, write, sync, log, emit, partition, heal, reset or clock
	Host   string        // where it happened; "" for the whole network
	Peer   string        // the other end of the connection or link
	Link   string        // tcp, udp or mail
	Number int           // the number of a message, the same when it is sent and when it arrives
	Text   string        // a description; for a partition, the names of the second side
	Value  any           `json:"-"`
}

// Observe calls f with each event, in the goroutine that causes it. f must not block.
func (w *World) Observe(f func(Event)) { w.observe = f }

// happened passes an event to the observer.
func (w *World) happened(e Event) {
	if w.observe == nil {
		return
	}
	bubble.Hush()
	defer bubble.Unhush()
	e.At, e.Step = time.Since(epoch), bubble.Step()
	w.observe(e)
}

// sent reports to the observer that a host sends something, and returns the number that it
// gets.
func (w *World) sent(from, to *Host, link, text string) int {
	number := int(w.numbers.Add(1))
	w.happened(Event{Kind: happens.Send, Host: from.name, Peer: to.name, Link: link, Number: number, Text: text})
	return number
}

// Emit passes a fact to the observer of the world. If the host belongs to a sim.System, the
// monitors of the system get the fact.
func (h *Host) Emit(fact any) {
	h.world.happened(Event{Kind: happens.Emit, Host: h.name, Text: fmt.Sprintf("%T%+v", fact, fact), Value: fact})
}

// Show sets the function that returns the state of the program, for properties and reports. It is
// called while every goroutine is blocked, so it takes no locks. It returns a value that the
// program does not change later, or a pointer to its own state.
func (h *Host) Show(state func() any) { h.life.show = state }

// Shown returns what the program shows; nil if it shows nothing, or if the host does not run.
func (h *Host) Shown() any {
	if !h.Running() || h.life.show == nil {
		return nil
	}
	before := bubble.SetLife(h.life.number) // it reads the clock of the host
	defer bubble.SetLife(before)
	bubble.Hush()
	defer bubble.Unhush()
	return h.life.show()
}

// Life returns the number of the latest life of the host, counted from 0.
func (h *Host) Life() int { return h.lives - 1 }

// summary describes bytes for the observer, or returns "" if there is none.
func (w *World) summary(p []byte) string {
	if w.observe == nil {
		return ""
	}
	return summary(p)
}

// summary describes bytes by their number and, if they are text, by their first line.
func summary(p []byte) string {
	const most = 48
	line, _, _ := bytes.Cut(p, []byte("\n"))
	line = bytes.TrimSpace(line)
	text := len(line) > 3
	for _, r := range string(line) {
		text = text && r != unicode.ReplacementChar && unicode.IsPrint(r)
	}
	switch {
	case !text:
		return fmt.Sprintf("%d bytes", len(p))
	case len(line) > most:
		return fmt.Sprintf("%s..., %d bytes", line[:most], len(p))
	}
	return fmt.Sprintf("%s, %s bytes", line, strconv.Itoa(len(p)))
}
