package world

import (
	"cmp"
	"runtime/debug"
	"strings"

	"macemc/internal/guard"
	"macemc/sim"
)

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
func (w *World) Protect(loop func()) (failure *sim.Failure) {
	returned := false
	defer func() {
		r := recover()
		w.running, failure = nil, w.failure
		defer w.recordCut()
		hook := w.hook
		w.hook = ""
		asked, property := w.panicker()
		hook = cmp.Or(hook, asked)
		if r == nil && !returned { // nothing keeps it from unwinding the goroutine
			w.unwound = true
			w.failure = w.fail(sim.VerdictPanic, property, cmp.Or(hook, "the handler")+" "+goexit)
			w.failure.Stack = guard.Stack(debug.Stack())
		}
		if i := w.acting.Index(); i >= 0 && !returned { // its step has not ended: whoever loads another state must not take the node for what it was
			w.soil(i)
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
			text := guard.Text(r)
			if hook != "" {
				text = hook + " panics: " + text
			}
			w.failure = w.fail(sim.VerdictPanic, property, text)
			w.failure.Stack = guard.Stack(debug.Stack())
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
func (t *turn) Unwound() bool { return t.unwound }

// fail makes a failure of the step that is running.
func (w *World) fail(v sim.Verdict, property, message string) *sim.Failure {
	return &sim.Failure{
		Verdict: v, Property: property, Message: message,
		Node: w.acting, Identity: w.identity(), Step: w.step,
	}
}

// stop ends the run with a failure, from wherever a handler is.
func (w *World) stop(f *sim.Failure) {
	w.failure = f
	panic(stopRun{})
}
