package search

import (
	"time"

	"macemc/internal/world"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
	"macemc/search/internal/walk"
	"macemc/sim"
)

// runner is a search: what its runs have come to, and what is still to be done. One
// goroutine at a time has it; only the monitor reads beside it, the pulse of its runs and
// pulses. Runners of other goroutines (team.go, scouts.go, workers.go) share its limits
// and the parts of states, and are made and taken apart by it.
type runner struct {
	run.Runs

	// What it was made for. Two options change on the way: the timers of a prefix do not
	// count as early (mayFire), and where nodes cannot be copied there is less effort.
	opts   Options
	prefix *prefix // what every run begins with; nil: nothing
	space  *space  // what the states differ in; nil: nobody asked
	owner  explore.Owner

	// What is told of it. Whoever looks at something besides puts stats back.
	stats    Stats
	coverage *world.Coverage // what the runs exercise, but for those that repeat others; nil: all of them do
	progress Progress
	began    time.Time
	spent    time.Duration // processor time, before it began

	// What it has found, and the phases that add to it, each in its file.
	findings  findings
	periphery periphery
	share     run.Share     // how much of this phase was audited
	reach     int           // steps after which a walk that is not live is suspected, now
	undecided []Suspect     // runs of which it was not decided whether they are dead
	alarms    int           // that were false; each makes reach longer
	vain      int           // what was spent on looks at walks that were only slow
	corpus    *walk.Corpus  // where walks may begin, too; nil: there is none yet
	notes     []*walk.Notes // what the walks of this lot have met
	begun     []int         // and at which kept states they began

	// Who helps it: the pulses are of those that explore with it.
	team       *team // nil: nobody explores with it
	pulses     pulses
	confirming *runner // the last that took runs again for it
	lab        *Lab    // in which it looks into runs; nil: it has not yet

	// As one of a lab's crew: the lab writes these.
	labFork       labFork    // the last that it made
	walking       *walk.Walk // and the walk from there
	settledStates int        // that were visited to decide about runs exactly
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
	r.Setting = opts.setting(sys)
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
