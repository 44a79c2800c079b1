package world

import (
	"cmp"
	"runtime/debug"
	"strings"

	"macemc/internal/guard"
	"macemc/sim"
	"macemc/trace"
)

// stopRun is the panic value that unwinds a handler when the run is over. World.failure or World.err has the
// reason.
type stopRun struct{}

// unsupported is a sentence about something that this build cannot do. It is an error of the input, not a
// finding about the service.
type unsupported string

func (u unsupported) Error() string { return string(u) }

// Protect calls loop, which takes steps of the world, and returns the failure of the service, or nil. It
// recovers from panics once for a whole run, so that steps need not. Steps must be taken only inside of
// Protect.
func (w *World) Protect(loop func()) (failure *trace.Failure) {
	returned := false
	defer func() {
		r := recover()
		w.Run.did.End()
		failure = w.Run.failure
		defer func() { w.Run.recordCut(w.Links.TCP().Lost()) }()
		hook := w.Events.asked()
		asked, property := w.Judge.Panicker()
		hook = cmp.Or(hook, asked)
		if r == nil && !returned { // runtime.Goexit ends the goroutine, and recover cannot stop it
			w.Run.unwinds(w.panicked(trace.VerdictPanic, property, cmp.Or(hook, "the handler")+" "+goexit))
		}
		if i := w.Run.acting.Index(); i >= 0 && !returned { // its step has not ended, so the node differs from the part that was loaded
			w.nodes.soil(i)
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
			w.Run.cannot(u)
			return
		}
		if w.changed() {
			failure = w.Run.failure
		}
		if failure == nil {
			text, verdict := guard.Text(r), trace.VerdictPanic
			if _, is := r.(sim.Unhandled); is {
				verdict = trace.VerdictUnhandled
			}
			if hook != "" {
				text = hook + " panics: " + text
			}
			failure = w.panicked(verdict, property, text)
			w.Run.finds(failure)
		}
	}()
	if w.sprint {
		w.watch.Start()
	}
	loop()
	returned = true
	if w.sprint && w.Run.failure == nil {
		w.Run.finds(w.strayed())
	}
	w.settle()
	return w.Run.failure
}

// settle checks, in an audited world, that no property has changed a node while it was evaluated in the
// present state, and otherwise stops the run.
func (w *World) settle() {
	if w.audit != nil {
		w.audit.Settle()
	}
}

// changed is called after a panic. It reports whether settle stops the run, because a property has changed a
// node in the present state. That may be the reason why another property has panicked.
func (w *World) changed() (is bool) {
	defer func() { _, is = recover().(stopRun) }()
	w.settle()
	return false
}

// strayed returns the failure that a handler has started a goroutine, or nil.
func (w *World) strayed() *trace.Failure {
	if !w.watch.Grown() {
		return nil
	}
	stack := w.watch.Child()
	if stack == "" {
		return nil
	}
	f := w.Run.fail(trace.VerdictGoroutine, "", "the handler started a goroutine: what it does is not part of any step; use env.Post or a timer")
	f.Stack = stack
	return f
}

// panicked returns the failure that the service panicked.
func (w *World) panicked(v trace.Verdict, property, text string) *trace.Failure {
	f := w.Run.fail(v, property, text)
	f.Stack = guard.Stack(debug.Stack())
	return f
}

// Probe evaluates the properties and calls the functions of the system that a search may
// call in a state, and reports whether the state is live. A function that would panic in
// the search panics in Probe. It changes no counts.
func (w *World) Probe() (live bool) {
	defer w.uncovered()()
	defer w.Judge.Uncovered()()
	if w.Judge.CanBeLive() {
		live = w.Judge.Live()
		w.Judge.Assumed()
	}
	w.Judge.Within()
	w.Events.Count()
	return live
}

const goexit = "ended its goroutine by runtime.Goexit, or by t.FailNow: it must return"
