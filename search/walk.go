package search

import (
	"cmp"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/search/internal/run"
)

// walk takes one long random run, in place: it ends at the first live state
// after the first least steps, or, suspected, where it has not been live for the
// last most. A live state on the way, which shows that the walk was alive until
// then, or one that does not count, is looked for once in most steps only.
type walk struct {
	*choose.Walk
	run.Climate
	start *run.Fork // where it begins; nil: at the start
	from  int       // the steps before it is judged: those of the start, and of a storm
	least int       // steps that it takes even if it is live
	most  int       // steps without a live state after which it is suspected
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
	clock   oneClock    // where timers do
	judged  bool        // the steps before it is judged are taken
}

func (s *walk) Fork() *run.Fork { return s.start }

func (s *walk) Visit(w *world.World, depth int) bool {
	s.judged, s.clock.w = depth >= s.from, w
	if s.Heal >= 0 {
		if depth < s.Heal {
			s.Rare = depth >= s.calm && depth%s.gust == 0
			s.Uniform = s.Rare || s.uniform
			return s.goesOn(depth)
		}
		if depth == s.Heal {
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
		return s.start.Then(choose.NewRaw(s.Picks()))
	}
	return choose.NewRaw(s.Picks())
}

// begin makes s walk number i, after so many steps.
func (s *walk) begin(seed, i uint64, from int) {
	s.Restart(seed, i)
	s.Rare, s.Stuck, s.Uniform = false, false, s.uniform
	s.from, s.more, s.before, s.live, s.left = from, 0, 0, false, false
	s.held, s.clock, s.judged = hold{}, oneClock{}, false
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
func (s *walk) storm(seed, i uint64, from *run.Fork) {
	const shortest, spread, golden = 4, 117, 0x9e3779b97f4a7c15
	s.start = from
	s.begin(seed, i, 0)
	s.Faults, s.calm, s.Heal, s.gust = true, 0, shortest+int(i*i%spread), 1
	if from != nil {
		s.calm = from.Steps
	}
	if s.least > walkLeast && i&4 != 0 {
		s.calm += int(i * golden >> 32 % uint64(s.least/2))
		s.Stuck = true
	}
	s.Heal += s.calm
	if i%4 == 3 {
		s.gust = 5
	}
	s.from = s.Heal + 1
}

// walks takes random walks from the start until what they find is enough.
func (r *runner) walks(n int) (Stop, error) {
	s := &walk{
		Walk: choose.NewWalk(r.opts.Seed), Climate: run.Fair, least: cmp.Or(r.opts.WalkLeast, min(walkLeast, r.reach/2)), most: r.reach, uniform: r.opts.Uniform,
		wanted: func() bool { return !r.Stopped() },
	}
	s.glance = min(walkLeast, r.reach/2)
	if !r.World.CanBeLive() {
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
			if r.Stopped() {
				return r.Why(), nil
			}
			enough, err := false, error(nil)
			if looked, enough, err = r.walk(s, i, l.careful(i)); err != nil {
				return "", err
			}
			switch {
			case s.left:
				return r.Why(), nil
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
	end, failure, w := r.Run(s, careful)
	r.stats.WalkSteps += r.stats.Steps - before
	r.share.took(r.taken(w, careful), careful)
	if s.left {
		return false, false, nil
	}
	r.stats.Paths++
	r.stats.Walks++
	var f *Finding
	switch {
	case end == run.EndStopped:
		return false, false, w.Err()
	case cameToNothing(s, end, w):
		return false, false, nil
	case end == run.EndFailed:
		if r.several() && !r.worth(failure) {
			return true, false, nil
		}
		f, err = r.confirm(s.answers(), r.Climate, failure)
	default:
		if f, err = r.judge(s.answers(), r.Climate, w, w.Steps(), end == run.EndQuiet); f == nil && err == nil {
			r.alarm()
			if r.World.CanBeLive() {
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
	if i%2 == 1 && r.Stormy() {
		s.storm(r.opts.Seed, uint64(i), r.beginning(run.Climate{Faults: true}))
		return
	}
	s.Climate, s.start = run.Fair, r.beginning(run.Fair)
	s.begin(r.opts.Seed, uint64(i), r.base())
}

// cameToNothing reports whether nobody needs to look at how a walk ended.
func cameToNothing(s *walk, end run.Ending, w *world.World) bool {
	switch end {
	case run.EndFailed, run.EndStopped:
		return false
	case run.EndQuiet:
		if w.Live() {
			return true
		}
	}
	return s.live || !w.CanBeLive() || !w.Assumed()
}

// walkFrom is a walk from a fork in a run of some climate. The environment
// heals first, if it has not yet.
func (r *runner) walkFrom(k *run.Fork, c run.Climate) *walk {
	s := &walk{Walk: choose.NewWalk(r.opts.Seed), Climate: c, start: k, from: k.Steps, most: r.reach, uniform: r.opts.Uniform, gust: 1}
	if c.Faults && (c.Heal < 0 || c.Heal >= k.Steps) {
		s.Heal, s.from = k.Steps, k.Steps+1
	}
	return s
}
