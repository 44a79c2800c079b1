package search

import "time"

// clock is when the search began: the wall clock is measured here, and decides
// nothing.
var clock = time.Now

// measured is what the search took so far.
func (r *runner) measured() Measured {
	r.limits.mu.Lock()
	defer r.limits.mu.Unlock()
	r.limits.look()
	return Measured{Elapsed: clock().Sub(r.began), Memory: uint64(r.limits.most)}
}

// tell reports progress, now and then.
func (r *runner) tell() {
	if r.opts.Progress != nil && r.stats.Paths%256 == 0 {
		r.opts.Progress(r.stats)
	}
}
