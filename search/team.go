package search

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
)

// team is several goroutines that expand a level together. Each has worlds, a
// memo and a coverage of its own; they share the parts of states (world.Bank), the
// ledger, and the lists of answers. The states of the level are taken in chunks
// from one counter, so that none waits while there are some left.
//
// A level is expanded whole, whatever is found in it, and of all that is wrong
// there one is told by contents alone. So the states, the transitions, the
// verdict and its depth are the same for any number of workers. Which of the
// shortest paths leads there is not.
type team struct {
	hands []hand // the first is the one that explores where a level is small
	next  atomic.Int64
	halt  atomic.Bool // no more chunks: the search is to stop, or an error

	mu     sync.Mutex
	worst  *wrongness
	err    error
	counts []Stats // of each hand, at its last chunk
	gone   *runner // of a hand whose handler ended the goroutine
	cut    bool    // not all was looked at that is possible in a state
	full   bool    // and there is no room for more of them
}

// hand is one of them, with the runner that owns its world.
type hand struct {
	*explore.Explorer
	r *runner
}

// wrongness is something that is wrong in a level.
type wrongness struct {
	explore.Wrong
	answers *run.Answers
	state   world.Vector // that is dead
	key     canon.Hash   // by which one is chosen
}

const (
	teamLeast  = 2048    // states of a level that are worth more than one worker
	teamEffort = 1 << 20 // transitions, likewise: what stops after less is the same for any number of workers
	teamChunk  = 256
)

// workers is how many expand the levels of the exhaustive phase.
func (r *runner) workers() int {
	n := cmp.Or(r.opts.Workers, runtime.GOMAXPROCS(0))
	switch {
	case r.opts.Depth == 0 && max(r.opts.Effort, r.opts.Least.States, r.opts.Least.Transitions) < teamEffort:
		return 1
	case r.findings.several(), r.space != nil: // they are told in the order of one
		return 1
	}
	return n
}

// together makes the team of an exploration, at its first level that is worth
// it; nil: it is not.
func (r *runner) together(x *explore.Explorer, level explore.Frontier) (*team, error) {
	n := r.workers()
	if n == 1 || level.Len() < cmp.Or(r.opts.team, teamLeast) {
		return nil, nil
	}
	if r.team != nil {
		return r.team, nil
	}
	c := &team{hands: []hand{{x, r}}}
	for len(c.hands) < n {
		other, err := newRunner(r.Sys, r.opts)
		if err != nil {
			return nil, err
		}
		other.Limits, other.Pulse.On, other.prefix = r.Limits, r.Pulse.On, r.prefix
		other.share = run.Share{Every: r.share.Every, Least: 1}
		joined, err := x.Join(&other.owner)
		if err != nil {
			return nil, err
		}
		c.hands = append(c.hands, hand{joined, other})
	}
	c.counts = make([]Stats, n)
	r.team = c
	var others []*runner
	for _, x := range c.hands[1:] {
		others = append(others, x.r)
	}
	r.pulses.set(others)
	return c, nil
}

// level expands the states of a level, and makes a finding of what is wrong.
func (c *team) level(r *runner, res *Result, depth int, level explore.Frontier) (next explore.Frontier, done bool, err error) {
	c.next.Store(0)
	c.halt.Store(false)
	c.worst, c.err, c.cut, c.full = nil, nil, false, false
	clear(c.counts)
	var all sync.WaitGroup
	for i, x := range c.hands {
		x.Among = func(bad *explore.Wrong) { c.wrong(x, bad) }
		x.r.stats.Engine, x.r.stats.Depth = r.stats.Engine, r.stats.Depth
		all.Go(func() { c.work(r, i, level) })
	}
	all.Wait()
	r.Pulse.Here()
	if c.gone != nil { // see apart: this goroutine ends as that one did
		r.confirming = c.gone
		runtime.Goexit()
	}
	c.fill(r, level)
	main := c.hands[0]
	for i, x := range c.hands {
		x.Among = nil
		next = append(next, x.Level()...)
		if i > 0 {
			r.stats.work(x.r.stats)
			x.r.stats = Stats{}
			main.Inside, main.Sampled = main.Inside && x.Inside, main.Sampled || x.Sampled
		}
	}
	slices.SortFunc(next, func(a, b explore.Span) int { return cmp.Compare(a.From, b.From) })
	r.Exploring = main.Taker
	switch w := c.worst; {
	case c.err != nil:
		return next, true, c.err
	case w != nil:
		if w.Dead {
			main.World.Protect(func() { main.World.State.Load(main.Bank, w.state) })
		}
		return next, true, r.conclude(main.Explorer, res, r.prefix.base()+depth, &w.Wrong, func() choose.Source { return w.answers.Again() })
	case c.full:
		res.Stop = StopMemory
	case r.interrupted(res):
	}
	return next, false, nil
}

// work expands chunks of a level until there are none left.
func (c *team) work(r *runner, i int, level explore.Frontier) {
	x := c.hands[i]
	x.r.Pulse.Here()
	returned := false
	defer func() {
		x.r.Pulse.Rest()
		if !returned { // runtime.Goexit in a handler, or a panic
			c.halt.Store(true)
			c.mu.Lock()
			c.gone = x.r
			c.mu.Unlock()
		}
	}()
	for n := int64(level.Len()); !c.halt.Load(); {
		k := c.next.Add(teamChunk) - teamChunk
		if k >= n {
			break
		}
		c.chunk(x, level, int(k))
		if c.report(r, i); x.r.Stopped() {
			c.halt.Store(true)
		}
	}
	c.guarded(x, x.Settle)
	returned = true
}

// chunk expands some states of a level. One that fails does not keep the others
// from it.
func (c *team) chunk(x hand, level explore.Frontier, k int) {
	for to := min(k+teamChunk, level.Len()); k < to; {
		c.guarded(x, func() (err error) {
			level.Some(k, to-k, func(i int, s uint32) bool {
				k = i + 1
				if !x.Outside(s) {
					err = x.Expand(s)
				}
				return err == nil
			})
			return err
		})
		if c.halt.Load() {
			return
		}
	}
}

// fill finds the states of a level that were missed because a step failed, and
// what else is possible in that state was not looked at: others may have counted
// on it. See commute.go.
func (c *team) fill(r *runner, level explore.Frontier) {
	x := c.hands[0]
	m := x.Memo()
	if !c.cut || m == nil || c.err != nil || c.halt.Load() {
		return
	}
	stats, known := r.stats, x.Len()
	m.All = true
	for k := 0; k < level.Len() && !c.halt.Load(); k += teamChunk {
		c.chunk(x, level, k)
	}
	c.guarded(x, x.Settle)
	m.All = r.opts.all
	stats.States += r.stats.States - stats.States
	stats.Duplicates -= x.Len() - known
	r.stats = stats
}

// guarded does something with a hand's world, and notes what fails.
func (c *team) guarded(x hand, do func() error) {
	bad, err := x.r.owner.Guarded(x.Taker, do)
	failed := bad != nil
	switch {
	case err == explore.ErrHalt:
		c.halt.Store(true)
	case isMismatch(err):
		c.wrong(x, &explore.Wrong{Failure: x.World.Run.Failed(), Strayed: true})
	case failed && bad.Strayed:
		c.wrong(x, bad)
	case err == explore.ErrFull:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.full = true
		c.halt.Store(true)
	case err != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = cmp.Or(c.err, err)
		c.halt.Store(true)
	case failed:
		c.wrong(x, bad)
	}
	if failed {
		c.mu.Lock()
		c.cut = true
		c.mu.Unlock()
	}
	x.Resume()
}

// wrong notes something that is wrong with the step that a hand has just taken,
// or the state that it led to.
func (c *team) wrong(x hand, bad *explore.Wrong) {
	w := &wrongness{Wrong: *bad, answers: bad.Run(x.Taker)}
	if bad.Dead {
		w.state = slices.Clone(x.World.State.At())
	}
	if f := bad.Failure; f != nil {
		w.key = canon.OfString(f.Verdict.String() + f.Property + f.Identity + f.Message)
	}
	w.key = w.key.Then(x.World.State.Hash())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worst == nil || w.before(c.worst) {
		c.worst = w
	}
}

// before reports whether one thing that is wrong is told rather than another:
// what is not repeatable first, what is dead last.
func (w *wrongness) before(o *wrongness) bool {
	if w.Strayed != o.Strayed {
		return w.Strayed
	}
	if w.Dead != o.Dead {
		return o.Dead
	}
	return cmp.Or(cmp.Compare(w.key.Hi, o.key.Hi), cmp.Compare(w.key.Lo, o.key.Lo)) < 0
}

// report notes how far a hand is. The first one tells how far all are, and looks
// whether that is enough.
func (c *team) report(r *runner, i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i > 0 {
		c.counts[i] = c.hands[i].r.stats
		return
	}
	sum := r.stats
	for _, s := range c.counts {
		sum.work(s)
	}
	r.tellOf(sum, min(int(c.next.Load()), r.progress.Of))
	if r.opts.enough(sum) {
		c.halt.Store(true)
	}
}

// work adds what another worker counted.
func (s *Stats) work(o Stats) {
	s.Steps, s.States, s.Transitions, s.Executed = s.Steps+o.Steps, s.States+o.States, s.Transitions+o.Transitions, s.Executed+o.Executed
	s.HandlerRuns, s.Duplicates, s.Audited, s.Compared = s.HandlerRuns+o.HandlerRuns, s.Duplicates+o.Duplicates, s.Audited+o.Audited, s.Compared+o.Compared
}

// disband adds what the hands have covered.
func (r *runner) disband() {
	if c := r.team; c != nil {
		for _, x := range c.hands[1:] {
			r.coverage.Merge(x.r.coverage)
		}
		r.team = nil
		r.pulses.set(nil)
	}
}
