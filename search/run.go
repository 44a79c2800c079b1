package search

import (
	"errors"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A strategy supplies the answers of one run after another, and says of each
// state whether the run goes on. It evaluates nothing.
type strategy interface {
	choose.Source
	// visit is told the world at every state: after the starts, with depth 0,
	// and after every step. False ends the run here.
	visit(w *world.World, depth int) bool
	// weather is the climate of the run that begins.
	weather() climate
	// fork is the state where it begins; nil: at the start. See fork.go.
	fork() *fork
}

// climate is how the environment behaves in a run.
type climate struct {
	faults bool // faults may happen, within the budgets
	heal   int  // the depth at which the environment heals: a step of its own; -1: never
}

func (c climate) weather() climate { return c }

var fair = climate{faults: false, heal: -1}

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
	sys           *sim.System
	opts          Options
	world         *world.World    // fast
	twin          *twin           // careful: two worlds in lockstep
	share         share           // how much of the phase was audited
	coverage      *world.Coverage // what the runs of the search exercise, but for those that repeat others; nil: all of them do
	space         *space          // what the states differ in; nil: nobody asked
	bank          *world.Bank     // of the forks; nil: there were none yet
	labFork       labFork         // the last of a Lab's
	lab           *Lab            // in which the search looks into runs; nil: it has not yet
	settledStates int             // that were visited to decide about runs exactly
	walking       *walk           // and the walk from there
	pulse         pulse           // what the monitor watches
	stats         Stats
	began         time.Time
	spent         time.Duration // processor time, before it began
	limits        *limits       // when to stop
	progress      Progress      // what is told of it
	lead          *lead         // what every run begins with; nil: nothing
	findings      findings      // what was found so far
	pending       *Finding      // what a walk from the periphery met; a shorter one is looked for
	patience      int           // until so many transitions were executed
	alarms        int           // that were false
	reach         int           // steps after which a walk that is not live is suspected, now
	climate       climate       // of the last run, as it was
	team          *team         // explores with the others; nil: nobody does
	pulses        pulses        // of the team
	exploring     *taker        // what is under way, if it is no run
	forked        *fork         // where the last run began; nil: at the start
	confirming    *runner       // the last runner that took runs again for this one
	always        bool          // every run must be careful: step properties need the state before
}

func newRunner(sys *sim.System, opts Options) (*runner, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if err := sys.Validate(opts.Params); err != nil {
		return nil, err
	}
	if opts.Properties, err = opts.checked(sys); err != nil {
		return nil, err
	}
	if err := sys.CanFail(opts.Params, opts.Budgets(sys)); err != nil {
		return nil, err
	}
	r := &runner{sys: sys, opts: opts, reach: opts.WalkSteps, limits: &limits{}, began: clock(), spent: Processor(), coverage: new(world.Coverage)}
	if opts.ProfileSpace {
		r.space = &space{}
	}
	if r.world, err = r.newWorld(world.Config{Sprint: true, Coverage: r.coverage}); err != nil {
		return nil, err
	}
	r.opts.Params.Nodes = r.world.Params().Nodes // 0 stood for the system's default
	if r.twin, err = r.newTwin(world.Config{Audit: true, Coverage: r.coverage}); err != nil {
		return nil, err
	}
	r.always = r.twin.steps.Any()
	return r, nil
}

func (r *runner) newWorld(c world.Config) (*world.World, error) {
	c.Only, c.Network = r.opts.Properties, r.opts.Network
	return world.New(r.sys, r.opts.Params, c)
}

// allow sets what the environment may do in the next run of a world.
func (r *runner) allow(c climate, w *world.World) {
	if c.faults {
		w.Allow(r.opts.Budgets(r.sys), r.opts.Early)
	} else {
		w.Allow(sim.Faults{}, 0)
	}
}

// run takes one run: the one loop that evaluates states. A careful run is
// taken twice, in lockstep.
func (r *runner) run(s strategy, careful bool) (end ending, failure *sim.Failure, w *world.World) {
	w = r.world
	var t *twin
	c := s.weather()
	from, first := s.fork(), 0
	r.climate, r.exploring, r.forked = c, nil, nil
	if careful || r.always {
		r.stats.Audited++
	}
	loaded := from != nil && from.at != nil && !careful && !r.always
	var src choose.Source = s
	switch {
	case loaded:
		first, r.forked = from.steps, from
	case from != nil:
		first, src = from.steps, from.then(s)
	}
	src = r.pulse.beat(src) // what the monitor may read is written before
	if loaded {
		r.pulse.know(from.prefix)
	}
	if careful || r.always {
		t = r.twin
		w = t.world
		src = t.record(src)
	}
	r.allow(c, w)
	if t != nil {
		r.allow(c, t.lag)
	}
	failure = w.Protect(func() {
		depth := 0
		if loaded {
			w.Resume(from.bank, from.at, from.steps)
			depth = first
		} else {
			w.Start(src)
		}
		if t != nil && t.follow(0, false) != nil {
			return
		}
		for ; ; depth++ {
			if w.Check() != nil {
				return
			}
			if t != nil {
				w.CoverRun()
			}
			if depth >= first && !s.visit(w, depth) {
				end = endLeft
				return
			}
			progress := world.Progress(0)
			if depth == c.heal {
				progress = w.Heal(src)
			} else {
				progress = w.Step(src)
			}
			switch progress {
			case world.Quiet:
				if depth < c.heal { // nothing can happen before the time to heal: now, then
					c.heal = depth
					r.climate = c
					depth--
					continue
				}
				end = endQuiet
				return
			case world.Stopped:
				end = endStopped
				if errors.Is(w.Err(), choose.ErrOnlyRare) {
					end = endQuiet
				}
				return
			}
			r.stats.Steps++
			if t != nil && t.follow(depth+1, depth == c.heal) != nil {
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
