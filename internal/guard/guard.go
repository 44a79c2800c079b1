package guard

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Call calls a function of the service outside a run, and makes an error of a
// panic.
func Call(what string, call func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %s%s", what, Text(r), whence(Stack(debug.Stack())))
		}
	}()
	call()
	return nil
}

// Text is what was panicked with: fmt survives an Error that panics.
func Text(r any) string { return Bounded(fmt.Sprint(r)) }

// saidMost is how many bytes are kept of what a service says of a failure: it
// stands in reports, in the headers of paths, and on one line of a screen.
const saidMost = 4096

// Bounded cuts a text that is too long, and says so.
func Bounded(text string) string {
	if len(text) <= saidMost {
		return text
	}
	short := strings.ToValidUTF8(text[:saidMost], "")
	return fmt.Sprintf("%s... (cut here; the whole text has %d bytes)", short, len(text))
}

// whence is the file and line at the top of a stack.
func whence(stack string) string {
	_, place, found := strings.Cut(stack, "\n\t")
	if !found {
		return ""
	}
	place, _, _ = strings.Cut(place, "\n")
	return " (" + filepath.Base(place) + ")"
}

// binders are the frames that bind a property to its view, and an event to its
// handler: they are between the service and what asked it, and say nothing.
var binders = []string{
	"macemc/sim.stateProperty[", "macemc/sim.Steps[",
	"macemc/sim.View[", "macemc/sim.(*handled)", "macemc/sim.Handle[", "macemc/sim.unhandled", "macemc/sim.OnMessage[", "macemc/sim.OnSignal[",
	"macemc/layers/machine.",
}

// thrown are the frames of what unwinds a goroutine: above them is who recovered.
var thrown = []string{"panic(", "runtime.Goexit("}

// callers are the frames that call a service: below them nothing is its own.
var callers = []string{
	"macemc/internal/world.(*World)", "macemc/internal/world.(*auditor)", "macemc/internal/world.(*Judge)",
	"macemc/internal/handler.(*Step).Dispatch", "macemc/internal/handler.(*Step).Start", "macemc/internal/guard.Call",
}

// Stack cuts a stack down to the frames of the service: from below the panic up
// to where its handler was called.
func Stack(stack []byte) string {
	lines := strings.Split(strings.TrimRight(string(stack), "\n"), "\n")
	var frames []string
	first := 1 // after the header, two lines a frame
	for i := first; i+1 < len(lines); i += 2 {
		if begins(lines[i], thrown) {
			first = i + 2
			break
		}
	}
	for i := first; i+1 < len(lines); i += 2 {
		call, place := lines[i], strings.TrimSpace(lines[i+1])
		switch {
		case strings.HasPrefix(call, "panic("), strings.HasPrefix(call, "runtime/debug."), strings.HasPrefix(call, "runtime."), strings.HasPrefix(call, "internal/runtime/"):
			continue
		case begins(call, binders):
			continue
		case begins(call, callers):
			if first > 1 || len(frames) > 0 {
				return strings.Join(frames, "\n")
			}
			continue
		}
		if cut := strings.LastIndex(place, " +0x"); cut > 0 {
			place = place[:cut]
		}
		if cut := strings.LastIndex(call, "("); cut > 0 {
			call = call[:cut]
		}
		frames = append(frames, call+"\n\t"+place)
	}
	return strings.Join(frames, "\n")
}

func begins(call string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(call, p) {
			return true
		}
	}
	return false
}
