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
	*hand // takes the search's runs
	space *space

	stats Stats // counts of finished parts of the search: see now
	gauge gauge
	began time.Time
	spent time.Duration // processor time that the process used before the search began

	// Phases that find something, each in a file of its own.
	findings    findings
	round       *reference // the round of the reference engine that is running, or nil
	trial       trial
	periphery   periphery
	reach       int       // a walk that is not live after this many steps is suspected
	undecided   []Suspect // runs that were not decided to be dead or alive
	dear        []dear    // suspects to be examined at the end of the search
	suspicions  suspicions
	unmasked    int           // number of walks before any failure was known
	alarms      int           // number of false suspicions; each makes reach longer
	vain        int           // the effort of those early examinations of walks that led to no finding
	corpus      *walk.Corpus  // states at which walks may begin instead of at the start, or nil
	notes       []*walk.Notes // what each walk of the present lot has met
	begun       []int         // numbers of the states of the corpus at which walks of the present lot began
	past        pastKept      // additions to the corpus since the search's state was last kept
	from        *kept         // the state from which the search was resumed, or nil if it is new
	quarantined []int         // numbers of the walks that were left out
	leftStates  int           // number of states that were left out
	rounds      int           // number of rounds that other processes took
	leftAt      []Prefix      // the runs to the first states that were left out
	lots        int           // number of lots that other processes took
	untold      pastKept      // additions to the corpus that were not sent to those processes yet

	// Goroutines that help the search.
	team    *team // nil if one goroutine explores
	monitor *monitor
	lab     *Lab // the lab that examines runs, or nil if none was needed yet
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

// joins makes hand h take part in the search's exploration.
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

// soFar returns the result so far, for a search that cannot continue because the handler that h
// runs does not return.
func (r *runner) soFar(h *hand) soFar {
	return soFar{
		findings: r.findings.all, undecided: r.undecided, stats: r.nowBy(h), reach: r.reach, measured: r.measured(),
	}
}

// unused returns the rules of System.Opaque that matched nothing in any state.
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

// watch starts the monitor, and returns a function that ends it.
func (r *runner) watch() (end func()) { return r.monitor.watch() }
