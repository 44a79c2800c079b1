package search

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/search/internal/work"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// A Lab answers questions about single runs, for packages that analyze a finding: whether a run can be taken, how
// walks from the middle of it end, and which of its states can recover. All runs of a Lab have the conditions in
// the header of one path.
//
// Walks are distributed among several hands. The results depend on the seed and on the walks' numbers, not on the
// number of hands.
type Lab struct {
	pool     work.Pool[*asker]
	recorded trace.Verdict
	end      func()
	steps    int   // steps of the runs that count as effort
	states   int   // states that were visited to decide exactly
	facts    facts // exact decisions so far
	off      *Lab  // the lab for the same system without its known bugs, or nil if it was not needed yet
}

// asker is a member of a lab's pool: a hand, and its present walk.
type asker struct {
	*hand
	fork    labFork    // the state from which it took its last walk, saved for the next one
	walking *walk.Walk // the walk that it takes
}

// NewLab makes a lab for the conditions of a recorded path. The caller must close it.
func NewLab(sys *sim.System, path *choose.Path, opts Options) (*Lab, error) {
	return (&Result{System: sys}).Open(path, opts)
}

// Open opens the lab of a search for one of its findings: the lab in which the search decided about
// its suspects, if there is one, so that the search's decisions are reused. The lab must be closed
// before it is opened again.
func (r *Result) Open(path *choose.Path, opts Options) (*Lab, error) {
	opts, recorded, err := recordedOptions(r.System, path, opts)
	if err != nil {
		return nil, err
	}
	if opts, err = opts.filled(); err != nil {
		return nil, err
	}
	if r.lab == nil || !r.lab.serves(opts) {
		r.lab, err = newLab(r.System, opts, nil)
	} else {
		err = r.lab.renew(opts)
	}
	if err != nil {
		return nil, err
	}
	return r.lab.watched(recorded), nil
}

// About returns a copy of the result with parameters p and with f as its only finding. The copy shares the lab.
func (r *Result) About(p sim.Params, f *Finding) *Result {
	about := *r
	about.Params, about.Finding, about.Findings = p, f, []*Finding{f}
	return &about
}

// watched makes a watchdog monitor the lab's runs until Close. recorded is the verdict in the path's header.
func (l *Lab) watched(recorded trace.Verdict) *Lab {
	m := newMonitor(l.first().hand, func(h *hand) soFar {
		return soFar{stats: *h.counts, measured: Measured{Memory: uint64(h.Limits.Highest()), Slow: canon.Slow()}}
	})
	m.with(l.hands()[1:])
	l.recorded, l.end = recorded, m.watch()
	return l
}

// serves reports whether the lab's runs have the conditions of these options.
func (l *Lab) serves(opts Options) bool {
	mine, asked := l.Options(), opts.setting(l.first().Sys)
	has := mine.setting(l.first().Sys)
	return mine.Seed == opts.Seed && slices.Equal(has.Header(true), asked.Header(true))
}

// renew sets those options that do not affect what a run does, and sets the effort to zero.
func (l *Lab) renew(opts Options) error {
	in := l.Options()
	in.EvidenceWalks, in.WalkSteps, in.MaxWalkSteps, in.Walking, in.Workers = opts.EvidenceWalks, opts.WalkSteps, opts.MaxWalkSteps, opts.Walking, opts.Workers
	in.Memory, in.Stop, in.Stuck, in.OnStuck, in.OnSlow, in.Trail = opts.Memory, opts.Stop, opts.Stuck, opts.OnStuck, opts.OnSlow, opts.Trail
	l.first().Limits.Renew(reasons(in.Stop), in.Memory)
	n := cmp.Or(in.Workers, runtime.GOMAXPROCS(0))
	for len(l.pool.Hands) < n {
		h, err := newHand(l.first().Sys, in, nil, l.first().hand)
		if err != nil {
			return err
		}
		l.pool.Hands = append(l.pool.Hands, &asker{hand: h})
	}
	l.pool.Hands = l.pool.Hands[:n]
	for _, a := range l.pool.Hands {
		a.renew(in)
	}
	l.steps, l.states, l.off = 0, 0, nil
	return nil
}

// renew sets those options of the hand that do not affect what a run does.
func (h *hand) renew(opts Options) {
	h.opts = opts
	h.Pulse.Follow(opts.Trail)
}

// newLab makes a lab. If like is not nil, the lab's hands have the prefix and limits of like. The caller must call
// watched.
func newLab(sys *sim.System, opts Options, like *hand) (*Lab, error) {
	opts.Progress = nil
	hands, err := newHands(sys, opts, like)
	if err != nil {
		return nil, err
	}
	l := &Lab{end: func() {}}
	l.pool.Here = func(a *asker) { a.here() }
	for _, h := range hands {
		l.pool.Hands = append(l.pool.Hands, &asker{hand: h})
	}
	return l, nil
}

// first returns the hand that takes the runs which are not walks.
func (l *Lab) first() *asker { return l.pool.Hands[0] }

func (l *Lab) hands() (all []*hand) {
	for _, a := range l.pool.Hands {
		all = append(all, a.hand)
	}
	return all
}

// Close ends the monitoring of the lab's runs.
func (l *Lab) Close() { l.end() }

// Recorded returns the verdict for which the path of the lab was recorded.
func (l *Lab) Recorded() trace.Verdict { return l.recorded }

// Options returns the options of the lab's runs.
func (l *Lab) Options() Options { return l.first().opts }

// Stopped reports whether the lab was stopped.
func (l *Lab) Stopped() bool { return l.first().Stopped() }

// CanBeLive reports whether a liveness property is checked.
func (l *Lab) CanBeLive() bool { return l.first().World.Judge.CanBeLive() }

// Effort returns the effort spent on all questions so far: the number of steps of runs and of visited states. It
// does not depend on the number of hands, since superfluous walks, which only several hands take, are not counted.
func (l *Lab) Effort() int { return l.steps + l.states }

// A Case is one run that a Lab examines.
type Case struct {
	Path *choose.Path
	// Wild says for each step whether it might be impossible if the environment had healed before: a fault,
	// another rare event or coin, or an event caused by a partition.
	Wild []bool
	// Live says for each state, including the one before the first step, whether all liveness properties
	// hold.
	Live []bool
	// Assumed says for each state whether it counts for liveness.
	Assumed []bool
	healed  []canon.Hash // for each state, the identity of its healed form
	causes  []int        // for each step, the number of the step that sent its message or posted its task, or 0
	kinds   []sim.Kind   // for each step, or nil before the first call of kind
	// Failure is the failure of the service that ended the run, or nil.
	Failure *trace.Failure

	climate run.Climate
	picks   []choose.Pick
}

// MayBeDead reports whether the run may be dead: it did not fail, and its last state is not live, and counts for
// liveness.
func (c *Case) MayBeDead() bool {
	n := c.Steps()
	return c.Failure == nil && !c.Live[n] && c.Assumed[n]
}

// Cause returns the index of the step that sent the message or posted the task of step i, both counted from 0,
// or -1 if there is none.
func (c *Case) Cause(i int) int { return c.causes[i] - 1 }

// Healed returns a value that identifies the healed form of the state after i steps: the state once all faults
// have ended. If Healed returns equal values for two states, the same can happen in both after healing. Healed
// must not be called for a case that Lab.Try returned with fails set, which has no such values.
func (c *Case) Healed(i int) any { return c.healed[i] }

// kind returns the kind of step i, counted from 0.
func (c *Case) kind(i int) sim.Kind {
	if c.kinds == nil {
		c.kinds = kindsOf(c.Path.Steps)
	}
	return c.kinds[i]
}

// MayStorm reports whether walks from the state after this many steps may begin with a storm of faults.
func (c *Case) MayStorm(steps int) bool {
	return c.climate.Faults && (c.climate.Heal < 0 || c.climate.Heal >= steps)
}

// Steps returns the number of steps of the run.
func (c *Case) Steps() int { return len(c.Path.Steps) }

// Take takes a recorded run again. It returns an error if the path does not apply to the system.
func (l *Lab) Take(path *choose.Path) (*Case, error) {
	return alone(l, func() (*Case, error) {
		c, src, w := l.examine(choose.NewReplay(path), climateOf(path), len(path.Steps))
		var diverged *choose.Divergence
		switch {
		case c.Failure != nil:
			return c, nil
		case errors.As(src.Err(), &diverged):
			return nil, fmt.Errorf("%w; the code, or a setting that the path's header names (nodes, param, bug, faults), has changed since the path was recorded", diverged)
		case w.Run.Err() != nil && !errors.Is(w.Run.Err(), choose.ErrEnd):
			return nil, w.Run.Err()
		case c.Steps() < len(path.Steps):
			return nil, fmt.Errorf("the run ended after %d of the path's %d steps, where no event is possible any more: the code has changed since the path was recorded",
				c.Steps(), len(path.Steps))
		}
		return c, nil
	})
}

// alone calls do, which uses the lab's first hand, in a goroutine of its own. If a handler of the service ends that
// goroutine, alone returns this failure as an error.
func alone[T any](l *Lab, do func() (T, error)) (T, error) {
	out, returned, err := run.Apart(func() (T, error) {
		l.first().here()
		return do()
	})
	l.took(l.first().counted().Steps, 0)
	if !returned {
		h, f := l.first().ended()
		h.Pulse.Rest()
		return out, fmt.Errorf("%s: %s", f.Identity, f.Message)
	}
	return out, err
}

// took adds these numbers of steps and visited states to the effort of the lab.
func (l *Lab) took(steps, states int) {
	l.steps += steps
	l.states += states
}

func (l *Lab) examine(src choose.Source, c run.Climate, steps int) (*Case, choose.Source, *world.World) {
	return l.examineAs(src, c, steps, false)
}

// examineAs takes a run of at most this many steps, whose answers src gives, and makes a Case of it. It also
// returns src, and the world in which the run ended. If careful is true, the run is audited.
func (l *Lab) examineAs(src choose.Source, c run.Climate, steps int, careful bool) (*Case, choose.Source, *world.World) {
	record, ok := src.(recorder)
	if !ok {
		record = choose.NewRecord(src)
	}
	x := &examining{Again: run.Again{Climate: c, Steps: steps}, src: record}
	of, w := l.taken(x, careful)
	return of, src, w
}

// taken takes the run that x examines, and returns it as a Case, with the world in which it ended.
// If careful is true, the run is audited.
func (l *Lab) taken(x *examining, careful bool) (*Case, *world.World) {
	h := l.first().hand
	_, failure, w := h.Run(x, careful)
	return x.seen(failure, h.Climate), w
}

// recorder is a source that records the path of its answers.
type recorder interface {
	choose.Source
	Path() *choose.Path
}

// examining repeats a run and records the facts about its states and steps that a Case has.
type examining struct {
	run.Again
	src                 recorder
	wild, live, assumed []bool
	healed              []canon.Hash
	causes              []int
	rare                bool // the step being taken is rare
	fails               bool // only a failure of the run is of interest, so healed is not computed
}

// seen returns the run as a Case. failure is the one that ended it, or nil.
func (x *examining) seen(failure *trace.Failure, c run.Climate) *Case {
	path := x.src.Path()
	for len(x.wild) < len(path.Steps) { // the last step failed
		x.wild = append(x.wild, x.rare)
	}
	return &Case{
		Path: path, Wild: x.wild, Live: x.live, Assumed: x.assumed, healed: x.healed, causes: x.causes, Failure: failure, climate: c, picks: run.Picks(path),
	}
}

func (x *examining) Err() error { return x.src.Err() }

func (x *examining) Answer(q *choose.Question) int {
	k := x.src.Answer(q)
	if q.Kind == choose.Event {
		x.rare = false
		if k >= 0 {
			cause := 0
			if of, ok := q.Alternatives.(choose.Caused); ok {
				cause = of.Cause(k)
			}
			x.causes = append(x.causes, cause)
		}
	}
	for at, runs := k, q.Runs; at >= 0 && len(runs) > 0; runs = runs[1:] {
		if at < runs[0].N {
			x.rare = x.rare || runs[0].Weight == 0
			break
		}
		at -= runs[0].N
	}
	return k
}

func (x *examining) Visit(w *world.World, depth int) bool {
	if depth > 0 {
		x.wild = append(x.wild, x.rare || w.Run.Wild())
	}
	x.live = append(x.live, w.Judge.CanBeLive() && w.Judge.Live())
	x.assumed = append(x.assumed, w.Judge.Assumed())
	if !x.fails {
		x.healed = append(x.healed, w.State.Healed())
	}
	return depth < x.Steps
}

// The questions to a lab, and its answers, are types of package decide.
type (
	Walks   = decide.Walks   // Walks asks for walks from a state of a run
	Walked  = decide.Walked  // Walked says how these walks ended
	Success = decide.Success // Success is a walk that became live, or went on without a violation
	Failed  = decide.Failed  // Failed is a walk in which the service failed
)

// labWalk identifies a walk of a lab, so that it can be taken again.
type labWalk struct {
	from    int         // number of steps of the case that come before the walk
	end     int         // number of steps of the whole run
	climate run.Climate // of the whole run
	picks   []choose.Pick
}

// answers returns the answers of the whole run: those of the case up to the walk, and those of the walk.
func (k *labWalk) answers(of *Case) []choose.Pick {
	return slices.Concat(run.Picks(of.Path.Prefix(k.from)), k.picks)
}

// Walk takes the walks that q describes, from a state of the case, and returns how they ended.
func (l *Lab) Walk(of *Case, q Walks) (*Walked, error) {
	if c := of.climate; q.Storm > 0 && (!c.Faults || c.Heal >= 0 && c.Heal < q.From) {
		return nil, fmt.Errorf("macemc bug: search: a storm of %d steps from step %d of a run in which no faults may happen then", q.Storm, q.From)
	}
	if len(of.Live) <= q.From {
		return nil, fmt.Errorf("macemc bug: search: walks from step %d of a run of %d", q.From, len(of.Live)-1)
	}
	a := &asking{of: of, Walks: q, came: make([]answer, q.Count)}
	pool := l.pool
	pool.Gone = func(k int, u work.Unit) (work.Outcome, bool) {
		broken := l.pool.Hands[k]
		f, another := broken.gone()
		l.pool.Hands[k] = &asker{hand: another}
		return a.judge(broken, u.From, f, broken.walking, 0), true
	}
	taken, err := pool.Do(q.Count, 1, a.take)
	if err == explore.ErrHalt {
		return nil, ErrStopped
	}
	if err != nil {
		return nil, err
	}
	for _, came := range taken {
		l.took(came.Stats.Steps, 0)
	}
	return a.walked(len(taken)), nil
}

// asking has the walks that answer one question, and their results. Walk number i writes only came[i], so several
// hands can take walks at the same time.
type asking struct {
	of *Case
	Walks
	came []answer
}

// answer is the result of one walk. If success and failed are both nil, the walk did not become live, and the
// service did not fail.
type answer struct {
	success *Success
	failed  *Failed
	spell   int // the largest number of successive states without a live one that the walk passed before it came to a live state
}

// walked adds up the results of the walks before number taken.
func (a *asking) walked(taken int) *Walked {
	var success []Success
	var failed []Failed
	spell := 0
	for _, o := range a.came[:taken] {
		spell = max(spell, o.spell)
		switch {
		case o.success != nil:
			success = append(success, *o.success)
		case o.failed != nil:
			failed = append(failed, *o.failed)
		}
	}
	return &Walked{Taken: taken, Success: success, Failed: failed, Spell: spell}
}

// take takes one walk, whose number is that of unit u. Its outcome ends the work on the question if no later
// walk is needed to answer it.
func (a *asking) take(h *asker, u work.Unit, wanted func() bool) (came work.Outcome, err error) {
	if h.Stopped() {
		return came, explore.ErrHalt
	}
	s, err := h.begin(a.of, a.Walks, u.From)
	if err != nil {
		return came, err
	}
	s.Wanted = func() bool { return wanted() && !h.Stopped() }
	end, failure, w := h.Run(s, false)
	h.counted()
	steps := Stats{Steps: w.Run.Steps() - a.From}
	switch {
	case !wanted():
		return work.Outcome{Stats: steps, Ends: true}, nil
	case s.Left: // the walk was ended in the middle, so it shows nothing
		return came, explore.ErrHalt
	case end == run.EndStopped && isMismatch(w.Run.Err()):
		return came, fmt.Errorf("%w%s", w.Run.Err(), run.Hint)
	case end == run.EndStopped:
		return came, w.Run.Err()
	}
	came = a.judge(h, u.From, failure, s, w.Run.Steps())
	return work.Outcome{Stats: steps, Ends: came.Ends}, nil
}

// judge records the result of walk s, which has number i in the question. end is the number of steps
// of the whole run. failure is the failure in which the run ended, or nil.
func (a *asking) judge(h *asker, i int, failure *trace.Failure, s *walk.Walk, end int) work.Outcome {
	picks := slices.Clone(s.Picks())
	switch {
	case failure != nil:
		a.came[i] = answer{spell: s.Spell, failed: &Failed{Number: i, Failure: failure, Walk: &labWalk{a.From, failure.Step, h.Climate, picks}}}
	case a.Survive || s.Live:
		shared := 0
		if h.Climate.Heal != a.From || a.of.climate.Heal == a.From {
			shared = inCommon(a.of, a.From, picks)
		}
		a.came[i] = answer{spell: s.Spell, success: &Success{
			Number: i, Steps: end - s.Plan.Judged, Choices: s.Choices(), Shared: shared, Walk: &labWalk{a.From, end, h.Climate, picks},
		}}
		return work.Outcome{Ends: !a.All}
	default:
		a.came[i] = answer{spell: s.Spell}
	}
	return work.Outcome{}
}

// ErrStopped reports that the lab was stopped.
var ErrStopped = decide.ErrStopped

// begin prepares walk number i of those that answer the question q about a case.
func (h *asker) begin(of *Case, q Walks, i int) (*walk.Walk, error) {
	if h.fork.of != of || h.fork.steps != q.From || h.fork.storm != q.Storm {
		k, err := h.ForkAt(of.Path, of.climate, q.From)
		if err != nil {
			return nil, err
		}
		h.fork = labFork{of: of, steps: q.From, storm: q.Storm, Fork: k}
		h.walking = walk.New(h.opts.Seed)
	}
	p := walk.From(h.fork.Fork, of.climate, q.Steps)
	p.Number = uint64(q.Salt)<<48 | 1<<47 | uint64(q.From)<<20 | uint64(i)
	p.Uniform = h.opts.Walking == WalkUniform != (q.Manner == decide.Other)
	if q.Storm > 0 {
		p.Weather(q.Storm)
	}
	p.Length.Spells = q.Spells
	if p.Length.Exempt = q.Exempt; q.Survive {
		p.Length.Least, p.Length.Waits = q.Steps+1, true
	}
	switch q.Manner {
	case decide.Plain, decide.Other:
	case decide.Holding:
		p.Picker = walk.NewHold(i)
	case decide.OneClock:
		p.Picker = &walk.OneClock{Of: i}
	}
	h.walking.Begin(p)
	return h.walking, nil
}

// labFork is a saved state that a hand keeps, so that its next walk can begin there, with the case and the
// step to which the state belongs.
type labFork struct {
	of    *Case
	steps int
	storm int
	*run.Fork
}

// inCommon compares a walk from the state after step from with the rest of the run of the case. picks are the
// answers of the walk. inCommon returns the number of steps at the beginning in which both have the same
// answers.
func inCommon(of *Case, from int, picks []choose.Pick) int {
	n, at := 0, 0
	for _, s := range of.Path.Steps[from:] {
		for _, c := range append([]choose.Choice{s.Event}, s.Coins...) {
			if at == len(picks) || picks[at] != (choose.Pick{Of: uint32(c.Of), Pick: uint32(c.Pick)}) {
				return n
			}
			at++
		}
		n++
	}
	return n
}

// Record repeats a run from its start: the steps of the case before walk s, and then those of the walk. It takes
// the run with every check on (see hand.confirm), and returns it as a finding with VerdictNone.
func (l *Lab) Record(of *Case, s Success) (*Finding, error) {
	return alone(l, func() (*Finding, error) {
		k := s.Walk.(*labWalk)
		return l.first().record(choose.NewRaw(k.answers(of)), k.climate, k.end)
	})
}

// PathOf returns the path, without a header, of the run that Record repeats: the steps of the case
// before walk s, and then those of the walk.
func (l *Lab) PathOf(of *Case, s Success) (*choose.Path, error) {
	return alone(l, func() (*choose.Path, error) {
		k := s.Walk.(*labWalk)
		record := choose.NewRecord(choose.NewRaw(k.answers(of)))
		_, failure, w := l.first().Run(run.Repeat(record, k.climate, k.end), false)
		if failure != nil || w.Run.Steps() != k.end {
			return nil, fmt.Errorf("a walk of %d steps ended in another way when it was repeated%s", k.end, run.Hint)
		}
		return record.Path(), nil
	})
}

// Confirm makes a finding of a walk in which the service failed.
func (l *Lab) Confirm(of *Case, f Failed) (*Finding, error) {
	return alone(l, func() (*Finding, error) {
		k := f.Walk.(*labWalk)
		return l.first().confirm(choose.NewRaw(k.answers(of)), k.climate, f.Failure)
	})
}

// ConfirmCase makes a finding of a case: of its failure or, if it has none, of the run being dead
// at its end. The caller must know that the end is dead.
func (l *Lab) ConfirmCase(of *Case) (*Finding, error) {
	return alone(l, func() (*Finding, error) {
		want := of.Failure
		if want == nil {
			_, _, w := l.first().Run(run.Repeat(choose.NewRaw(of.picks), of.climate, of.Steps()), false)
			want = run.Dead(w, of.Steps())
		}
		return l.first().confirm(choose.NewRaw(of.picks), of.climate, want)
	})
}

// Settle decides exactly which states of a run can recover, by visiting all states that can follow them: see
// isolate.go. It considers the states whose numbers are at least from. last is the last state that can recover, or
// from-1 if none can. decided is false if the number of states to visit is larger than most, or if the nodes cannot
// be copied. Earlier decisions are reused.
func (l *Lab) Settle(of *Case, from, most int) (last int, decided bool, err error) {
	end, s, known := l.facts.about(of.healed[:of.Steps()+1], from, most)
	if known {
		return s.last, s.decided, nil
	}
	q := settling{l.first().hand, of.Path.Prefix(end), of.climate, most}
	look := q.recovers
	if end < of.Steps() {
		look = q.reaches
	}
	s, err = alone(l, func() (settled, error) { return look(from) })
	l.took(0, s.states)
	if err == nil && !l.Stopped() {
		l.facts.note(of.healed[from:end+1], most, s)
	}
	return s.last, s.decided, err
}

// settleSafety is like Settle, for a run that ends in a violation: it decides exactly from which states the run
// could still go on without a violation. last is the last such state.
func (l *Lab) settleSafety(of *Case, from, most int) (last int, decided bool, err error) {
	q := settling{l.first().hand, of.Path.Prefix(of.Steps() - 1), of.climate, most}
	s, err := alone(l, func() (settled, error) { return q.survives(from) })
	l.took(0, s.states)
	return s.last, s.decided, err
}

// Finder returns a Finder for a run of the lab. Bounds that o does not set are those of the lab.
func (l *Lab) Finder(of *Case, o decide.Options) *decide.Finder {
	var events []string
	for i := range of.Path.Steps {
		events = append(events, of.Path.Steps[i].Event.What)
	}
	failed := of.Failure != nil
	run := &decide.Run{Events: events, Wild: of.Wild, Live: of.Live, Failed: failed, Faults: of.climate.Faults, Counts: !failed && of.Assumed[of.Steps()]}
	in := l.first().opts
	o.Walks, o.WalkSteps, o.MaxWalkSteps, o.Seed = cmp.Or(o.Walks, in.EvidenceWalks), in.WalkSteps, in.MaxWalkSteps, in.Seed
	return decide.New(asked{l, of}, run, o)
}

// asked is a lab together with the one case that it is asked about. It implements the interface
// by which a decide.Finder asks for walks and decisions.
type asked struct {
	*Lab
	of *Case
}

func (a asked) Did(q decide.Walks) (*decide.Did, error) { return a.Lab.Did(a.of, q) }

func (a asked) Without() (step int, bugs []sim.BugID, err error) {
	return a.Lab.Without(a.of)
}

func (a asked) Walk(q decide.Walks) (*decide.Walked, error) { return a.Lab.Walk(a.of, q) }

func (a asked) Settle(from, most int) (last int, decided bool, err error) {
	if a.of.Failure != nil {
		return a.Lab.settleSafety(a.of, from, most)
	}
	return a.Lab.Settle(a.of, from, most)
}
