package search

import (
	"slices"
	"time"

	"macemc/internal/search/internal/walk"
	"macemc/sim"
)

// runner is a search: its phases, and the state that they share. A phase returns its outcome,
// adds its counts to stats, and puts the failures that it finds into findings.
type runner struct {
	*hand // takes its runs
	space *space

	stats Stats // what was counted and added; see now
	gauge gauge
	began time.Time
	spent time.Duration // processor time, before it began

	// The phases that add to what was found, each in its file.
	findings    findings
	round       *reference // that is under way, or nil
	trial       trial
	periphery   periphery
	reach       int       // steps after which a walk that is not live is suspected, at present
	undecided   []Suspect // runs that may be dead or not: that was not decided
	dear        []dear    // suspects that are examined when the search is over
	suspicions  suspicions
	alarms      int           // suspicions that were false; each makes reach longer
	vain        int           // the effort spent on suspected walks that were only slow
	corpus      *walk.Corpus  // states at which walks may begin, too, or nil if there is none yet
	notes       []*walk.Notes // what each walk of this lot has met
	begun       []int         // and the kept state at which it began
	past        pastKept      // the additions to the corpus since the state of the search was last kept
	from        *kept         // the state from which the search was resumed, or nil if it is new
	quarantined []int         // walks that were left out
	leftStates  int           // that were left out
	rounds      int           // that other processes took
	leftAt      []Prefix      // the runs to the first of them
	lots        int           // lots that other processes took
	untold      pastKept      // additions to the corpus that those processes do not have yet

	// The goroutines that help it.
	team    *team // nil means nobody explores with it
	monitor *monitor
	lab     *Lab // in which it looks into runs, or nil if it has not yet
}

func newRunner(sys *sim.System, opts Options) (*runner, error) {
	r := &runner{began: clock(), spent: Processor()}
	var err error
	if r.hand, err = newHand(sys, opts, r, nil); err != nil {
		return nil, err
	}
	r.reach = r.opts.WalkSteps
	r.findings = findings{opts: &r.hand.opts}
	r.periphery = periphery{r: r}
	r.gauge = gauge{told: opts.Progress, memory: r.Limits.Memory}
	r.monitor = newMonitor(r.hand, r.soFar)
	r.joins(r.hand)
	if opts.ProfileSpace {
		r.space = &space{}
		r.owner.Sampler = r.space
	}
	return r, nil
}

// joins lets a hand explore for the search.
func (r *runner) joins(h *hand) {
	h.owner.Several, h.owner.Note = r.findings.several(), r.noteWrong
}

// add adds the counts of a part of the search.
func (r *runner) add(s Stats) { r.stats.Add(s) }

// collect adds the counts of the search's own hand.
func (r *runner) collect() { r.add(r.hand.counted()) }

// now returns the counts so far, including those of the phase that is running.
func (r *runner) now() Stats { return r.nowBy(r.hand) }

// nowBy returns the counts so far, including those of the running phase and of hand h.
func (r *runner) nowBy(h *hand) Stats {
	s := r.stats
	s.Add(*h.counts)
	s.Add(r.round.counted())
	s.Add(Stats{Periphery: r.periphery.counted()})
	return s
}

// soFar returns the result of a search that cannot continue, since a hand does not return.
func (r *runner) soFar(h *hand) soFar {
	return soFar{
		findings: r.findings.all, undecided: r.undecided, stats: r.nowBy(h), reach: r.reach, measured: r.measured(),
	}
}

// unused returns the opaque rules that matched nothing in any world.
func (r *runner) unused() (names []string) {
	for _, rule := range r.World.Unused() {
		both := false
		for _, other := range r.Lockstep.World.Unused() {
			both = both || other == rule
		}
		if both && (r.from == nil || slices.Contains(r.from.Unused, rule)) {
			names = append(names, rule)
		}
	}
	return names
}

// watch starts the monitor.
func (r *runner) watch() (end func()) { return r.monitor.watch() }
