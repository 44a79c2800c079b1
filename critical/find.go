package critical

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"macemc/search"
	"macemc/sim"
)

// Options bound what is spent on one finding. The zero value is the default.
type Options struct {
	Search search.Options // Walks, WalkSteps, MaxWalkSteps, Uniform, Workers, Memory, Stop, Stuck and OnStuck count; the rest the path's header tells

	Exhaust int  // healed states that are visited to decide exactly; 0: 200,000; -1: none
	NoLive  bool // do not look for the nearest live path
	Any     bool // shrinking may change which event is critical

	// Effort bounds what is spent on a finding, in steps of runs and in states that
	// are visited to decide exactly; after two thirds of it, no more steps are taken
	// out. So what is told does not depend on the machine. 0: 20 million; -1: no bound.
	Effort int
	Enough func() bool // asked while shrinking: true ends it with what it has come to

	spent *int // of Effort, by what was done before about the same finding

	Progress func(Progress) // told now and then
}

// Progress is how far the work is.
type Progress struct {
	Doing Doing
	Low   int // isolating: the last step that is known to be recoverable; -1: none
	High  int // and the first that seems not to be; shrinking: the steps of the run now
	Of    int // steps that the run had
	Walks int
}

// Doing is a kind of work.
type Doing string

// The kinds of work.
const (
	DoingIsolate Doing = "isolate"
	DoingCompare Doing = "compare"
	DoingShrink  Doing = "shrink"
	DoingConfirm Doing = "confirm"
)

// Result is what became of a finding.
type Result struct {
	Finding *search.Finding
	Alive   bool              // the end of the run can recover: it is not dead
	Others  []*search.Finding // what was found besides, in walks
	Stopped bool              // before it was decided
}

// errAlive says that the end of a run can recover.
var errAlive = errors.New("the end of the run can recover")

// Find isolates the critical transition of a finding, and adds to a copy of the
// finding what it has found out. An error says that the path does not apply. Of
// what walks cannot see there is nothing to find out.
func Find(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	found := *f
	out := &Result{Finding: &found}
	if !visible(f.Verdict) {
		return out, nil
	}
	p, err := open(sys, f, opts)
	if err != nil {
		return nil, err
	}
	defer p.close()
	err = p.find(&found)
	out.Others = p.others
	switch {
	case errors.Is(err, errAlive):
		out.Alive = true
		return out, nil
	case errors.Is(err, search.ErrStopped):
		out.Stopped = true
		return out, nil
	}
	return out, err
}

// visible reports whether a walk sees a failure of this kind: not one that only
// shows where every check is on, or not each time.
func visible(v sim.Verdict) bool {
	return v != sim.VerdictMutation && v != sim.VerdictGoroutine && v != sim.VerdictNondeterminism && v != sim.VerdictKilled
}

// finder looks into one run.
type finder struct {
	lab      *search.Lab
	opts     Options
	of       *search.Case
	survive  bool // recoverable means: goes on without a failure
	walkLen  int
	round    uint16 // of fresh walks
	verdicts map[int]verdict
	dead     int         // all states from this one on are known exactly not to recover; beyond the last: none is
	tooMuch  map[int]int // by a bound, the last state after which there is more than that
	walks    int
	others   []*search.Finding
	spent    *int            // of the effort, before the lab was made
	met      map[string]bool // the others, by kind
}

// verdict is what is known of one position.
type verdict struct {
	alive   bool
	exact   bool // alive: not by a walk
	witness search.Success
	by      int // walk steps that a verdict of dead rests on
}

func open(sys *sim.System, f *search.Finding, opts Options) (*finder, error) {
	opts.Search.NoWalks = false
	if opts.spent == nil {
		opts.spent = new(int)
	}
	lab, err := search.NewLab(sys, f.Path, opts.Search)
	if err != nil {
		return nil, err
	}
	opts.Search = lab.Options()
	opts.Exhaust, opts.Effort = cmp.Or(opts.Exhaust, exhaustMost), cmp.Or(opts.Effort, effortMost)
	p := &finder{
		lab: lab, opts: opts, walkLen: opts.Search.WalkSteps, survive: f.Verdict != sim.VerdictDead,
		verdicts: map[int]verdict{}, tooMuch: map[int]int{}, met: map[string]bool{},
	}
	if p.survive && opts.Exhaust == exhaustMost {
		p.opts.Exhaust = exhaustSafety
	}
	p.spent = opts.spent
	for _, most := range []int{p.opts.Exhaust, exhaustEach} {
		p.tooMuch[most] = -1
	}
	if p.survive {
		p.walkLen = min(p.walkLen, surviveSteps)
	}
	if p.of, err = lab.Take(f.Path); err != nil {
		lab.Close()
		return nil, err
	}
	p.dead = p.of.Steps() + 1
	return p, nil
}

// effortMost is the default of Options.Effort.
const effortMost = 20_000_000

// close ends what watches the runs, and adds what they have cost.
func (p *finder) close() {
	*p.spent += p.lab.Effort()
	p.lab.Close()
}

// stopped reports whether nothing more is to be tried: it was told so, or this
// part of the effort is spent.
func (p *finder) stopped(part float64) bool {
	most := part * float64(p.opts.Effort)
	return p.lab.Stopped() || most > 0 && float64(*p.spent+p.lab.Effort()) >= most
}

// surviveSteps is how long a walk must go on without a failure to show that it
// could still be avoided. A walk without end meets every failure that it can.
const surviveSteps = 200

// How many healed states are visited to decide exactly.
const (
	exhaustMost   = search.SettleMost // the default of Options.Exhaust
	exhaustSafety = 10_000            // the same, of safety, of which nothing is remembered
	exhaustEach   = 10_000            // at a position where the first walks fail
)

// find fills in what is to be known of a finding.
func (p *finder) find(f *search.Finding) error {
	n := p.of.Steps()
	f.Critical, f.Avoided, f.Live = nil, nil, nil
	switch {
	case p.survive && p.of.Failure == nil:
		return fmt.Errorf("the run no longer ends in a %s; replay it", f.Verdict)
	case !p.survive && p.of.Failure != nil:
		return fmt.Errorf("the run ends in a %s, and not dead: %s", p.of.Failure.Verdict, p.of.Failure.Message)
	case !p.survive && !p.of.MayBeDead():
		return errAlive
	case p.survive: // it did fail
		p.dead = n
	default:
		if err := p.settle(n, p.opts.Exhaust); err != nil {
			return err
		}
		f.Proved = f.Proved || p.dead == n
	}
	for moved := true; moved; {
		if p.survive && n == 0 {
			p.decided(f, 0, true)
		} else if err := p.sample(f); err != nil {
			return err
		}
		if f.Critical != nil {
			f.Path.Set("critical", f.Critical.Header())
		} else {
			f.Path.Unset("critical")
		}
		if p.opts.NoLive {
			return nil
		}
		var err error
		if moved, err = p.nearest(f); err != nil {
			return err
		}
	}
	return nil
}

// decided notes the critical step.
func (p *finder) decided(f *search.Finding, step int, exact bool) {
	f.Critical = &search.Critical{Step: step, Exact: exact}
	if step > 0 {
		f.Critical.Event = p.of.Path.Steps[step-1].Event.What
	}
	if exact {
		f.Evidence = nil
	}
}

// settle tries to decide exactly which states of the run, from one on, can
// recover, and notes what it can. What did not fit does not fit from an earlier
// state either.
func (p *finder) settle(from, most int) error {
	switch {
	case p.stopped(1):
		return search.ErrStopped
	case most <= 0 || from >= p.dead || from <= p.tooMuch[most]:
		return nil
	}
	settle := p.lab.Settle
	if p.survive {
		settle = p.lab.SettleSafety
	}
	last, decided, err := settle(p.of, from, most)
	switch {
	case err != nil:
		return err
	case !decided:
		p.tooMuch[most] = from
		return nil
	case last >= p.of.Steps():
		return errAlive
	case last >= from:
		v := p.verdicts[last]
		v.alive, v.exact = true, true
		p.verdicts[last] = v
	}
	p.dead = max(last+1, from)
	return nil
}

// sample isolates the critical step: by walks, with as much as can be settled
// exactly.
func (p *finder) sample(f *search.Finding) error {
	n := p.of.Steps()
	for {
		if p.dead > n {
			alive, err := p.alive(n)
			if err != nil {
				return err
			}
			if alive {
				return errAlive
			}
		}
		low, high, err := p.isolate(n)
		if err != nil {
			return err
		}
		if p.dead <= n && p.dead > high {
			if err := p.settle(high, p.opts.Exhaust); err != nil {
				return err
			}
			if p.dead > high && p.verdicts[p.dead-1].alive { // it had only seemed dead there
				continue
			}
		}
		if p.survive && p.dead == high && low >= 0 && !p.verdicts[low].exact { // a walk goes on for a while, not for ever
			if err := p.settle(low, p.opts.Exhaust); err != nil {
				return err
			}
			if p.dead != high {
				continue
			}
		}
		v := p.verdicts[low]
		switch longer := p.tooShort(low); {
		case p.dead == high && (!p.survive || v.exact || low < 0):
			p.decided(f, high, true)
			return nil
		case longer > 0:
			p.walkLen = longer // the paper's case C2
			continue
		case p.survive && high == n: // it failed there
			return p.weigh(f)
		}
		fresh, err := p.fresh(high)
		if err != nil {
			return err
		}
		if len(fresh.Success) > 0 {
			continue // it moves the position on
		}
		if p.survive {
			return p.weigh(f)
		}
		p.decided(f, high, false)
		f.Evidence = p.evidence(fresh.Taken, high)
		if low >= 0 {
			f.Critical.Witness = v.told()
			if w := v.witness; w.Steps > p.walkLen/2 {
				f.Critical.Doubt = fmt.Sprintf("the walk from step %d that became live took %d steps, and others were given up after %d: what seems dead may only be slow; allow longer ones with --max-walk-steps",
					low, w.Steps, p.walkLen)
			}
		}
		return nil
	}
}

// evidence is what so many fresh walks show of which none recovered.
func (p *finder) evidence(walks, from int) *search.Evidence {
	return &search.Evidence{
		Walks: walks, WalkSteps: p.walkLen, Escape95: 1 - math.Pow(0.05, 1/float64(walks)), From: from, Seed: p.opts.Search.Seed,
	}
}

// told is the walk that a verdict of alive rests on.
func (v verdict) told() *search.Witness {
	return &search.Witness{Walk: v.witness.Number, Steps: v.witness.Steps}
}

// tooShort is how long walks are to be instead: 0: they are long enough, or may
// not be longer. They are too short if none becomes live at all, and if the one
// that did took more than half of its steps.
func (p *finder) tooShort(low int) int {
	if p.survive || p.walkLen >= p.opts.Search.MaxWalkSteps {
		return 0
	}
	if low < 0 {
		return p.opts.Search.MaxWalkSteps
	}
	if p.verdicts[low].witness.Steps > p.walkLen/2 {
		return min(4*p.walkLen, p.opts.Search.MaxWalkSteps)
	}
	return 0
}
