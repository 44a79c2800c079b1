package search

import (
	"macemc/choose"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/world"
	"macemc/trace"
)

// The periphery is the states at which a round of the exhaustive phase ends. The walks from them may
// take peripheryLeast steps in all, and one more step for each peripheryEvery executed transitions, so
// that wide levels do not use up the search. If a walk was suspected to be dead and is not, that takes
// away peripheryAlarm steps, since examining it costs as much as hundreds of walks.
const (
	peripheryEvery     = 1
	peripheryEveryMemo = 4 // peripheryEvery for the engine memo: a step of a walk takes as long as several of its transitions
	peripheryLeast     = 20_000
	peripheryAlarm     = 50_000

	// If a walk meets a failure when n transitions have been executed, the failure is reported when
	// their number is 2n + peripheryPatience: see periphery.met.
	peripheryPatience = 100_000
)

// periphery takes the walks from the states at the ends of rounds. It decides when these walks are
// taken, and how long the exhaustive phase goes on after one of them failed. The runner takes,
// judges and keeps their runs.
type periphery struct {
	r        *runner
	pending  *Finding // a failure that a walk met and that is not reported yet, or nil; the exhaustive phase looks for a shorter run
	patience int      // pending is reported when this many transitions were executed

	states, walked, steps int // see Periphery
}

// counted returns the counts of the walks.
func (p *periphery) counted() Periphery {
	return Periphery{States: p.states, Walked: p.walked, Steps: p.steps}
}

// allowance returns the number of steps that walks from the periphery may still take.
func (p *periphery) allowance() int {
	every := peripheryEvery
	if Engine(p.r.stats.Engine) == EngineMemo {
		every = peripheryEveryMemo
	}
	return peripheryLeast + p.r.now().Executed/every - p.steps - peripheryAlarm*p.r.alarms
}

// outskirts reports whether a round ends at this depth, so that walks begin at its states.
func (p *periphery) outskirts(depth int) bool {
	return depth > 0 && (depth%p.r.opts.Step == 0 || depth == p.r.opts.Depth)
}

// roams reports whether walks from the periphery are taken: there are liveness properties, the options
// allow walks, and no failure of such a walk is pending.
func (p *periphery) roams() bool {
	return !p.r.opts.NoWalks && p.pending == nil && p.r.World.Judge.CanBeLive()
}

// walkEach takes one walk from each of the states at the end of a round, until the walk is live. So
// a service that cannot recover is found long before its space is exhausted. If the allowance is
// too small for all states, it takes a sample of them.
func (p *periphery) walkEach(x *explore.Explorer, depth int, level explore.Frontier) (*Finding, error) {
	n := level.Len()
	stride := coprime(n)
	p.r.gauge.begin(PhasePeriphery, depth, n)
	for i, k := 0, n/2; i < n; i, k = i+1, (k+stride)%n {
		s := level.At(k)
		if x.Outside(s) || !x.Climate.Faults && x.Live(s) {
			continue
		}
		p.states++
		if p.allowance() <= 0 {
			continue
		}
		if i%16 == 0 && p.r.Stopped() {
			return nil, nil
		}
		p.r.at(i)
		path := x.Path(s)
		at := make(world.Vector, len(x.From))
		x.Get(s, at)
		f, err := p.walkOutside(&run.Fork{Told: &path, Steps: p.r.prefix.base() + depth, Bank: x.Bank, At: at}, x.Climate)
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// roundEnd takes the walks from the states of a depth, if a round ends there. Its outcome may end
// the exhaustive phase.
func (p *periphery) roundEnd(x *explore.Explorer, depth int, level explore.Frontier) (out outcome, err error) {
	if !p.roams() || !p.outskirts(depth) {
		return out, nil
	}
	return p.walkRound(x, depth, level)
}

func (p *periphery) walkRound(x *explore.Explorer, depth int, level explore.Frontier) (out outcome, err error) {
	f, err := p.walkEach(x, depth, level)
	switch {
	case err != nil:
		return out, err
	case f != nil:
		return p.met(f)
	case p.r.Stopped():
		return stopped(p.r.Why()), nil
	}
	return out, nil
}

// lastRound takes the walks from the states of the depth at which Options.Effort ends the
// exhaustive phase, if no round ends there.
func (p *periphery) lastRound(x *explore.Explorer, depth int, level explore.Frontier) (out outcome, err error) {
	if depth == 0 || !p.roams() || p.outskirts(depth) { // then roundEnd has taken these walks
		return out, nil
	}
	return p.walkRound(x, depth, level)
}

// met handles a finding of a walk from the periphery. If the search wants several findings, met only
// records it. A dead run is reported at once, since it became dead at or near a state of the
// exhaustive phase; so is nondeterminism. Any other failure may also occur much nearer to the start.
// So the phase first goes on, for a bit more work than it has done so far, to look for a shorter run
// that fails.
func (p *periphery) met(f *Finding) (out outcome, err error) {
	switch {
	case p.r.findings.several():
		if enough, err := p.r.note(f); enough || err != nil {
			return stopped(StopFound), err
		}
		return out, nil
	case f.Verdict == trace.VerdictDead || f.Verdict == trace.VerdictNondeterminism:
		return found(f), nil
	}
	p.pending, p.patience = f, 2*p.r.now().Executed+peripheryPatience
	return out, nil
}

// impatient reports whether the pending finding should be reported now, since the exhaustive phase
// has had enough time to find a shorter run.
func (p *periphery) impatient() bool { return p.pending != nil && p.r.now().Executed >= p.patience }

// coprime returns a number that has no divisor in common with n. Adding it again and again modulo n
// gives each number below n once, with successive numbers far apart.
func coprime(n int) int {
	k := max(1, n*618/1000)
	for a, b := k, n; b != 0; {
		if a, b = b, a%b; b == 0 && a != 1 {
			k++
			a, b = k, n
		}
	}
	return k
}

// walkOutside takes one walk from the saved state k. The environment heals in the walk's first step, if
// it has not healed before. If the walk fails, walkOutside returns the failure. If the walk never
// becomes live, walkOutside decides whether the walk's first state is dead and, if that can recover,
// whether its last state is.
func (p *periphery) walkOutside(k *run.Fork, c run.Climate) (*Finding, error) {
	plan := p.r.walkFrom(k, c)
	plan.Number = 1<<49 + uint64(p.walked)
	s := walk.New(p.r.opts.Seed)
	s.Wanted = p.r.wanted
	take := func() (end run.Ending, failure *trace.Failure, w *world.World) {
		s.Begin(plan)
		before := p.r.counts.Steps
		end, failure, w = p.r.Run(s, false)
		p.steps += p.r.counts.Steps - before
		p.r.add(Stats{WalkSteps: p.r.counts.Steps - before})
		return end, failure, w
	}
	end, failure, w := take()
	p.walked++
	for s.Unlive(end, w) {
		f, err := p.r.early(func() (*Finding, error) { return p.decide(k, c, s, w.Run.Steps()) })
		if f != nil || err != nil {
			return f, err
		}
		plan.Length.Longer()
		end, failure, w = take()
	}
	switch {
	case s.Left:
		return nil, nil
	case end == run.EndFailed:
		return p.r.confirm(s.Answers(), p.r.Climate, failure)
	case end == run.EndStopped:
		return nil, w.Run.Err()
	case s.Live || !w.Judge.Assumed() || end == run.EndQuiet && w.Judge.Live():
		return nil, nil
	case end == run.EndQuiet: // its last state is at rest, so whether it is dead shows there
		return p.r.judge(s.Answers, p.r.Climate, w, w.Run.Steps(), true)
	}
	before := p.r.open()
	f, err := p.decide(k, c, s, w.Run.Steps())
	if f == nil && err == nil && p.r.open() == before {
		p.r.alarm()
	}
	return f, err
}

// decide decides whether a walk that has not become live is dead where it began, or where it ended. It
// returns nil if neither is.
func (p *periphery) decide(k *run.Fork, c run.Climate, s *walk.Walk, steps int) (*Finding, error) {
	climate := p.r.Climate
	f, err := p.r.suspect(k, c)
	if f == nil && err == nil && !p.r.Stopped() {
		_, _, w := p.r.Run(run.Repeat(s.Answers(), climate, steps), false) // to where it ended
		f, err = p.r.judge(s.Answers, climate, w, steps, false)
	}
	return f, err
}

// suspect decides whether the saved state k is dead. It returns a finding if it is, and nil if the
// state can recover or if that could not be decided.
func (r *runner) suspect(k *run.Fork, c run.Climate) (*Finding, error) {
	answers := func() choose.Source { return k.Then(choose.NewRaw(nil)) }
	_, _, w := r.Run(run.Repeat(answers(), c, k.Steps), false)
	return r.judge(answers, c, w, k.Steps, false)
}

// alarm records a false alarm: a suspected walk whose last state can still become live. It doubles the
// number of steps after which later walks are suspected.
func (r *runner) alarm() {
	r.alarms++
	r.add(Stats{Suspects: 1})
	r.reach = min(2*r.reach, r.opts.MaxWalkSteps)
}

// edge takes a walk from the end of an enumerated run that reached the bound; w is in the state there.
// If done is true, the phase is over, with or without a finding.
func (p *periphery) edge(s *reference, w *world.World) (f *Finding, done bool, err error) {
	if !s.edge || !p.roams() || !p.outskirts(s.bound) || !s.Faults && w.Judge.Live() {
		return nil, false, nil
	}
	p.states++
	if p.allowance() <= 0 {
		return nil, false, nil
	}
	record, c := choose.NewRecord(fixed(s)()), s.Climate
	p.r.Run(run.Repeat(record, c, w.Run.Steps()), false)
	path := record.Path()
	k, err := p.r.ForkAt(path, c, len(path.Steps))
	if err != nil {
		return nil, true, err
	}
	f, err = p.walkOutside(k, c)
	if f == nil || err != nil {
		return nil, err != nil, err
	}
	out, err := p.met(f)
	return out.finding, out.over(), err
}
