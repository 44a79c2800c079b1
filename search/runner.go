package search

import (
	"time"

	"macemc/internal/world"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
	"macemc/search/internal/walk"
	"macemc/sim"
)

// runner is a search: what its runs have come to, and what is still to be done.
type runner struct {
	run.Runs
	opts          Options
	stats         Stats
	coverage      *world.Coverage // what the runs of the search exercise, but for those that repeat others; nil: all of them do
	share         run.Share       // how much of the phase was audited
	space         *space          // what the states differ in; nil: nobody asked
	labFork       labFork         // the last of a Lab's
	lab           *Lab            // in which the search looks into runs; nil: it has not yet
	settledStates int             // that were visited to decide about runs exactly
	walking       *walk.Walk      // and the walk from there
	began         time.Time
	spent         time.Duration // processor time, before it began
	progress      Progress      // what is told of it
	corpus        *walk.Corpus  // where walks may begin, too; nil: there is none yet
	notes         []*walk.Notes // what the walks of this lot have met
	begun         []int         // and at which kept states they began
	prefix        *prefix       // what every run begins with; nil: nothing
	findings      findings      // what was found so far, and whether more is wanted
	periphery     periphery     // walks from the states at the ends of rounds
	alarms        int           // that were false
	reach         int           // steps after which a walk that is not live is suspected, now
	owner         explore.Owner // the search, as exploring sees it
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
	r := &runner{opts: opts, coverage: new(world.Coverage), reach: opts.WalkSteps, began: clock(), spent: Processor()}
	r.findings.opts, r.periphery.r = &r.opts, r
	r.Conditions = run.Conditions{Sys: sys, Params: opts.Params, Properties: opts.Properties, Faults: opts.Budgets(sys), Early: opts.Early, Network: opts.Network,
		FreeTimers: opts.FreeTimers, DiskReorder: opts.DiskReorder}
	r.Limits = &run.Limits{Ask: opts.Stop, Budget: opts.Memory, Table: opts.table}
	r.Counts = run.Counts{Steps: &r.stats.Steps, Audited: &r.stats.Audited}
	if opts.ProfileSpace {
		r.space = &space{}
	}
	if r.World, err = r.NewWorld(world.Config{Sprint: true, Coverage: r.coverage}); err != nil {
		return nil, err
	}
	r.Pulse.Trail, r.Pulse.On = opts.Trail, opts.Trail != nil
	r.Params.Nodes = r.World.Params().Nodes // 0 stood for the system's default
	r.opts.Params = r.Params
	if r.Lockstep, err = r.NewLockstep(world.Config{Audit: true, Coverage: r.coverage}); err != nil {
		return nil, err
	}
	r.Always = r.Lockstep.Steps.Any()
	r.owner = explore.Owner{
		Runs: &r.Runs, Share: &r.share, Coverage: r.coverage, Seed: opts.Seed, All: opts.all, Once: opts.once,
		Counts: explore.Counts{
			Steps: &r.stats.Steps, States: &r.stats.States, Transitions: &r.stats.Transitions, Executed: &r.stats.Executed,
			HandlerRuns: &r.stats.HandlerRuns, Duplicates: &r.stats.Duplicates, Compared: &r.stats.Compared,
		},
		Several: r.findings.several(), Note: r.noteWrong,
		Halt:     func() bool { return r.Stopped() || r.opts.enough(r.stats) },
		Depth:    func() int { return r.stats.Depth },
		Progress: r.at,
	}
	if r.space != nil {
		r.owner.Sampler = r.space
	}
	return r, nil
}
