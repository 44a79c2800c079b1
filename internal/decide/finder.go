package decide

import "fmt"

// Options limit the effort of deciding about one run.
type Options struct {
	Walks        int // the least number of fresh walks before a state is called dead
	WalkSteps    int // steps that a walk may take to become live
	Recovery     int // the number of steps of the slowest recovery that was seen in such runs, or 0 if none was
	MaxWalkSteps int // the limit to which WalkSteps is raised if walks are too short
	Seed         uint64
	Exhaust      int         // the largest number of states that are visited to decide exactly; 0 means 200,000; -1 means none
	Effort       int         // a limit on the number of steps and states together; less than 1 means no limit
	Spent        int         // how much of Effort was spent before
	Tell         func(State) // called from time to time
}

// filled returns the options with the default of Exhaust filled in, which depends on whether the run ends in a
// failure.
func (o Options) filled(failed bool) Options {
	switch {
	case o.Exhaust == 0 && failed:
		o.Exhaust = exhaustSafety
	case o.Exhaust == 0:
		o.Exhaust = Most
	}
	return o
}

// State is the progress of a Finder that looks for the critical step.
type State struct {
	Low   int // the number of steps to the last state that is known to be recoverable; -1 means none
	High  int // the number of steps to the first state that seems to be dead
	Walks int
}

// Result is what a Finder has decided about a run. Fields of which nothing is known are nil.
type Result struct {
	Proved   bool // it is known exactly that the end of the run is dead
	Critical *Critical
	Avoided  *Avoided
	Deviates *Deviates
	Evidence *Evidence
}

// Finder decides about one run: whether its end is dead, and which step was critical.
type Finder struct {
	lab      Lab
	run      *Run
	opts     Options
	extra    int  // the effort that Allow has added
	survive  bool // a walk succeeds if it goes on without a failure, instead of becoming live
	walkLen  int
	recovery int    // the number of steps of the slowest walk that became live from a state of the run, or 0 if none took a step
	round    uint16 // the number of rounds of fresh walks
	verdicts map[int]verdict
	dead     int         // the first state of the run that is known exactly to be dead, as are all after it; one beyond the end if none is
	tooMuch  map[int]int // by limit on visited states: the last state of the run for which the limit was too small; -1 means none
	walks    int
	met      map[string]bool // the kinds of the failures in others
	others   []Met           // other failures that walks met, the first of each kind
}

// verdict is what a Finder knows about one state of the run.
type verdict struct {
	alive   bool
	exact   bool // it is alive, and that was decided by visiting states, without a walk
	witness Success
	by      int // the number of steps of the walks by which it was found dead
}

// New returns a Finder for a run. lab takes the walks.
func New(lab Lab, run *Run, opts Options) *Finder {
	p := &Finder{
		lab: lab, run: run, opts: opts.filled(run.Failed), walkLen: opts.WalkSteps, recovery: opts.Recovery, survive: run.Failed, dead: run.Steps() + 1,
		verdicts: map[int]verdict{}, tooMuch: map[int]int{}, met: map[string]bool{},
	}
	for _, most := range []int{p.opts.Exhaust, exhaustEach} {
		p.tooMuch[most] = -1
	}
	if p.survive {
		p.walkLen = min(p.walkLen, SurviveSteps)
		p.dead = run.Steps() // it did fail
	}
	return p
}

// Known makes p adopt a critical step that was decided before. If a witness, a walk that became live, showed that
// the state before that step is recoverable, p uses it; and p uses the length of the walks by which the state after
// the step was found dead.
func (p *Finder) Known(c *Critical, e *Evidence) {
	if by := c.Witness; by != nil && c.Step > 0 {
		s := Success{Number: by.Walk, Steps: by.Steps}
		p.verdicts[c.Step-1] = verdict{alive: true, witness: s}
		p.recovered(s)
	}
	if p.walkLen = min(p.walkLen, isolateSteps); e != nil {
		p.walkLen = max(p.walkLen, min(e.WalkSteps, p.opts.WalkSteps))
	}
}

// Escapes records that the state of the run after step number at is recoverable, since the walk by became live from
// it.
func (p *Finder) Escapes(at int, by Success) {
	p.verdicts[at] = verdict{alive: true, witness: by}
	p.recovered(by)
}

// Proved reports whether the end of the run is known exactly to be dead.
func (p *Finder) Proved() bool { return !p.survive && p.dead <= p.run.Steps() }

// TooMany reports whether more states than Options.Exhaust were found to follow the end of the run.
func (p *Finder) TooMany() bool { return p.tooMuch[p.opts.Exhaust] == p.run.Steps() }

// Others returns the failures of the service that walks met, other than that of the run: the first of each
// kind.
func (p *Finder) Others() []Met { return p.others }

// WalkSteps returns how many steps walks may take now. It grows if walks turn out to be too short.
func (p *Finder) WalkSteps() int { return p.walkLen }

// Stopped reports whether the Finder should end its work: the lab was stopped, or this part of the effort, a
// number from 0 to 1, is spent.
func (p *Finder) Stopped(part float64) bool {
	most := part*float64(p.opts.Effort) + float64(p.extra)
	return p.lab.Stopped() || most > 0 && float64(p.opts.Spent+p.lab.Effort()) >= most
}

// Allow permits more effort, in addition to what was spent so far. What is known about states is kept.
func (p *Finder) Allow(more int) {
	p.extra = max(1, more) + max(0, p.opts.Spent+p.lab.Effort()-p.opts.Effort)
}

// End decides whether the end of the run is dead: exactly, if few enough states can follow it, and otherwise by
// walks of all manners. It returns ErrAlive if the end is not dead.
func (p *Finder) End() (*Result, error) {
	n := p.run.Steps()
	if p.run.Live[n] || !p.run.Counts {
		return nil, ErrAlive
	}
	if err := p.settle(n, p.opts.Exhaust); err != nil {
		return nil, err
	}
	if p.dead <= n {
		return &Result{Proved: true}, nil
	}
	if _, err := p.Pace(); err != nil {
		return nil, err
	}
	if alive, err := p.alive(n); err != nil || alive {
		return nil, orAlive(err)
	}
	e, err := p.fresh(n)
	if err == nil && e == nil {
		err = ErrAlive
	}
	return &Result{Evidence: e}, err
}

// Pace measures how long recoveries take. It takes a few walks from the start of the run and, if faults may happen,
// some walks with a storm (faults in their first steps, before the environment heals). It returns the number of
// steps of the slowest recovery, which is the longest time without a live state after which a walk became live
// again. It returns 0 if there was none.
func (p *Finder) Pace() (int, error) {
	p.walkLen = min(p.walkLen, isolateSteps)
	if p.recovery > 0 || p.survive {
		return p.recovery, nil
	}
	storms := []int{0, 5, 40}
	if !p.run.Faults {
		storms = storms[:1]
	}
	for i, storm := range storms {
		w, err := p.ask(Walks{Count: firstWalks, Steps: p.walkLen, Salt: saltPace + uint16(i), Spells: true, Storm: storm})
		if err != nil {
			return 0, err
		}
		p.recovery = max(p.recovery, w.Spell)
	}
	return p.recovery, nil
}

// exact finds the critical step of a dead run exactly, by visiting all states that can follow the start
// of the run. It returns nil if there are too many.
func (p *Finder) exact() (*Result, error) {
	if err := p.settle(0, p.opts.Exhaust); err != nil || p.dead > p.run.Steps() {
		return nil, err
	}
	return &Result{Proved: true, Critical: p.critical(p.dead, true)}, nil
}

// Start finds the critical step of a dead run if that can be done exactly. Otherwise it only decides, by
// walks, whether the run was dead from its start. Result.Critical is nil if it was not.
func (p *Finder) Start() (*Result, error) {
	n := p.run.Steps()
	if res, err := p.exact(); res != nil || err != nil {
		return res, err
	}
	p.dead = n
	p.walkLen = min(p.walkLen, isolateSteps)
	if alive, err := p.alive(0); err != nil || alive {
		return &Result{Proved: true}, err
	}
	e, err := p.fresh(0)
	if err != nil || e == nil {
		return &Result{Proved: true}, err
	}
	return &Result{Proved: true, Critical: &Critical{}, Evidence: e}, nil
}

// Find decides about the run: whether its end is dead, if it does not end in a failure, and which step was
// critical. It may be called again after Revived.
func (p *Finder) Find() (*Result, error) {
	n, proved := p.run.Steps(), false
	if !p.survive {
		p.walkLen = min(p.walkLen, 4*isolateSteps)
		if p.run.Live[n] || !p.run.Counts {
			return nil, ErrAlive
		}
		if alive, err := p.walk(n, saltSearch, Round{firstWalks, p.walkLen}, Plain); err != nil || alive { // a few longer walks show that a run is only slow
			return nil, orAlive(err)
		}
		if err := p.settle(n, p.opts.Exhaust); err != nil {
			return nil, err
		}
		if proved = p.dead <= n; proved { // if all states of the run can be decided, the critical step is known; otherwise walks isolate it
			if err := p.settle(0, min(p.opts.Exhaust, exhaustEach)); err != nil {
				return nil, err
			}
		}
	}
	if p.survive && n == 0 {
		return &Result{Critical: p.critical(0, true)}, nil
	}
	res, err := p.sample()
	if err != nil {
		return nil, err
	}
	res.Proved = proved
	if p.survive {
		res.Deviates, err = p.deviates(res.Critical)
	}
	return res, err
}

// Alive returns the walk that shows that the state of the run after step number at can recover, if there is one.
func (p *Finder) Alive(at int) (Success, bool) {
	v := p.verdicts[at]
	return v.witness, v.alive && v.witness.Recordable()
}

// Revived takes account of the walk w, which began after step number from, followed the run for some steps, and
// then became live. So the state at which it left the run can recover. If that state was held to be dead, Revived
// corrects this and returns true.
func (p *Finder) Revived(from int, w Success) bool {
	at := from + w.Shared
	if w.Shared == 0 || at >= p.dead {
		return false
	}
	rest := w // the part of w after it has left the run
	rest.Steps, rest.Shared = w.Steps-w.Shared, 0
	p.verdicts[at] = verdict{alive: true, witness: rest}
	return true
}

// SurviveSteps is the number of steps that a walk must go on without a failure to show that the failure
// could still be avoided. A walk without end would meet every failure that it can.
const SurviveSteps = 200

// How many states of the healed environment are visited to decide exactly.
const (
	Most = 200_000 // the default of Options.Exhaust; it is the same for every caller, so that all make the same decision about a run

	exhaustSafety = 10_000 // the default if the run ends in a failure; smaller, since these decisions are not reused
	exhaustEach   = 10_000 // the same for one state of the run from which the first walks fail
)

// critical returns a step of the run as its critical step.
func (p *Finder) critical(step int, exact bool) *Critical {
	return &Critical{Step: step, Event: p.run.event(step), Exact: exact}
}

// settle tries to decide exactly which states of the run can recover, beginning with the state after step number
// from, and records the result. It gives up when it has met more states than the number most. It records that, too:
// since at least as many states follow an earlier state of the run, it need not try there.
func (p *Finder) settle(from, most int) error {
	switch {
	case p.Stopped(1):
		return ErrStopped
	case most <= 0 || from >= p.dead || from <= p.tooMuch[most]:
		return nil
	}
	last, decided, err := p.lab.Settle(from, most)
	switch {
	case err != nil:
		return err
	case !decided:
		p.tooMuch[most] = from
		return nil
	case last >= p.run.Steps():
		return ErrAlive
	case last >= from:
		v := p.verdicts[last]
		v.alive, v.exact = true, true
		p.verdicts[last] = v
	}
	p.dead = max(last+1, from)
	return nil
}

// isolateSteps is the length of the first walks of isolate. From most recoverable states a walk becomes
// live sooner; for a dead state, all steps of all its walks are taken.
const isolateSteps = 500

// sample finds the critical step by walks, short ones at first, and decides exactly where it can. New facts may
// change the step or make walks longer; then sample starts again.
func (p *Finder) sample() (*Result, error) {
	p.walkLen = min(p.walkLen, isolateSteps)
	if _, err := p.Pace(); err != nil {
		return nil, err
	}
	for {
		low, high, err := p.isolated()
		if err != nil {
			return nil, err
		}
		moved, err := p.narrowed(low, high)
		if err != nil {
			return nil, err
		}
		if moved {
			continue
		}
		if res, err := p.concluded(low, high); res != nil || err != nil {
			return res, err
		}
	}
}

// isolated is isolate, except that it first takes walks from the end of the run, if that is not known to be dead
// and no walks were taken there. It returns ErrAlive if one of them recovers.
func (p *Finder) isolated() (low, high int, err error) {
	n := p.run.Steps()
	if p.dead > n && p.verdicts[n].by == 0 { // once is enough: fresh walks decide about the result later
		alive, err := p.alive(n)
		if err != nil {
			return 0, 0, err
		}
		if alive {
			return 0, 0, ErrAlive
		}
	}
	return p.isolate(n)
}

// narrowed tries to decide exactly what walks suggest: that the state after step high is dead and, for a
// violation, that the state after step low is not. moved reports whether one of these turned out to be wrong.
func (p *Finder) narrowed(low, high int) (moved bool, err error) {
	if p.dead <= p.run.Steps() && p.dead > high {
		if err := p.settle(high, p.opts.Exhaust); err != nil {
			return false, err
		}
		if p.dead > high && p.verdicts[p.dead-1].alive { // the state after step high can recover, against what walks suggested
			return true, nil
		}
	}
	if p.survive && p.dead == high && low >= 0 && !p.verdicts[low].exact { // a walk shows only that the run can go on for a while, and not for ever
		err := p.settle(low, p.opts.Exhaust)
		return err == nil && p.dead != high, err
	}
	return false, nil
}

// concluded returns the result, given that the state after step low seems to be the last one that can recover,
// and the next, after step high, seems dead. It confirms both, exactly or by fresh walks. The result is nil if
// it cannot, or if walks are too short.
func (p *Finder) concluded(low, high int) (*Result, error) {
	switch longer := p.tooShort(low); {
	case p.dead == high && (!p.survive || p.verdicts[low].exact || low < 0):
		return &Result{Critical: p.critical(high, true)}, nil
	case longer > 0:
		p.walkLen = longer // case C2 of the paper on MaceMC: the walks were too short
		return nil, nil
	case p.survive && high == p.run.Steps(): // the run fails in its last step
		return p.weigh()
	}
	e, err := p.fresh(high)
	switch {
	case err != nil:
		return nil, err
	case e == nil && p.survive:
		return nil, nil
	case e == nil: // a walk became live, so the critical step is a later one
		p.walkLen = max(p.walkLen, min(p.test().Shortest(), p.opts.WalkSteps))
		return nil, nil
	case p.survive:
		return p.weigh()
	}
	p.walkLen = max(p.walkLen, e.WalkSteps)
	c := p.critical(high, false)
	if low >= 0 {
		c.Shown(p.verdicts[low].witness, e)
	}
	return &Result{Critical: c, Evidence: e}, nil
}

// Shown records in c the walk that became live from the state before the step. e is the evidence that the state
// after it is dead.
func (c *Critical) Shown(by Success, e *Evidence) {
	c.Witness = &Witness{Walk: by.Number, Steps: by.Steps}
	if by.Steps > e.Longest/2 {
		c.Doubt = fmt.Sprintf("the walk from step %d that became live took %d steps, and others were given up after %d: what seems dead may only be slow; allow longer walks",
			c.Step-1, by.Steps, e.Longest)
	}
}

// tooShort returns a larger number of steps for walks, or 0 if they are long enough or must not be longer. They
// are too short if the walk that became live from the state after step low, the last that seems recoverable,
// took more than half of its steps.
func (p *Finder) tooShort(low int) int {
	if p.survive || low < 0 || p.walkLen >= p.opts.MaxWalkSteps || p.verdicts[low].witness.Steps <= p.walkLen/2 {
		return 0
	}
	longer := min(4*p.walkLen, p.opts.MaxWalkSteps)
	if p.walkLen < p.opts.WalkSteps && 2*longer > p.opts.WalkSteps {
		return p.opts.WalkSteps
	}
	return longer
}
