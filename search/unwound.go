package search

import (
	"runtime"

	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// unwound is the result of a search in which a handler ended its goroutine.
// Where nobody kept the answers, the search is taken again, with a watch on
// them: it comes to the same handler.
func (r *runner) unwound() (*Result, error) {
	r, f := r.ended()
	if !r.Pulse.On {
		watched, err := newRunner(r.Sys, r.opts)
		if err != nil {
			return nil, err
		}
		watched.Pulse.On = true
		if res, returned, err := run.Apart(watched.probeAndSearch); returned {
			return res, err
		}
		r, f = watched.ended()
	}
	r.Pulse.RestAsIs()
	res := r.unfinished(*f)
	res.Safety.State, res.Liveness.State = StateFound, StateNone
	return res, nil
}

// ended is the failure of the world in which a handler ended its goroutine,
// with the runner that owns the world. If there is none, a function that the
// caller gave did it: then the caller's goroutine ends, as it would have.
func (r *runner) ended() (*runner, *sim.Failure) {
	for ; r != nil; r = r.confirming {
		worlds := []*world.World{r.World, r.Lockstep.World, r.Lockstep.Lag}
		if r.Exploring != nil {
			w, _ := r.Exploring.Within()
			worlds = append(worlds, w)
		}
		for _, w := range worlds {
			if f := w.Run.Failed(); f != nil && w.Run.Unwound() {
				return r, f
			}
		}
	}
	runtime.Goexit()
	return nil, nil
}
