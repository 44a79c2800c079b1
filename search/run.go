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

// runs takes runs, one at a time. It owns the worlds, and says of the last run, or
// of what explores in its place, how it came about.
type runs struct {
	sys       *sim.System
	opts      Options
	world     *world.World    // fast
	twin      *twin           // careful: two worlds in lockstep
	always    bool            // every run must be careful: step properties need the state before
	coverage  *world.Coverage // what the runs of the search exercise, but for those that repeat others; nil: all of them do
	bank      *world.Bank     // of the forks; nil: there were none yet
	pulse     pulse           // what the monitor watches
	limits    *limits         // when to stop
	stats     Stats
	climate   climate // of the last run, as it was
	forked    *fork   // where the last run began; nil: at the start
	exploring *taker  // what is under way, if it is no run
}

// runner is a search: what its runs have come to, and what is still to be done.
type runner struct {
	runs
	share         share   // how much of the phase was audited
	space         *space  // what the states differ in; nil: nobody asked
	labFork       labFork // the last of a Lab's
	lab           *Lab    // in which the search looks into runs; nil: it has not yet
	settledStates int     // that were visited to decide about runs exactly
	walking       *walk   // and the walk from there
	began         time.Time
	spent         time.Duration // processor time, before it began
	progress      Progress      // what is told of it
	lead          *lead         // what every run begins with; nil: nothing
	findings      findings      // what was found so far
	pending       *Finding      // what a walk from the periphery met; a shorter one is looked for
	patience      int           // until so many transitions were executed
	alarms        int           // that were false
	reach         int           // steps after which a walk that is not live is suspected, now
	team          *team         // explores with the others; nil: nobody does
	pulses        pulses        // of the team
	confirming    *runner       // the last runner that took runs again for this one
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
	r := &runner{runs: runs{sys: sys, opts: opts, limits: &limits{}, coverage: new(world.Coverage)}, reach: opts.WalkSteps, began: clock(), spent: Processor()}
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

func (r *runs) newWorld(c world.Config) (*world.World, error) {
	c.Only, c.Network = r.opts.Properties, r.opts.Network
	return world.New(r.sys, r.opts.Params, c)
}

// allow sets what the environment may do in the next run of a world.
func (r *runs) allow(c climate, w *world.World) {
	if c.faults {
		w.Allow(r.opts.Budgets(r.sys), r.opts.Early)
	} else {
		w.Allow(sim.Faults{}, 0)
	}
}

// planned is a run that is about to be taken.
type planned struct {
	w      *world.World
	lock   *twin // takes it twice, in lockstep; nil: it is not careful
	src    choose.Source
	c      climate
	loaded *fork // the state where it begins is loaded; nil: it begins at the start
	first  int   // the depth from which on the strategy is asked
}

// plan says in which world a run is taken, from where, and who answers. What the
// monitor may read is written before the heartbeat begins, after which it reads.
func (r *runs) plan(s strategy, careful bool) *planned {
	p := &planned{w: r.world, src: s, c: s.weather()}
	if careful = careful || r.always; careful {
		r.stats.Audited++
	}
	from := s.fork()
	if from != nil {
		p.first = from.steps
		if from.at != nil && !careful {
			p.loaded = from
		} else {
			p.src = from.then(s)
		}
	}
	r.climate, r.exploring, r.forked = p.c, nil, p.loaded
	p.src = r.pulse.beat(p.src)
	if p.loaded != nil {
		r.pulse.know(from.prefix)
	}
	if careful {
		p.lock = r.twin
		p.w, p.src = r.twin.world, r.twin.record(p.src)
		r.allow(p.c, r.twin.lag)
	}
	r.allow(p.c, p.w)
	return p
}

// begin brings the run to its first state.
func (p *planned) begin() {
	if p.loaded != nil {
		p.w.Resume(p.loaded.bank, p.loaded.at, p.loaded.steps)
	} else {
		p.w.Start(p.src)
	}
}

// agrees lets the lagging world take the last step, and reports whether it does
// the same.
func (p *planned) agrees() bool {
	depth := p.w.Steps()
	return p.lock == nil || p.lock.follow(depth, depth > 0 && depth-1 == p.c.heal) == nil
}

// step takes one step: the one in which the environment heals, where it is time.
func (c climate) step(w *world.World, src choose.Source) world.Progress {
	if w.Steps() == c.heal {
		return w.Heal(src)
	}
	return w.Step(src)
}

// run takes one run. A careful run is taken twice, in lockstep.
func (r *runs) run(s strategy, careful bool) (end ending, failure *sim.Failure, w *world.World) {
	p := r.plan(s, careful)
	w = p.w
	failure = w.Protect(func() { end = r.follow(p, s) })
	r.pulse.rest()
	if p.lock != nil && failure == nil {
		failure = p.lock.failure
	}
	switch {
	case failure != nil:
		end = endFailed
	case end == 0 && w.Err() != nil: // it unwound
		end = endStopped
	}
	return end, failure, w
}

// follow takes a run to its end. 0: a failure says why it ended.
func (r *runs) follow(p *planned, s strategy) ending {
	for p.begin(); p.agrees(); r.stats.Steps++ {
		goesOn, end := p.evaluate(s)
		if end == endQuiet && p.w.Err() == nil && p.w.Steps() < p.c.heal { // nothing can happen before the time to heal: now, then
			p.c.heal = p.w.Steps()
			r.climate = p.c
			goesOn, end = p.evaluate(s)
		}
		if !goesOn {
			return end
		}
	}
	return 0
}

// evaluate looks at the state that a run is in, and takes a step from there: what
// is wrong with the states of runs is found here, and nowhere else.
func (p *planned) evaluate(s strategy) (goesOn bool, end ending) {
	w := p.w
	if w.Check() != nil {
		return false, 0
	}
	if p.lock != nil {
		w.CoverRun()
	}
	if w.Steps() >= p.first && !s.visit(w, w.Steps()) {
		return false, endLeft
	}
	switch p.c.step(w, p.src) {
	case world.Stepped:
		return true, 0
	case world.Quiet:
		return false, endQuiet
	}
	if errors.Is(w.Err(), choose.ErrOnlyRare) {
		return false, endQuiet
	}
	return false, endStopped
}
