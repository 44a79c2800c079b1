package search

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"macemc/internal/world"
	"macemc/sim"
)

// apart does something on a goroutine of its own, so that a handler which ends
// its goroutine (runtime.Goexit, t.FailNow) does not end the caller's: nothing
// else stops that. It reports whether do returned. A panic is passed on.
func apart[T any](do func() (T, error)) (out T, returned bool, err error) {
	done := make(chan struct{})
	thrown := ""
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				thrown = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
		}()
		out, err = do()
		returned = true
	}()
	<-done
	if thrown != "" {
		panic(thrown)
	}
	return out, returned, err
}

// unwound is the result of a search in which a handler ended its goroutine.
// Where nobody kept the answers, the search is taken again, with a watch on
// them: it comes to the same handler.
func (r *runner) unwound() (*Result, error) {
	r, f := r.ended()
	if !r.pulse.on {
		watched, err := newRunner(r.sys, r.opts)
		if err != nil {
			return nil, err
		}
		watched.pulse.on = true
		if res, returned, err := apart(watched.probeAndSearch); returned {
			return res, err
		}
		r, f = watched.ended()
	}
	r.pulse.rest()
	res := r.unfinished(&Finding{Failure: *f})
	res.Safety.State, res.Liveness.State = StateFound, StateNone
	return res, nil
}

// ended is the failure of the world in which a handler ended its goroutine,
// with the runner that owns the world. If there is none, a function that the
// caller gave did it: then the caller's goroutine ends, as it would have.
func (r *runner) ended() (*runner, *sim.Failure) {
	for ; r != nil; r = r.confirming {
		worlds := []*world.World{r.world, r.twin.world, r.twin.lag}
		if r.exploring != nil {
			worlds = append(worlds, r.exploring.w)
		}
		for _, w := range worlds {
			if f := w.Failed(); f != nil && w.Unwound() {
				return r, f
			}
		}
	}
	runtime.Goexit()
	return nil, nil
}
