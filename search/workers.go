package search

import (
	"runtime"
	"sync"
	"sync/atomic"

	"macemc/search/internal/run"
	"macemc/sim"
)

// crew is some runners that share numbered jobs. Each has worlds of its own.
// What the jobs come to must depend on their numbers alone; then it does not
// matter how many runners there are, and which of them did what.
type crew struct{ runners []*runner }

func newCrew(sys *sim.System, opts Options) (*crew, error) {
	c := &crew{}
	n := opts.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for range n {
		r, err := newRunner(sys, opts)
		if err != nil {
			return nil, err
		}
		c.runners = append(c.runners, r)
	}
	return c, nil
}

// watch starts the monitors of all runners; see runner.watch.
func (c *crew) watch() (end func()) {
	var ends []func()
	for _, r := range c.runners {
		ends = append(ends, r.watch())
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// A job is done by one runner. It reports whether the jobs after it are still
// wanted. It may ask whether it is itself still wanted, and leave off if not.
type job func(r *runner, i int, wanted func() bool) (more bool, err error)

// do gives the jobs 0 to n-1 out in order, each to the next runner that is
// free, until one says that no more are wanted, or fails. It returns how many
// jobs count: all before the first that ended it, and that one. The others, if
// some were done, are to be forgotten. A handler that ends its goroutine ends
// the job, with what broken makes of it.
func (c *crew) do(n int, work job, broken func(r *runner, i int, f *sim.Failure) (more bool)) (count int, err error) {
	var next atomic.Int64
	last := atomic.Int64{} // the least job after which none is wanted
	last.Store(int64(n))
	errs := make([]error, n)
	ends := func(i int, more bool, err error) {
		errs[i] = err
		for err != nil || !more {
			old := last.Load()
			if old <= int64(i) || last.CompareAndSwap(old, int64(i)) {
				return
			}
		}
	}
	var all sync.WaitGroup
	for k := range min(len(c.runners), n) {
		all.Go(func() {
			for i := int64(-1); ; {
				_, returned, _ := run.Apart(func() (struct{}, error) {
					r := c.runners[k]
					r.Pulse.Here()
					for {
						if i = next.Add(1) - 1; i >= int64(n) || i > last.Load() {
							return struct{}{}, nil
						}
						more, err := work(r, int(i), func() bool { return i <= last.Load() })
						ends(int(i), more, err)
					}
				})
				if returned {
					return
				}
				r, f := c.runners[k].ended()
				r.Pulse.Rest()
				ends(int(i), broken(c.runners[k], int(i), f), nil)
				another, err := newRunner(r.Sys, r.opts)
				if err != nil {
					panic("macemc bug: search: a runner that was made before cannot be made again: " + err.Error())
				}
				c.runners[k] = another
			}
		})
	}
	all.Wait()
	count = int(last.Load())
	if count < n {
		return count + 1, errs[count]
	}
	return n, nil
}
