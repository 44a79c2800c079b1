package sim

import (
	"fmt"
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
	defer func() {
		r := recover()
		w.running, failure = nil, w.failure
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
			w.failure = w.fail(VerdictPanic, "", panicText(r))
			w.failure.Stack = ServiceStack(debug.Stack())
			failure = w.failure
		}
	}()
	loop()
	return w.failure
}

func panicText(r any) string {
	if err, ok := r.(error); ok {
		return err.Error()
	}
	return fmt.Sprint(r)
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
		case strings.HasPrefix(call, "macemc/sim.(*World)"):
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
