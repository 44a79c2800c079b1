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
	"macemc/search/internal/work"
)

// team is several hands that expand a level together. Each has its own worlds, memo and
// coverage. They share the parts of states (world.Bank), the ledger, and the lists of
// answers. They take the states of the level in chunks from one counter, so that none waits
// while there are some left.
//
// A level is expanded as a whole, whatever is found in it. If several of its states are
// wrong, the one reported is chosen by contents, not by timing. So the states, the
// transitions, the verdict and its depth are the same for any number of workers. Which of
// the shortest paths leads there is not.
type team struct {
	pool work.Pool[*expander] // the first is the one that explores where a level is small
	halt atomic.Bool          // no more chunks: the search is to stop, or an error

	mu     sync.Mutex
	worst  *wrongness
	err    error
	counts []Stats // of each expander, at its last chunk
	end    func()  // the watch over them
	gone   *hand   // of an expander whose handler ended the goroutine
	cut    bool    // not all was looked at that is possible in a state
	full   bool    // and there is no room for more of them
}

// expander is one of them, with the hand that owns its world.
type expander struct {
	*explore.Explorer
	h      *hand
	number int
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

// workers returns how many expand the levels of the exhaustive phase.
func (r *runner) workers() int {
	n := cmp.Or(r.opts.Workers, runtime.GOMAXPROCS(0))
	switch {
	case r.opts.Depth == 0 && max(r.opts.Effort, r.opts.Least.States, r.opts.Least.Transitions) < teamEffort:
		return 1
	case r.findings.several(), r.space != nil, r.opts.Reduce != "" && r.opts.Reduce != ReduceNone: // these go by the order of one hand
		return 1
	}
	return n
}

// together makes the team of an exploration, at its first level that is worth it, or nil if
// it is not.
func (r *runner) together(x *explore.Explorer, level explore.Frontier) (*team, error) {
	n := r.workers()
	if n == 1 || level.Len() < cmp.Or(r.opts.team, teamLeast) {
		return nil, nil
	}
	if r.team != nil {
		return r.team, nil
	}
	c := &team{counts: make([]Stats, n)}
	all, others := []*expander{{x, r.hand, 0}}, []*hand{}
	for len(all) < n {
		other, err := newHand(r.Sys, r.opts, r, r.hand)
		if err != nil {
			return nil, err
		}
		other.audits(r.share.Every)
		joined, err := x.Join(&other.owner)
		if err != nil {
			return nil, err
		}
		all, others = append(all, &expander{joined, other, len(all)}), append(others, other)
	}
	c.pool = work.Pool[*expander]{Hands: all, Here: func(x *expander) { x.h.here() }, Over: c.settle, Gone: c.lost}
	r.team = c
	c.end = r.monitor.with(others)
	return c, nil
}

// audits begins a part of a phase in which one in that many steps is audited.
func (h *hand) audits(every int) { h.share = run.Share{Every: every, Least: 1} }

// level expands the states of a level, and makes a finding of a failure.
func (c *team) level(r *runner, depth int, level explore.Frontier) (next explore.Frontier, out outcome, err error) {
	c.halt.Store(false)
	c.worst, c.err, c.cut, c.full = nil, nil, false, false
	clear(c.counts)
	r.collect()
	all := c.pool.Hands
	c.each(func(bad *explore.Wrong, x *expander) { c.wrong(x, bad) })
	c.pool.Share(level.Len(), teamChunk, func(x *expander, u work.Unit, _ func() bool) (work.Outcome, error) {
		c.chunk(x, level, u)
		if c.report(r, x, u); x.h.Stopped() {
			c.halt.Store(true)
		}
		return work.Outcome{Ends: c.halt.Load()}, nil
	}, nil)
	r.here()
	if c.gone != nil { // see apart: this goroutine ends as that one did
		r.lends(c.gone)
		runtime.Goexit()
	}
	c.fill(r, level)
	c.each(nil)
	main := all[0]
	for i, x := range all {
		next = append(next, x.Level()...)
		if i > 0 {
			r.add(x.h.counted())
			main.Inside, main.Sampled = main.Inside && x.Inside, main.Sampled || x.Sampled
			main.Spared = main.Spared || x.Spared
		}
	}
	slices.SortFunc(next, func(a, b explore.Span) int { return cmp.Compare(a.From, b.From) })
	r.Explores(main.Taker)
	switch w := c.worst; {
	case c.err != nil:
		return next, out, c.err
	case w != nil:
		if w.Dead {
			main.World.Protect(func() { main.World.State.Load(main.Bank, w.state) })
		}
		out, err = r.conclude(main.Explorer, r.prefix.base()+depth, &w.Wrong, func() choose.Source { return w.answers.Again() })
		return next, out, err
	case c.full:
		return next, stopped(StopMemory), nil
	}
	r.tell()
	return next, stopped(r.interrupted()), nil
}

// lends notes whose world it was in which a handler ended the goroutine.
func (h *hand) lends(other *hand) *hand {
	h.confirming = other
	return other
}

// each sets what happens at failures that an expander meets; nil means nothing.
func (c *team) each(wrong func(*explore.Wrong, *expander)) {
	for _, x := range c.pool.Hands {
		x.Among = nil
		if wrong != nil {
			x.Among = func(bad *explore.Wrong) { wrong(bad, x) }
		}
	}
}

// settle takes what an expander has put off, after its last chunk.
func (c *team) settle(x *expander) {
	c.guarded(x, x.Settle)
	x.h.Pulse.Rest()
}

// lost notes that a handler has ended the goroutine of an expander.
func (c *team) lost(k int, _ work.Unit) (work.Outcome, bool) {
	x := c.pool.Hands[k]
	x.h.Pulse.Rest()
	c.halt.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = x.h
	return work.Outcome{Ends: true}, false
}

// chunk expands some states of a level. One that fails does not keep the others
// from it.
func (c *team) chunk(x *expander, level explore.Frontier, u work.Unit) {
	for k := u.From; k < u.To; {
		c.guarded(x, func() (err error) {
			level.Some(k, u.To-k, func(i int, s uint32) bool {
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
	x := c.pool.Hands[0]
	m := x.Memo()
	if !c.cut || m == nil || c.err != nil || c.halt.Load() {
		return
	}
	r.collect()
	known, all := x.Len(), m.All
	m.All = true
	for k := 0; k < level.Len() && !c.halt.Load(); k += teamChunk {
		c.chunk(x, level, work.Unit{From: k, To: min(k+teamChunk, level.Len())})
	}
	c.guarded(x, x.Settle)
	m.All = all
	r.add(Stats{States: r.counted().States, Duplicates: known - x.Len()})
}

// guarded does something with a hand's world, and notes what fails.
func (c *team) guarded(x *expander, do func() error) {
	bad, err := x.h.owner.Guarded(x.Taker, do)
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

// newWrongness returns the failure of the step that an expander has just taken.
func newWrongness(x *expander, bad *explore.Wrong) *wrongness {
	w := &wrongness{Wrong: *bad, answers: bad.Run(x.Taker)}
	if bad.Dead {
		w.state = slices.Clone(x.World.State.At())
	}
	if f := bad.Failure; f != nil {
		w.key = canon.OfString(f.Verdict.String() + f.Property + f.Identity + f.Message)
	}
	w.key = w.key.Then(x.World.State.Hash())
	return w
}

// wrong notes something that is wrong with the step that a hand has just taken,
// or the state that it led to.
func (c *team) wrong(x *expander, bad *explore.Wrong) {
	w := newWrongness(x, bad)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worst == nil || w.before(c.worst) {
		c.worst = w
	}
}

// before reports whether one failure is reported rather than another: nondeterminism first,
// dead states last.
func (w *wrongness) before(o *wrongness) bool {
	if w.Strayed != o.Strayed {
		return w.Strayed
	}
	if w.Dead != o.Dead {
		return o.Dead
	}
	return cmp.Or(cmp.Compare(w.key.Hi, o.key.Hi), cmp.Compare(w.key.Lo, o.key.Lo)) < 0
}

// report records how far an expander is. The first one reports for all, and checks whether
// that is enough.
func (c *team) report(r *runner, x *expander, u work.Unit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[x.number] = *x.h.counts; x.number > 0 {
		return
	}
	sum := r.stats
	for _, s := range c.counts {
		sum.Add(s)
	}
	sum.Add(Stats{Periphery: r.periphery.counted()})
	r.gauge.at(u.To, func() Stats { return sum })
	if r.opts.enough(sum) {
		c.halt.Store(true)
	}
}

// covered returns what the search and the members have covered.
func (r *runner) covered() *world.Coverage {
	if r.team == nil {
		return r.coverage
	}
	all := r.coverage.Another()
	all.Merge(r.coverage)
	for _, x := range r.team.pool.Hands[1:] {
		all.Merge(x.h.coverage)
	}
	return all
}

// disband adds what the members have covered.
func (r *runner) disband() {
	if c := r.team; c != nil {
		for _, x := range c.pool.Hands[1:] {
			r.coverage.Merge(x.h.coverage)
			r.add(Stats{Dear: x.Dear()})
		}
		r.team = nil
		c.end()
	}
}
