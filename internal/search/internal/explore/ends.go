package explore

import (
	"errors"

	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// An exploration that stops early ends with an error: one of these, a Wrong, or an error of the
// world.
var (
	// ErrFull means that there is no room for more states.
	ErrFull = errors.New("there is no room for more states")
	// ErrHalt ends an exploration that was stopped.
	ErrHalt = errors.New("the search was told to stop")
	// ErrEnough ends an exploration that has found enough.
	ErrEnough = errors.New("the search has found enough")
	// errAlive ends the look at a state that leads to one that is alive.
	ErrAlive = errors.New("a step leads to a state that is alive")
	// errBound says that a node holds a function with variables, which no copy of
	// the node can have for its own: see World.Bound.
	ErrBound = errors.New("nodes of this system cannot be copied")
)

// Wrong is the error that the service fails in the last step, or in the state that it led
// to. The code that ends the exploration makes a finding of it.
type Wrong struct {
	Failure *trace.Failure
	Strayed bool   // a run that was taken again came to another state
	Copied  string // a field in which a copy of a node differs from the node after the same step, or ""
	Dead    bool   // the state is not live and will never change, faults apart

	Of *run.Answers // the run that is wrong; nil means that of the last step
}

func (w *Wrong) Error() string {
	return "macemc bug: search: this is a finding, and nobody made one: " + w.Failure.Message
}

// stray returns the error for a step that did not do the same twice. Repeating the run
// finds out which step that is.
func (t *Taker) stray(copied string) error { return t.strayed(nil, copied) }

// strayed returns the wrong of a run whose last step did not do the same twice. See
// Wrong.Copied.
func (t *Taker) strayed(of *run.Answers, copied string) error {
	return &Wrong{Failure: t.World.Run.Failure(trace.VerdictNondeterminism, ""), Strayed: true, Of: of, Copied: copied}
}

// Run returns the answers of the run that is wrong, where the explorer took the last step.
func (w *Wrong) Run(t *Taker) *run.Answers {
	if w.Of != nil {
		return w.Of.Again()
	}
	return t.Found()
}

// Guarded does something with an exploration's world, and says whether something
// is wrong: the service may have failed meanwhile.
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
