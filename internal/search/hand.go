package search

import (
	"runtime"

	"macemc/internal/byzantine"
	"macemc/internal/contract"
	"macemc/internal/observe"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/search/internal/work"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// hand takes runs. It has the worlds in which they are taken, their coverage, and its counts since
// the last call of counted. Only one goroutine at a time uses it, except that a monitor reads the
// pulse of its runs.
type hand struct {
	run.Runs
	opts     Options // mayFire and exhaustLocal change one field each
	of       *runner // the search that it explores for, or nil if it belongs to a lab
	prefix   *prefix // the prefix of every run, or nil if there is none
	coverage *observe.Coverage
	owner    explore.Owner
	share    run.Share // the audited share of this phase
	counts   *Stats    // counts since the last call of counted

	confirming *hand // the hand that last repeated a run for this one
}

// newHand makes a hand for a search, the runner of. If of is nil, the hand is for a lab. If like
// is not nil, the new hand has the same prefix and the same limits as like.
func newHand(sys *sim.System, opts Options, of *runner, like *hand) (*hand, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if err := sys.Validate(opts.Params); err != nil {
		return nil, err
	}
	if sys, err = byzantine.System(sys, opts.Params, opts.Byzantine); err != nil {
		return nil, err
	}
	if opts.Properties, err = opts.checked(sys); err != nil {
		return nil, err
	}
	if err := sys.CanFail(opts.Params, opts.Budgets(sys)); err != nil {
		return nil, err
	}
	limits, on, counts := &run.Limits{Ask: reasons(opts.Stop), Budget: opts.Memory, Table: opts.table}, opts.Trail != nil, &Stats{}
	var from *prefix
	if like != nil {
		limits, on, from = like.Limits, like.Pulse.On, like.prefix.share()
	}
	h := &hand{
		opts: opts, of: of, prefix: from, coverage: new(observe.Coverage), counts: counts,
		Runs: run.Runs{
			Setting: opts.setting(sys), Live: opts.live, Made: opts.made, Limits: limits, Pulse: run.Pulse{Trail: opts.Trail, On: on},
			Counts: run.Counts{Steps: &counts.Steps, Audited: &counts.Audited},
		},
	}
	if err := h.Open(h.coverage); err != nil {
		return nil, err
	}
	h.opts.Params = h.Params
	h.auditAnew()
	h.owner = explore.Owner{
		Runs: &h.Runs, Share: &h.share, Coverage: h.coverage, Seed: opts.Seed, All: opts.all, Worth: opts.worth, Once: opts.once,
		Counts: explore.Counts{
			Steps: &counts.Steps, States: &counts.States, Transitions: &counts.Transitions, Executed: &counts.Executed,
			HandlerRuns: &counts.HandlerRuns, Duplicates: &counts.Duplicates, Compared: &counts.Compared,
		},
		Halt: h.halted, Depth: h.depth, Progress: h.passes,
	}
	if of != nil {
		h.owner.Few = h.few()
	}
	return h, nil
}

// counted returns the counts since its last call, and sets them to zero. The caller must add them
// to those of the search.
func (h *hand) counted() Stats {
	counts := *h.counts
	*h.counts = Stats{}
	return counts
}

// unaudited makes the hand audit nothing. Calling audits restores the share of audited steps; calling forgets sets
// the hand's counts back to their values at the call of unaudited.
func (h *hand) unaudited() (audits, forgets func()) {
	share, counts := h.share, *h.counts
	h.share = run.NoShare()
	return func() { h.share = share }, func() { *h.counts = counts }
}

// auditAnew sets the counts of steps taken and audited to zero, at the beginning of a phase.
func (h *hand) auditAnew() {
	h.share = run.Share{}
	if h.opts.once {
		h.share.Least = 1
	}
}

// auditFrom continues the audits of a phase in which these numbers of steps were taken and audited.
func (h *hand) auditFrom(steps, audited int) {
	h.auditAnew()
	h.share.Add(steps, audited)
}

// halted reports whether the exploration should stop, even in the middle of a state.
func (h *hand) halted() bool {
	switch {
	case h.of == nil:
		return h.Stopped()
	case h.of.hand == h:
		return h.Stopped() || h.opts.enough(h.of.now())
	}
	return h.Stopped() || h.opts.enough(*h.counts)
}

// depth returns the depth of the states that are being expanded.
func (h *hand) depth() int {
	if h.of == nil {
		return 0
	}
	return h.of.stats.Depth
}

// passes reports the progress of the phase: the number of its items, such as walks, that are done. It
// does nothing if the hand is not the search's own.
func (h *hand) passes(done int) {
	if h.of != nil && h.of.hand == h {
		h.of.at(done)
	}
}

// wanted reports whether a run should go on, because the search was not stopped.
func (h *hand) wanted() bool { return !h.Stopped() }

// taken returns the number of steps that were taken for the run that ended in w. A careful (audited)
// run takes the steps of the prefix, too; other runs begin at a saved state after the prefix, so for
// them these steps do not count.
func (h *hand) taken(w *world.World, careful bool) int {
	if careful {
		return w.Run.Steps()
	}
	return w.Run.Steps() - h.prefix.base()
}

// strategy returns the strategy for random walks; some walks begin at states of the corpus c. The walks
// begin at states that this hand has saved, so no other hand may use the strategy.
func (h *hand) strategy(c *walk.Corpus) walk.Strategy {
	weighted := walk.Weighted{
		Fair: h.prefix.beginning(run.Fair), Faulty: h.prefix.beginning(run.Climate{Faults: true}), Base: h.prefix.base(), Stormy: h.Stormy(),
		Uniform: h.opts.Walking == WalkUniform,
	}
	if !h.opts.Walking.guided() {
		return &weighted
	}
	return &walk.Portfolio{
		Weighted: weighted, Seed: h.opts.Seed, Lively: h.World.Judge.CanBeLive(), Corpus: c, Restarts: h.opts.Restarts,
		Manners: h.opts.Walking.manners(), Budgets: faultsOf(h.Budgets()),
	}
}

// faultsOf returns the kinds of faults that a walk may have, each with the number allowed.
func faultsOf(budgets sim.Faults) (all []walk.Budget) {
	for _, kind := range contract.Kinds() {
		if kind.Fault() {
			n := *budgets.Of(kind)
			if n == sim.Unlimited {
				n = len(walk.Guide{}.Points)
			}
			if n > 0 {
				all = append(all, walk.Budget{Kind: kind, N: n})
			}
		}
	}
	return all
}

// few returns the largest number of faults in a run of the exhaustive phase, or 0 if only the
// budgets limit it. If a system's budgets allow more than four faults together, a run may have two
// of them, since with more the phase would not get deep enough. This limit does not apply if the
// options name budgets, a depth or an effort above the usual one.
func (h *hand) few() int {
	const many, small = 4, 2
	total := 0
	for _, b := range faultsOf(h.Budgets()) {
		total += b.N
	}
	if o := h.opts; o.Faults != nil || o.Depth != 0 || o.Effort > effortUsual || total <= many {
		return 0
	}
	return small
}

// manners returns the manners of successive walks: the first walk has the first manner, and after
// the last manner the list begins again.
func (w Walking) manners() []walk.Manner {
	switch w {
	case WalkChain:
		return []walk.Manner{walk.Chain}
	case WalkSwarm:
		return []walk.Manner{walk.Swarm}
	case WalkSingle:
		return []walk.Manner{walk.Single}
	default:
		return []walk.Manner{walk.Chain, walk.Swarm, walk.ByWeight, walk.Chain, walk.Swarm, walk.Single}
	}
}

// ended finds the handler that has ended its goroutine (by runtime.Goexit). It returns the hand in whose world the
// handler ran, and the failure. It is called after a goroutine has ended. If no handler has ended the goroutine, a
// function of the caller has; then ended ends the caller's goroutine, too.
func (h *hand) ended() (*hand, *trace.Failure) {
	for ; h != nil; h = h.confirming {
		worlds := []*world.World{h.World, h.Lockstep.World, h.Lockstep.Lag}
		if h.Exploring != nil {
			w, _ := h.Exploring.Within()
			worlds = append(worlds, w)
		}
		for _, w := range worlds {
			if f := w.Run.Failed(); f != nil && w.Run.Unwound() {
				return h, f
			}
		}
	}
	runtime.Goexit()
	return nil, nil
}

// here records that the current goroutine takes the hand's runs.
func (h *hand) here() { h.Pulse.Here() }

// gone returns the failure of a run whose handler has ended its goroutine, and a new hand that replaces h, whose
// world cannot be used any more.
func (h *hand) gone() (*trace.Failure, *hand) {
	r, f := h.ended()
	r.Pulse.Rest()
	another, err := newHand(h.Sys, h.opts, h.of, h)
	if err != nil {
		panic("macemc bug: search: a hand that was made before cannot be made again: " + err.Error())
	}
	return f, another
}

// Stats and its parts are defined and added up in internal/search/internal/work.
type (
	Stats     = work.Stats     // the counts of a search; they are the same for the same seed
	Periphery = work.Periphery // counts the states in which rounds ended, and the walks that began at them
	Manners   = work.Manners   // the number of walks of each manner
)
