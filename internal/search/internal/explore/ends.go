package explore

import (
	"errors"

	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// An exploration that stops early returns one of these errors, a Wrong, or an error of the world.
var (
	// ErrFull means that there is no room for more states.
	ErrFull = errors.New("there is no room for more states")
	// ErrHalt ends an exploration that was stopped.
	ErrHalt = errors.New("the search was stopped")
	// ErrEnough ends an exploration that has found enough.
	ErrEnough = errors.New("the search has found enough")
	// ErrAlive ends the examination of a state if one of its steps leads to a state that is alive.
	ErrAlive = errors.New("a step leads to a state that is alive")
	// ErrBound means that a node holds a function with variables (a closure), which a copy of the
	// node would share with it: see World.Bound.
	ErrBound = errors.New("nodes of this system cannot be copied")
)

// Wrong is the error that the service failed in the last step, or in the state after it. The search
// makes a finding of it.
type Wrong struct {
	Failure *trace.Failure
	Strayed bool   // the run led to another state when it was taken again
	Copied  string // a field in which a copy of a node differs from the node after the same step, or ""
	Dead    bool   // the state is not live, and nothing but a fault can change it

	Of *run.Answers // the run that failed; nil means the run of the last step
}

func (w *Wrong) Error() string {
	return "macemc bug: search: this is a finding, and nobody made one: " + w.Failure.Message
}

// stray returns the error that the last step did something else when it was repeated. The argument
// copied is as in Wrong.Copied. Replaying the run finds out at which step it begins to differ.
func (t *Taker) stray(copied string) error { return t.strayed(nil, copied) }

// strayed returns the error that the last step of a run did something else when it was repeated.
// The argument of holds the answers of the run; copied is as in Wrong.Copied.
func (t *Taker) strayed(of *run.Answers, copied string) error {
	return &Wrong{Failure: t.World.Run.Failure(trace.VerdictNondeterminism, ""), Strayed: true, Of: of, Copied: copied}
}

// Run returns the answers of the run that failed. Taker t is the one in which the failure happened.
func (w *Wrong) Run(t *Taker) *run.Answers {
	if w.Of != nil {
		return w.Of.Again()
	}
	return t.Found()
}

// Guarded calls do, which takes steps in the world of t. If the service fails there, Guarded
// returns the failure as bad.
func (r *Owner) Guarded(t *Taker, do func() error) (bad *Wrong, err error) {
	t.explores()
	failure := t.World.Protect(func() { err = do() })
	r.Pulse.Rest()
	if v := t.unwound(); v != nil {
		failure, err = nil, t.differs(v.i, v.twin, "fails, or asks for other choices", "")
	}
	if w, is := err.(*Wrong); is {
		bad, err = w, nil
	} else if failure != nil {
		bad = &Wrong{Failure: failure}
	}
	if err == nil {
		err = t.World.Run.Err()
	}
	if lost := t.Lost(); lost != nil {
		return nil, lost
	}
	return bad, err
}
