package run

import (
	"errors"

	"macemc/choose"
	"macemc/internal/observe"
	"macemc/internal/setting"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// A Strategy supplies the answers of one run after another, and decides in each state whether the
// run goes on. It does not evaluate properties.
type Strategy interface {
	choose.Source
	// Visit is called with the world in every state: after the start, with depth 0, and after every
	// step. If it returns false, the run ends there.
	Visit(w *world.World, depth int) bool
	// Weather returns the climate of the next run.
	Weather() Climate
	// Fork returns the state where the next run begins, or nil if it begins at the start.
	Fork() *Fork
}

// Climate says whether faults may happen in a run, and at which depth the environment heals.
type Climate struct {
	Faults bool // faults may happen, within the budgets
	Heal   int  // the depth at which the environment heals, in a step of its own; -1 means never
}

// Weather returns the climate itself, for strategies that embed it.
func (c Climate) Weather() Climate { return c }

// HealedBy returns the climate for continuing a run at this depth with a healed environment. If step is true,
// the environment has not healed before, and healing takes a step of its own.
func (c Climate) HealedBy(depth int) (healed Climate, step bool) {
	if !c.Faults || c.Heal >= 0 && c.Heal < depth {
		return c, false
	}
	return Climate{Faults: true, Heal: depth}, true
}

// Fair is the climate without faults.
var Fair = Climate{Faults: false, Heal: -1}

// Ending is the way in which a run ended.
type Ending uint8

// The ways in which a run ends. The zero Ending means that a failure ended it.
const (
	EndLeft    Ending = iota + 1 // the strategy ended it
	EndQuiet                     // no event is possible, or only events that are rare
	EndStopped                   // the source gave no answer; Err returns why
	EndFailed                    // the service failed
)

// Runs takes runs, one at a time. It owns the worlds in which they take place, and records which run or
// exploration is under way. The caller sets all fields except the last group. Run writes the fields of that
// group before the first heartbeat, so a watchdog that has seen a heartbeat may read them.
type Runs struct {
	setting.Setting
	World    *world.World // for runs without audit
	Lockstep *Lockstep    // for audited runs, which take place in two worlds
	Always   bool         // there are step properties, which need the state before each step
	failing  [][]int      // the sets of nodes whose failure each state is judged with, too: see sim.Conditions.CrashImplicit
	paired   *Lockstep    // the Lockstep for step properties, whose first world is World; nil if not needed yet
	Limits   *Limits      // when to stop
	Counts   Counts

	Bank *world.Bank        // the store for the states of forks, or nil if there was no fork yet
	Live int                // see world.Config, for tests
	Made func(*world.World) // called with each world that is made, except those for audits; for tests; may be nil

	Pulse     Pulse       // what the monitor watches
	Climate   Climate     // the climate of the last run
	forked    *Fork       // the state where the last run began; nil means the start
	Exploring Exploration // the exploration that is under way, or nil
}

// Counts points to the counters of the owner of a Runs.
type Counts struct {
	Steps   *int // steps taken
	Audited *int // runs that were taken twice, in lockstep
}

// An Exploration takes steps from states that it keeps, in a world of its own. While it does, no run is under
// way.
type Exploration interface {
	// Stuck returns a source of the answers of the run whose last step has not returned, and the number of
	// these answers.
	Stuck() (choose.Source, int)
	// Within returns the world of the exploration. It also reports whether the explored states are healed
	// states, for which the run that leads to them is not kept.
	Within() (w *world.World, healed bool)
}

// NewWorld makes a world with the settings of r. No faults are possible in it until Allow sets their budgets.
func (r *Runs) NewWorld(c world.Config) (*world.World, error) {
	w, err := r.newWorld(c)
	if err == nil && r.Made != nil {
		r.Made(w)
	}
	return w, err
}

func (r *Runs) newWorld(c world.Config) (*world.World, error) {
	c.Conditions = r.Conditions
	c.Faults, c.Early, c.Failing, c.Live = nil, nil, r.failing, r.Live
	return world.New(r.Sys, r.Params, c)
}

// Open makes the worlds of r. The coverage of the runs is counted in c.
func (r *Runs) Open(c *observe.Coverage) (err error) {
	params, err := r.Sys.Resolve(r.Params)
	if err != nil {
		return err
	}
	if r.failing, err = r.Failing(r.Sys, params); err != nil {
		return err
	}
	if r.World, err = r.NewWorld(world.Config{Sprint: true, Coverage: c}); err != nil {
		return err
	}
	r.Params.Nodes = r.World.Params().Nodes // 0 stood for the system's default
	if r.Lockstep, err = r.NewLockstep(world.Config{Audit: true, Coverage: c}); err != nil {
		return err
	}
	r.Always = r.Lockstep.Steps.Any()
	return nil
}

// In calls do, which takes runs in w and l instead of the worlds of r. If a handler ends the goroutine, w and
// l stay the worlds of r, so that the caller can find out in which world that happened.
func (r *Runs) In(w *world.World, l *Lockstep, do func()) {
	own, pair := r.World, r.Lockstep
	r.World, r.Lockstep = w, l
	do()
	r.World, r.Lockstep = own, pair
}

// Explores records that an exploration is under way, which is given as what. Explored records
// that it has ended.
func (r *Runs) Explores(what Exploration) { r.Exploring = what }

// Explored records that the exploration has ended, and runs are taken again.
func (r *Runs) Explored() { r.Exploring = nil }

// Allow sets the fault budgets of w for the next run, as the climate of that run requires.
func (r *Runs) Allow(c Climate, w *world.World) {
	if c.Faults {
		w.Environ.Allow(r.Budgets(), r.Early)
	} else {
		w.Environ.Allow(sim.Faults{}, nil)
	}
}

// planned describes a run that is about to begin.
type planned struct {
	w      *world.World
	lock   *Lockstep // the two worlds that take it; nil if one is enough
	src    choose.Source
	c      Climate
	loaded *Fork // the fork whose state is loaded into the world at the beginning, or nil if the run begins at the start
	first  int   // the depth from which the strategy's Visit is called
}

// plan decides in which world the next run of strategy s is taken, where it begins, and which source gives
// its answers. It writes what the watchdog may read before the first heartbeat. If careful is true, the run
// is audited.
func (r *Runs) plan(s Strategy, careful bool) *planned {
	p := &planned{w: r.World, lock: r.lock(careful), src: s, c: s.Weather()}
	if careful {
		*r.Counts.Audited++
	}
	from := s.Fork()
	if from != nil {
		p.first = from.Steps
		if from.At != nil && !careful {
			p.loaded = from
		} else {
			p.src = from.Then(s)
		}
	}
	r.Pulse.Pass()
	r.Climate, r.Exploring, r.forked = p.c, nil, p.loaded
	p.src = r.Pulse.beat(p.src)
	if p.loaded != nil {
		if from.Told != nil && r.Pulse.Trail != nil {
			r.Pulse.keep(from.Told.Picks())
		}
		r.Pulse.know(from.Prefix)
	}
	r.Pulse.weather(p.c)
	if p.lock != nil {
		p.w, p.src = p.lock.World, p.lock.record(p.src)
		if !p.lock.alone {
			r.Allow(p.c, p.lock.Lag)
		}
	}
	r.Allow(p.c, p.w)
	return p
}

// lock returns the Lockstep in which a run is taken, or nil if one world is enough. careful says whether the
// run is audited.
func (r *Runs) lock(careful bool) *Lockstep {
	switch {
	case careful:
		return r.Lockstep
	case r.Always:
		return r.pair()
	}
	return nil
}

// pair returns a Lockstep whose first world is World. It is lean: it only evaluates step properties,
// and does not compare the two worlds.
func (r *Runs) pair() *Lockstep {
	if r.paired == nil || r.paired.World != r.World {
		r.paired = &Lockstep{World: r.World, lean: true, past: r.World.Past(r.Properties)}
	}
	return r.paired
}

// begin takes the run to its first state, in one or two worlds.
func (p *planned) begin() {
	p.beginIn(p.w, p.src)
	if p.lock != nil && p.loaded != nil && !p.lock.alone {
		p.beginIn(p.lock.Lag, nil)
	}
}

// beginIn takes a world to the first state of the run.
func (p *planned) beginIn(w *world.World, src choose.Source) {
	if p.loaded != nil {
		w.State.Resume(p.loaded.Bank, p.loaded.At, p.loaded.Steps)
	} else {
		w.Start(src)
	}
}

// agrees evaluates the step properties for the last step. It makes the second world take that step, if that
// world is needed. It reports whether all properties hold and both worlds did the same.
func (r *Runs) agrees(p *planned) bool {
	if p.lock == nil {
		return true
	}
	depth, first := p.w.Run.Steps(), 0
	if p.loaded != nil {
		first = p.loaded.Steps
	}
	if p.lock.alone {
		if p.lock.sees(depth == first) {
			return true
		}
		if r.wake(p, depth == first) != nil {
			return false
		}
	}
	loaded := p.loaded != nil && depth == first // no step was taken yet
	return loaded || p.lock.follow(depth, depth > 0 && depth-1 == p.c.Heal) == nil
}

// wake takes the second world of a lean Lockstep to the state before the last step. It makes that
// world if there is none yet. first says that the run has taken no step since it began.
func (r *Runs) wake(p *planned, first bool) *trace.Failure {
	t := p.lock
	if t.Lag == nil {
		lag, err := r.NewWorld(world.Config{})
		if err != nil {
			panic("macemc bug: run: a world that was made before cannot be made again: " + err.Error())
		}
		t.lags(lag, world.StepChecks(lag, r.World, r.Properties))
	}
	r.Allow(p.c, t.Lag)
	if first {
		if p.loaded != nil {
			p.beginIn(t.Lag, nil)
		}
		t.blinds()
		return nil
	}
	return t.catchUp(func(src choose.Source) { p.beginIn(t.Lag, src) }, p.c)
}

// Step takes one step of the run in w. If the run has the depth c.Heal, the environment heals in this
// step; otherwise an event happens.
func (c Climate) Step(w *world.World, src choose.Source) world.Progress {
	if w.Run.Steps() == c.Heal {
		return w.Heal(src)
	}
	return w.Step(src)
}

// Run takes one run. If careful is set, it takes the run twice, in lockstep.
func (r *Runs) Run(s Strategy, careful bool) (end Ending, failure *trace.Failure, w *world.World) {
	p := r.plan(s, careful)
	w = p.w
	failure = w.Protect(func() { end = r.follow(p, s) })
	r.Pulse.Rest()
	if p.lock != nil && failure == nil {
		failure = p.lock.failure
	}
	switch {
	case failure != nil:
		end = EndFailed
	case end == 0 && w.Run.Err() != nil: // the source gave no answer in the middle of a step
		end = EndStopped
	}
	return end, failure, w
}

// follow takes a run from its beginning to its end. It returns 0 if a failure ended the run.
func (r *Runs) follow(p *planned, s Strategy) Ending {
	for p.begin(); r.agrees(p); *r.Counts.Steps++ {
		goesOn, end := p.evaluate(s)
		if end == EndQuiet && p.w.Run.Err() == nil && p.w.Run.Steps() < p.c.Heal { // nothing else can happen before the environment heals, so it heals now
			p.c.Heal = p.w.Run.Steps()
			r.Climate = p.c
			r.Pulse.weather(p.c)
			goesOn, end = p.evaluate(s)
		}
		if !goesOn {
			return end
		}
	}
	return 0
}

// evaluate checks the state of a run, and takes a step from it. It is the only place in which the states
// of runs are checked.
func (p *planned) evaluate(s Strategy) (goesOn bool, end Ending) {
	w := p.w
	if w.Judge.Check() != nil {
		return false, 0
	}
	if p.lock != nil && !p.lock.lean {
		w.Judge.CoverRun()
	}
	if w.Run.Steps() >= p.first && !s.Visit(w, w.Run.Steps()) {
		return false, EndLeft
	}
	switch p.c.Step(w, p.src) {
	case world.Stepped:
		return true, 0
	case world.Quiet:
		return false, EndQuiet
	}
	if errors.Is(w.Run.Err(), choose.ErrOnlyRare) {
		return false, EndQuiet
	}
	return false, EndStopped
}
