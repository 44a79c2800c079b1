package search

import (
	"errors"

	"macemc/sim"
)

// What explores returns an error as soon as it is not to go on, whatever the
// reason: one of these, a wrong, or what the world could not do.
var (
	// errFull says that there is no room for more states.
	errFull = errors.New("there is no room for more states")
	// errHalt ends an exploration that was told to stop.
	errHalt = errors.New("the search was told to stop")
	// errEnough ends an exploration that has found what was wanted.
	errEnough = errors.New("the search has found enough")
	// errAlive ends the look at a state that leads to one that is alive.
	errAlive = errors.New("a step leads to a state that is alive")
	// errBound says that a node holds a function with variables, which no copy of
	// the node can have for its own: see World.Bound.
	errBound = errors.New("nodes of this system cannot be copied")
)

// wrong is the error that something is wrong with the step that was taken last,
// or with the state that it led to. It speaks about the service: whoever ends
// the exploration makes a finding of it.
type wrong struct {
	failure *sim.Failure
	strayed bool // a run that was taken again came to another state
	dead    bool // the state is not live and will never change, faults apart
}

func (w *wrong) Error() string {
	return "macemc bug: search: this is a finding, and nobody made one: " + w.failure.Message
}

// stray is the wrong of a step that did not do the same twice. Which one it was
// is found when the run is taken again.
func (t *taker) stray() error {
	return &wrong{failure: t.w.Failure(sim.VerdictNondeterminism, ""), strayed: true}
}

// guarded does something with an exploration's world, and says whether something
// is wrong: the service may have failed meanwhile.
func (r *runner) guarded(t *taker, do func() error) (bad *wrong, err error) {
	r.Climate, r.Exploring = t.c, t
	failure := t.w.Protect(func() { err = do() })
	r.Pulse.Rest()
	if v := t.retaking; v != nil { // it unwound
		t.retaking = nil
		failure, err = nil, t.differs(v.i, v.twin, "fails, or asks for other choices")
	}
	if w, is := err.(*wrong); is {
		bad, err = w, nil
	} else if failure != nil {
		bad = &wrong{failure: failure}
	}
	if err == nil {
		err = t.w.Err()
	}
	return bad, err
}
