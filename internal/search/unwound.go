package search

import "macemc/internal/search/internal/run"

// unwound returns the result of a search in which a handler ended its goroutine. If the answers of
// the runs were not recorded, it repeats the search, now recording them, and meets the same handler
// again.
func (r *runner) unwound() (*Result, error) {
	h, f := r.ended()
	if !h.Pulse.On {
		watched, err := newRunner(r.Sys, r.opts)
		if err != nil {
			return nil, err
		}
		watched.Pulse.Watch()
		if res, returned, err := run.Apart(watched.probeAndSearch); returned {
			return res, err
		}
		r = watched
		h, f = r.ended()
	}
	h.Pulse.RestAsIs()
	return h.stoppedAt(*f, h.upToStuck(), r.soFar(h), StateFound, StateNone), nil
}
