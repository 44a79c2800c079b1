package guard

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"macemc/macetime"
)

// Call calls a function of the service outside of a run. If it panics, Call returns the panic as an error,
// in which what names the function.
func Call(what string, call func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %s%s", what, Text(r), whence(Stack(debug.Stack())))
		}
	}()
	call()
	return nil
}

// Text returns the text of a panic value. It works even if the value's Error method panics.
func Text(r any) string { return Bounded(fmt.Sprint(r)) }

// saidMost is the largest number of bytes of a service's failure text that are kept. The text appears in
// reports, in headers of paths, and on one line of a screen.
const saidMost = 4096

// Bounded returns a text of a service as it is shown: without the marks with which readings of a clock
// begin, and cut off if it is too long, with a note that says so.
func Bounded(text string) string {
	text = macetime.Plain(text)
	if len(text) <= saidMost {
		return text
	}
	short := strings.ToValidUTF8(text[:saidMost], "")
	return fmt.Sprintf("%s... (cut here; the whole text has %d bytes)", short, len(text))
}

// whence returns the file and line of the first frame of a stack, for the end of an error.
func whence(stack string) string {
	_, place, found := strings.Cut(stack, "\n\t")
	if !found {
		return ""
	}
	place, _, _ = strings.Cut(place, "\n")
	return " (" + filepath.Base(place) + ")"
}

// binders are names of frames between a function of the service and its caller that do not interest users:
// they bind a property to its view, and an event to its handler.
var binders = []string{
	"macemc/sim.stateProperty[", "macemc/sim.Steps[",
	"macemc/sim.View[", "macemc/sim.(*handled)", "macemc/sim.Handle[", "macemc/sim.unhandled", "macemc/sim.OnMessage[", "macemc/sim.OnSignal[",
	"macemc/layers/machine.",
}

// thrown are names of frames that unwind a goroutine. Frames above them belong to the code that recovers.
var thrown = []string{"panic(", "runtime.Goexit("}

// callers are names of frames of macemc that call functions of a service. Frames below them on a stack are
// not the service's.
var callers = []string{
	"macemc/internal/world.(*World)", "macemc/internal/world.(*auditor)", "macemc/internal/world.(*Judge)",
	"macemc/internal/handler.(*Step).Dispatch", "macemc/internal/handler.(*Step).Start", "macemc/internal/guard.Call",
}

// Stack returns those frames of a stack that belong to the service: from the panic to the call of its
// handler.
func Stack(stack []byte) string {
	lines := strings.Split(strings.TrimRight(string(stack), "\n"), "\n")
	var frames []string
	first := 1 // the first line is a header, then there are two lines per frame
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
