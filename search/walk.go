package search

import (
	"cmp"
	"math"
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// walk takes one long random run, in place: it ends at the first live state
// after the first least steps, or, suspected, where it has not been live for the
// last most. A live state on the way, which shows that the walk was alive until
// then, or one that does not count, is looked for once in most steps only.
type walk struct {
	*choose.Walk
	climate
	start *fork // where it begins; nil: at the start
	from  int   // the steps before it is judged: those of the start, and of a storm
	least int   // steps that it takes even if it is live
	most  int   // steps without a live state after which it is suspected
	live  bool

	exempt bool // a state that does not count for liveness ends it as a live one does: nothing is dead that comes to one

	glance  int         // steps after which a live state on the way is looked for; 0: it is not
	more    int         // and after which the next one is; 0: there was none yet
	before  int         // answers in the storm
	wanted  func() bool // asked now and then, whether to go on; nil: yes
	left    bool        // it was not wanted any more
	calm    int         // steps before the storm
	gust    int         // every so many steps of a storm, faults are as likely as anything else
	uniform bool        // what Uniform is in fair weather
	held    hold        // where an event waits
	judged  bool        // the steps before it is judged are taken
}

func (s *walk) fork() *fork { return s.start }

func (s *walk) visit(w *world.World, depth int) bool {
	s.judged = depth >= s.from
	if s.heal >= 0 {
		if depth < s.heal {
			s.Rare = depth >= s.calm && depth%s.gust == 0
			s.Uniform = s.Rare || s.uniform
			return s.goesOn(depth)
		}
		if depth == s.heal {
			s.before = len(s.Picks())
		}
		s.Rare, s.Stuck, s.Uniform = false, false, s.uniform
	}
	depth -= s.from
	if !s.goesOn(depth) {
		return false
	}
	switch {
	case depth >= s.least:
		if w.CanBeLive() && (w.Live() || s.exempt && !w.Assumed()) {
			s.live = true
			return false
		}
	case s.glance > 0 && depth >= max(s.glance, s.more) && w.CanBeLive():
		if w.Live() || !w.Assumed() {
			s.more = min(s.least, depth+s.most)
		}
	}
	return depth < s.more+s.most
}

// goesOn asks now and then whether the walk is still wanted.
func (s *walk) goesOn(depth int) bool {
	s.left = depth&1023 == 1023 && s.wanted != nil && !s.wanted()
	return !s.left
}

// answers are those of the whole run, from its start.
func (s *walk) answers() choose.Source {
	if s.start != nil {
		return s.start.then(choose.NewRaw(s.Picks()))
	}
	return choose.NewRaw(s.Picks())
}

// begin makes s walk number i, after so many steps.
func (s *walk) begin(seed, i uint64, from int) {
	s.Restart(seed, i)
	s.Rare, s.Stuck, s.Uniform = false, false, s.uniform
	s.from, s.more, s.before, s.live, s.left = from, 0, 0, false, false
	s.held, s.judged = hold{}, false
}

// choices is how many answers among several the walk has given since the storm.
func (s *walk) choices() (n int) {
	for _, p := range s.Picks()[s.before:] {
		if p.Of > 1 {
			n++
		}
	}
	return n
}

// storm makes s a walk in which, at every step or at every few, faults are as
// likely as anything else, until the environment heals. When it does depends on
// i alone. Storms in which all steps are gusts spend the budgets at once; those
// with lulls let the protocol get somewhere before a fault hits it. In walks that
// are to go on while they are live, half of the storms come late, at any step of
// the first half.
func (s *walk) storm(seed, i uint64, from *fork) {
	const shortest, spread, golden = 4, 117, 0x9e3779b97f4a7c15
	s.start = from
	s.begin(seed, i, 0)
	s.faults, s.calm, s.heal, s.gust = true, 0, shortest+int(i*i%spread), 1
	if from != nil {
		s.calm = from.steps
	}
	if s.least > walkLeast && i&4 != 0 {
		s.calm += int(i * golden >> 32 % uint64(s.least/2))
		s.Stuck = true
	}
	s.heal += s.calm
	if i%4 == 3 {
		s.gust = 5
	}
	s.from = s.heal + 1
}

// walks takes random walks from the start until what they find is enough.
func (r *runner) walks(n int) (Stop, error) {
	s := &walk{
		Walk: choose.NewWalk(r.opts.Seed), climate: fair, least: cmp.Or(r.opts.WalkLeast, min(walkLeast, r.reach/2)), most: r.reach, uniform: r.opts.Uniform,
		wanted: func() bool { return !r.stopped() },
	}
	s.glance = min(walkLeast, r.reach/2)
	if !r.world.CanBeLive() {
		s.most = max(min(s.most, 5*walkLeast), r.opts.WalkLeast)
	}
	r.share = share{}
	r.phase(PhaseWalks, 0, n)
	others := &scouts{} // those that are there
	defer func() { others.disband(r) }()
	for i, far := 0, scoutWorth; i < n || r.further(i, &n); {
		l, large := r.lot(i, n)
		if large && !others.called {
			if err := others.call(r); err != nil {
				return "", err
			}
			far = scoutWorth
		}
		ahead := others.crew != nil && far >= scoutWorth
		if ahead {
			nothing, err := others.ahead(r, s, l)
			if err != nil {
				return "", err
			}
			i += nothing
			r.at(i)
		}
		for looked := false; i < l.to && !looked; i++ {
			if r.stopped() {
				return r.why(), nil
			}
			enough, err := false, error(nil)
			if looked, enough, err = r.walk(s, i, l.careful(i)); err != nil {
				return "", err
			}
			switch {
			case s.left:
				return r.why(), nil
			case enough:
				return StopFound, nil
			}
			r.at(i + 1)
			looked = looked || ahead // they go on from here
		}
		far = i - l.from
	}
	return StopPaths, nil
}

// walk takes the i-th walk. It reports whether somebody had to look at how it
// ended, and whether what is found is enough.
func (r *runner) walk(s *walk, i int, careful bool) (looked, enough bool, err error) {
	r.setOut(s, i)
	before := r.stats.Steps
	end, failure, w := r.run(s, careful)
	r.stats.WalkSteps += r.stats.Steps - before
	r.share.took(r.taken(w, careful), careful)
	if s.left {
		return false, false, nil
	}
	r.stats.Paths++
	r.stats.Walks++
	var f *Finding
	switch {
	case end == endStopped:
		return false, false, w.Err()
	case cameToNothing(s, end, w):
		return false, false, nil
	case end == endFailed:
		if r.several() && !r.worth(failure) {
			return true, false, nil
		}
		f, err = r.confirm(s.answers(), r.climate, failure)
	default:
		if f, err = r.judge(s.answers(), r.climate, w, w.Steps(), end == endQuiet); f == nil && err == nil {
			r.alarm()
			if r.world.CanBeLive() {
				s.most = r.reach
			}
			return true, false, nil
		}
	}
	if err != nil {
		return true, false, err
	}
	enough, err = r.note(f)
	return true, enough, err
}

// further adds walks to the n that were taken, if these are not enough.
func (r *runner) further(taken int, n *int) bool {
	steps, least := r.stats.WalkSteps, r.opts.Least.WalkSteps
	if steps == 0 || steps >= least { // 0: nothing ever happens
		return false
	}
	*n += scoutMore
	if r.progress.Of < *n { // it stays, so that how long it takes can be told
		r.progress.Of = max(*n, int(float64(taken)/float64(steps)*float64(least)))
	}
	return true
}

// setOut makes s the i-th walk of the default search.
func (r *runner) setOut(s *walk, i int) {
	if i%2 == 1 && r.opts.stormy(r.sys) {
		s.storm(r.opts.Seed, uint64(i), r.beginning(climate{faults: true}))
		return
	}
	s.climate, s.start = fair, r.beginning(fair)
	s.begin(r.opts.Seed, uint64(i), r.base())
}

// cameToNothing reports whether nobody needs to look at how a walk ended.
func cameToNothing(s *walk, end ending, w *world.World) bool {
	switch end {
	case endFailed, endStopped:
		return false
	case endQuiet:
		if w.Live() {
			return true
		}
	}
	return s.live || !w.CanBeLive() || !w.Assumed()
}

// judge decides about a run that did not become live: dead if its end is
// quiet, or if no fresh walk from its end becomes live. Nil: a false alarm.
func (r *runner) judge(answers choose.Source, c climate, w *world.World, steps int, quiet bool) (*Finding, error) {
	defer r.during(PhaseSuspect)()
	names, explanations := w.NotLive()
	dead := deadAt(steps, names, explanations)
	f, err := r.confirm(answers, c, dead)
	if err != nil || f.Verdict != sim.VerdictDead {
		return f, err
	}
	if quiet {
		f.Proved = true
		return f, nil // where it became so is asked once, of the run that is reported
	}
	decided, err := r.isolate(f)
	switch {
	case err != nil:
		return nil, err
	case decided && f.Critical == nil:
		return nil, nil
	case decided:
		return r.cut(f)
	}
	live, other, err := r.recovers(f, len(f.Path.Steps))
	if live || other != nil || err != nil {
		return other, err
	}
	f.Evidence = r.evidence(len(f.Path.Steps))
	if r.opts.Review != nil {
		if stands, err := r.opts.Review(f); !stands || err != nil {
			return nil, err
		}
	}
	return r.fromStart(f)
}

// cut takes off what follows the critical step of a run that never comes to
// rest: it is as long as walks are, and tells nothing.
func (r *runner) cut(f *Finding) (*Finding, error) {
	critical, c := f.Critical, f.climate
	n := critical.Step
	if n == 0 {
		return f, nil
	}
	path := f.Path.Prefix(n)
	if c.heal >= n { // it is judged after healing, as any
		c.heal = -1
	}
	_, failure, w := r.run(repeat(choose.NewRaw(picks(path)), c, n), false)
	if failure != nil || w.Steps() != n || w.Live() {
		return f, nil
	}
	if !r.sys.Assume.IsZero() { // what cannot recover may yet come to what does not count: then it is not dead
		if last, decided, err := r.settle(path, c, n, SettleMost); !decided || last == n || err != nil {
			return f, err
		}
	}
	names, explanations := w.NotLive()
	short, err := r.confirm(choose.NewRaw(picks(path)), c, deadAt(n, names, explanations))
	if err != nil || short.Verdict != sim.VerdictDead {
		return f, err
	}
	short.Proved, short.Critical = true, critical
	short.Path.Set("critical", critical.Header())
	return short, nil
}

// locate finds out where the run of a dead finding became so, if that is not
// known yet.
func (r *runner) locate(f *Finding) (*Finding, error) {
	if f == nil || f.Verdict != sim.VerdictDead || f.Critical != nil || !f.Proved {
		return f, nil
	}
	if decided, err := r.isolate(f); decided && f.Critical != nil || err != nil {
		return f, err
	}
	return r.fromStart(f)
}

// fromStart asks by walks whether a dead run was so from its start.
func (r *runner) fromStart(f *Finding) (*Finding, error) {
	live, other, err := r.recovers(f, 0)
	if err == nil && other != nil && (f.Proved || r.lead != nil) {
		return f, nil // what is proved is nearer than what a walk meets; and one without the prefix is of no such search
	}
	if other != nil || err != nil {
		return other, err
	}
	if !live {
		f.Critical = &Critical{Step: 0}
		f.Path.Set("critical", "0")
		if f.Evidence == nil {
			f.Evidence = r.evidence(0)
		}
	}
	return f, nil
}

func (r *runner) evidence(from int) *Evidence {
	k := float64(r.opts.Walks)
	return &Evidence{Walks: r.opts.Walks, WalkSteps: r.reach, Escape95: 1 - math.Pow(0.05, 1/k), From: from, Seed: r.opts.Seed}
}

// recovers reports whether one of k fresh walks from the end of a prefix, each
// of the full length, becomes live, or, from the end of the run, comes to what
// does not count. A run that fails on the way is a finding of its own.
func (r *runner) recovers(of *Finding, steps int) (bool, *Finding, error) {
	k, err := r.forkAt(of.Path, of.climate, steps)
	if err != nil {
		return false, nil, err
	}
	s := r.walkFrom(k, of.climate)
	s.exempt = steps == len(of.Path.Steps)
	for i := range r.opts.Walks {
		if r.stopped() {
			return true, nil, nil // as far as anybody knows
		}
		s.begin(r.opts.Seed, 1<<32+uint64(steps)<<16+uint64(i), s.from)
		end, failure, w := r.run(s, false)
		switch {
		case end == endFailed && r.ignores(failure):
		case end == endFailed:
			f, err := r.confirm(choose.NewRaw(slices.Concat(k.prefix, s.Picks())), r.climate, failure)
			return false, f, err
		case end == endStopped:
			return false, nil, w.Err()
		case s.live || end == endQuiet && w.Live():
			return true, nil, nil
		}
	}
	return false, nil, nil
}

// walkFrom is a walk from a fork in a run of some climate. The environment
// heals first, if it has not yet.
func (r *runner) walkFrom(k *fork, c climate) *walk {
	s := &walk{Walk: choose.NewWalk(r.opts.Seed), climate: c, start: k, from: k.steps, most: r.reach, uniform: r.opts.Uniform, gust: 1}
	if c.faults && (c.heal < 0 || c.heal >= k.steps) {
		s.heal, s.from = k.steps, k.steps+1
	}
	return s
}

// picks are a path's answers by number.
func picks(p *choose.Path) []choose.Pick {
	var out []choose.Pick
	add := func(c choose.Choice) { out = append(out, choose.Pick{Of: uint32(c.Of), Pick: uint32(c.Pick)}) }
	for _, c := range p.Start {
		add(c)
	}
	for _, s := range p.Steps {
		add(s.Event)
		for _, c := range s.Coins {
			add(c)
		}
	}
	return out
}
