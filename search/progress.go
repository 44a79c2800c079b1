package search

import (
	"runtime/metrics"
	"time"
)

// clock is when the search began: the wall clock is measured here, and decides
// nothing.
var clock = time.Now

// measured is what the search took so far.
func (r *runner) measured() Measured {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return Measured{Elapsed: clock().Sub(r.began), Memory: sample[0].Value.Uint64()}
}

// tell reports progress, now and then.
func (r *runner) tell() {
	if r.opts.Progress != nil && r.stats.Paths%256 == 0 {
		r.opts.Progress(r.stats)
	}
}

func (r *runner) stopped() bool { return r.opts.Stop != nil && r.opts.Stop() }
