package search

import (
	"errors"
	"time"

	"macemc/choose"
	"macemc/sim"
)

// A strategy supplies the answers of one run after another, and says of each
// state whether the run goes on. It evaluates nothing.
type strategy interface {
	choose.Source
	// visit is told the world at every state: after the starts, with depth 0,
	// and after every step. False ends the run here.
	visit(w *sim.World, depth int) bool
}

// ending is how a run ended.
type ending uint8

const (
	endLeft    ending = iota + 1 // the strategy left it
	endQuiet                     // no event is possible, or only rare ones
	endStopped                   // the source had no answer: Err says why
	endFailed                    // the service failed
)

// runner owns the worlds in which runs are taken.
type runner struct {
	sys    *sim.System
	opts   Options
	world  *sim.World // fast
	twin   *twin      // careful: two worlds in lockstep
	share  share      // how much of the phase was audited
	pulse  pulse      // what the monitor watches
	stats  Stats
	began  time.Time
	always bool // every run must be careful: step properties need the state before
}

func newRunner(sys *sim.System, opts Options) (*runner, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if err := sys.Validate(opts.Params); err != nil {
		return nil, err
	}
	r := &runner{sys: sys, opts: opts, began: clock()}
	if r.world, err = r.newWorld(sim.Config{}); err != nil {
		return nil, err
	}
	if r.twin, err = r.newTwin(sim.Config{Audit: true}); err != nil {
		return nil, err
	}
	r.always = r.twin.steps.Any()
	return r, nil
}

func (r *runner) newWorld(c sim.Config) (*sim.World, error) {
	c.Only = r.opts.Properties
	return sim.NewWorld(r.sys, r.opts.Params, c)
}

// run takes one run: the one loop that evaluates states. A careful run is
// taken twice, in lockstep.
func (r *runner) run(s strategy, careful bool) (end ending, failure *sim.Failure, w *sim.World) {
	w = r.world
	var t *twin
	var src choose.Source = r.pulse.beat(s)
	if careful || r.always {
		t = r.twin
		w = t.world
		src = t.record(src)
		r.stats.Audited++
	}
	failure = w.Protect(func() {
		w.Start(src)
		if t != nil && t.follow(0) != nil {
			return
		}
		for depth := 0; ; depth++ {
			if w.Check() != nil {
				return
			}
			if !s.visit(w, depth) {
				end = endLeft
				return
			}
			switch w.Step(src) {
			case sim.Quiet:
				end = endQuiet
				return
			case sim.Stopped:
				end = endStopped
				if errors.Is(w.Err(), choose.ErrOnlyRare) {
					end = endQuiet
				}
				return
			}
			r.stats.Steps++
			if t != nil && t.follow(depth+1) != nil {
				return
			}
		}
	})
	r.pulse.rest()
	if t != nil && t.failure != nil && failure == nil {
		failure = t.failure
	}
	if failure != nil {
		end = endFailed
	} else if w.Err() != nil && end == 0 {
		end = endStopped
	}
	return end, failure, w
}
