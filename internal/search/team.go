package search

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/work"
	"macemc/internal/world"
)

// team is several hands that expand a level together. Each has its own worlds and coverage.
// They share the parts of states (world.Bank), the ledger, the lists of answers, and what a memo has learnt. They take
// chunks of the level from one counter, so that no hand waits while states are left.
//
// A level is expanded as a whole, even after a failure in it. If several of its states fail, the
// one that is reported is chosen by contents, not by timing. So the states, the transitions, the
// verdict and its depth are the same for any number of workers. But several shortest paths may lead
// to the reported state, and the number of workers may change which of them is reported.
type team struct {
	pool work.Pool[*expander] // the first hand also expands levels that are too small for a team
	halt atomic.Bool          // take no more chunks, since the search should stop or there was an error

	mu     sync.Mutex
	worst  *wrongness
	err    error
	counts []Stats // by expander: its counts at its last chunk
	end    func()  // ends the monitoring of the team
	gone   *hand   // the hand whose handler ended its goroutine, if any
	cut    bool    // some events of a state were not taken, since another one failed
	full   bool    // the table of visited states has no room
}

// expander is a member of a team: an explorer, and the hand that owns its world.
type expander struct {
	*explore.Explorer
	h      *hand
	number int
}

// wrongness is a failure found in a level.
type wrongness struct {
	explore.Wrong
	answers *run.Answers
	state   world.Vector // if the failure is that a state is dead: the state
	key     canon.Hash   // of several failures with equal Strayed and Dead, the one with the smallest key is reported
}

const (
	teamLeast  = 2048    // a level with fewer states is expanded by one worker
	teamEffort = 1 << 20 // a search with less effort has one worker
	teamChunk  = 256     // states, at most
	chunkLeast = 16
)

// chunkOf returns the number of states of a level that a hand takes at once. There are at least four chunks for each
// hand, so that no hand is idle for long at the end of a level. Only tests let several hands expand a small level. It
// has large chunks, so that most of its states get the same numbers as with one hand.
func chunkOf(states, hands int) int {
	if states < teamLeast {
		return teamChunk
	}
	return max(chunkLeast, min(teamChunk, states/(4*hands)))
}

// workers returns the number of workers that may expand the levels of the exhaustive phase.
func (r *runner) workers() int {
	n := cmp.Or(r.opts.Workers, runtime.GOMAXPROCS(0))
	switch {
	case r.opts.Depth == 0 && max(r.opts.Effort, r.opts.Least.States, r.opts.Least.Transitions) < teamEffort:
		return 1
	case r.findings.several(), r.space != nil: // both depend on the order in which one hand visits states
		return 1
	}
	return n
}

// several reports whether a level is large enough for several workers.
func (r *runner) several(level explore.Frontier) bool {
	return r.workers() > 1 && level.Len() >= cmp.Or(r.opts.team, teamLeast)
}

// together returns the team for a level. It returns nil if the level is too small for a team, or if
// steps or states are left out by a reduction or by symmetry. It makes the team at the first level
// that is large enough.
func (r *runner) together(x *explore.Explorer, level explore.Frontier) (*team, error) {
	n := r.workers()
	if x.Reduction != nil || x.Sleeping() != nil || x.Fold() != nil || !r.several(level) {
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

// explorers returns the explorers of the team except the first. c may be nil.
func (c *team) explorers() (all []*explore.Explorer) {
	if c != nil {
		for _, x := range c.pool.Hands[1:] {
			all = append(all, x.Explorer)
		}
	}
	return all
}

// audits makes the hand audit one of every n steps from now on, where n is the parameter every.
func (h *hand) audits(every int) { h.share = run.Share{Every: every, Least: 1} }

// level expands the states of a level, and makes a finding of a failure.
func (c *team) level(r *runner, depth int, level explore.Frontier) (next explore.Frontier, out outcome, err error) {
	c.halt.Store(false)
	c.worst, c.err, c.cut, c.full = nil, nil, false, false
	clear(c.counts)
	r.collect()
	all := c.pool.Hands
	c.each(func(bad *explore.Wrong, x *expander) { c.wrong(x, bad) })
	c.pool.Share(level.Len(), chunkOf(level.Len(), len(all)), func(x *expander, u work.Unit, _ func() bool) (work.Outcome, error) {
		c.chunk(x, level, u)
		if c.report(r, x, u); x.h.Stopped() {
			c.halt.Store(true)
		}
		return work.Outcome{Ends: c.halt.Load()}, nil
	}, nil)
	r.here()
	if c.gone != nil { // end this goroutine, too: see apart
		r.lends(c.gone)
		runtime.Goexit()
	}
	c.fill(r, level)
	c.each(nil)
	main := all[0]
	c.err = cmp.Or(c.err, main.EndLevel())
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

// lends records that the hand other takes runs for h, and returns other. The record is for the
// method ended: if a handler ends the goroutine in a run of other, h.ended finds that run.
func (h *hand) lends(other *hand) *hand {
	h.confirming = other
	return other
}

// each sets the function that is called with each failure that an expander finds; nil means none.
func (c *team) each(wrong func(*explore.Wrong, *expander)) {
	for _, x := range c.pool.Hands {
		x.Among = nil
		if wrong != nil {
			x.Among = func(bad *explore.Wrong) { wrong(bad, x) }
		}
	}
}

// settle passes the steps that are still in the batch of an expander to its explorer, after its last chunk.
func (c *team) settle(x *expander) {
	c.guarded(x, x.Settle)
	x.h.Pulse.Rest()
}

// lost stops the level, since a handler ended the goroutine of expander k.
func (c *team) lost(k int, _ work.Unit) (work.Outcome, bool) {
	x := c.pool.Hands[k]
	x.h.Pulse.Rest()
	c.halt.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = x.h
	return work.Outcome{Ends: true}, false
}

// chunk expands a part of a level: the states whose indices are in unit u. If a step of one state fails, the other
// states are still expanded.
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

// fill finds the states of the next level that were missed. If a step of a state failed, the other
// events of that state were not taken; but steps elsewhere may have been skipped because they
// commute with these (see commute.go). So all states are expanded again without skipping.
func (c *team) fill(r *runner, level explore.Frontier) {
	x := c.pool.Hands[0]
	m := x.Memo()
	if !c.cut || m == nil || c.err != nil || c.halt.Load() {
		return
	}
	r.collect()
	known := x.Len()
	m.LookingAllUp(func() {
		for k := 0; k < level.Len() && !c.halt.Load(); k += teamChunk {
			c.chunk(x, level, work.Unit{From: k, To: min(k+teamChunk, level.Len())})
		}
		c.guarded(x, x.Settle)
	})
	r.add(Stats{States: r.counted().States, Duplicates: known - x.Len()})
}

// guarded calls do, which takes steps in the world of expander x, and records a failure or an error.
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

// newWrongness returns the failure bad of the step that expander x has just taken, with the data by which failures
// are ordered.
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

// wrong records a failure of the step that an expander has just taken, or of the state to which it
// led. If there are several failures, it keeps only the one to report.
func (c *team) wrong(x *expander, bad *explore.Wrong) {
	w := newWrongness(x, bad)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worst == nil || w.before(c.worst) {
		c.worst = w
	}
}

// before reports whether w is reported rather than o: nondeterminism first, dead states last.
func (w *wrongness) before(o *wrongness) bool {
	if w.Strayed != o.Strayed {
		return w.Strayed
	}
	if w.Dead != o.Dead {
		return o.Dead
	}
	return cmp.Or(cmp.Compare(w.key.Hi, o.key.Hi), cmp.Compare(w.key.Lo, o.key.Lo)) < 0
}

// report records the counts of an expander after a unit. For the first expander it also reports the
// progress of the team, and stops the level if the search has done enough.
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

// covered returns the coverage of the search together with that of its team.
func (r *runner) covered() *observe.Coverage {
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

// disband ends the team, and adds the coverage of its members to that of the search.
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
