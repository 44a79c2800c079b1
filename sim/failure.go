package sim

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Verdict is what kind of finding a run ended in.
type Verdict uint8

// The verdicts. Dead and Nondeterminism are passed by search; a World itself
// gives the others.
const (
	VerdictNone Verdict = iota
	VerdictSafety
	VerdictDead
	VerdictDivergence
	VerdictPanic
	VerdictMutation
	VerdictGoroutine
	VerdictNondeterminism
	VerdictKilled
)

var verdictNames = [...]string{
	VerdictNone: "none", VerdictSafety: "safety", VerdictDead: "dead", VerdictDivergence: "divergence",
	VerdictPanic: "panic", VerdictMutation: "mutation", VerdictGoroutine: "goroutine",
	VerdictNondeterminism: "nondeterminism", VerdictKilled: "killed",
}

func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict %d", uint8(v))
	}
	return verdictNames[v]
}

// ParseVerdict is the inverse of String.
func ParseVerdict(s string) (Verdict, bool) {
	for v, name := range verdictNames {
		if name == s {
			return Verdict(v), true
		}
	}
	return 0, false
}

// Failure is what a run found wrong with the service.
type Failure struct {
	Verdict  Verdict
	Property string // the property that failed, where one did
	Node     Addr   // where the handler ran, where one did
	Identity string // the event that it handled
	Step     int    // 0: the start
	Message  string // what was wrong, with values
	Stack    string // the service's stack, where it panicked or started a goroutine
}

// stopRun unwinds a handler when the run is over; World.failure or World.err
// says why.
type stopRun struct{}

// unsupported is the sentence about something that this build cannot do. It
// is an error of the input, not a finding about the service.
type unsupported string

func (u unsupported) Error() string { return string(u) }

// Protect runs loop, in which the world's steps are taken, and tells how the
// service failed, if it did: one recovery for a whole run costs nothing per
// step. A step must only be taken inside Protect.
func (w *World) Protect(loop func()) (failure *Failure) {
	returned := false
	defer func() {
		r := recover()
		w.running, failure = nil, w.failure
		defer w.recordCut()
		hook := w.hook
		w.hook = ""
		if r == nil && !returned { // nothing keeps it from unwinding the goroutine
			w.unwound = true
			w.failure = w.fail(VerdictPanic, "", cmp.Or(hook, "the handler")+" "+goexit)
			w.failure.Stack = ServiceStack(debug.Stack())
		}
		if r == nil {
			return
		}
		if _, ours := r.(stopRun); ours {
			return
		}
		if text, ok := r.(string); ok && strings.HasPrefix(text, "macemc bug:") {
			panic(r)
		}
		if u, ok := r.(unsupported); ok {
			w.err = u
			return
		}
		if failure == nil {
			text := panicText(r)
			if hook != "" {
				text = hook + " panics: " + text
			}
			w.failure = w.fail(VerdictPanic, "", text)
			w.failure.Stack = ServiceStack(debug.Stack())
			failure = w.failure
		}
	}()
	if w.sprint {
		w.watch.start()
	}
	loop()
	returned = true
	if w.sprint && w.failure == nil {
		w.failure = w.strayed()
	}
	return w.failure
}

const goexit = "ended its goroutine by runtime.Goexit, or by t.FailNow: it must return"

// Unwound reports whether the last failure ended the goroutine of the run:
// Protect did not return.
func (w *World) Unwound() bool { return w.unwound }

// panicText is what was panicked with: fmt survives an Error that panics.
func panicText(r any) string { return fmt.Sprint(r) }

// guard calls a function of the system outside a run, and makes an error of a
// panic.
func guard(what string, call func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %s%s", what, panicText(r), whence(ServiceStack(debug.Stack())))
		}
	}()
	call()
	return nil
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

// fail makes a failure of the step that is running.
func (w *World) fail(v Verdict, property, message string) *Failure {
	return &Failure{
		Verdict: v, Property: property, Message: message,
		Node: w.acting, Identity: w.identity(), Step: w.step,
	}
}

// stop ends the run with a failure, from wherever a handler is.
func (w *World) stop(f *Failure) {
	w.failure = f
	panic(stopRun{})
}

// ServiceStack cuts a stack down to the frames of the service: from below the
// panic up to where the World called the handler.
func ServiceStack(stack []byte) string {
	lines := strings.Split(strings.TrimRight(string(stack), "\n"), "\n")
	var frames []string
	for i := 1; i+1 < len(lines); i += 2 { // after the header, two lines a frame
		call, place := lines[i], strings.TrimSpace(lines[i+1])
		switch {
		case strings.HasPrefix(call, "panic("), strings.HasPrefix(call, "runtime/debug."), strings.HasPrefix(call, "runtime."):
			continue
		case strings.HasPrefix(call, "macemc/sim.stateProperty["), strings.HasPrefix(call, "macemc/sim.Steps["):
			continue // what binds a property to its view
		case strings.HasPrefix(call, "macemc/sim.(*World)"), strings.HasPrefix(call, "macemc/sim.guard"):
			if len(frames) > 0 {
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
