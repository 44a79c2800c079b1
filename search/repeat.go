package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/search/internal/run"
	"macemc/sim"
)

// A space that was exhausted is exhausted only if every step does the same each
// time. Audits take a share of the steps twice, which in a small space is little:
// what depends on a coin that nobody owns may have fallen alike so far. So there
// each different step is taken again and again: every handler, for each state of
// its node, event and answers.
//
// What may hide is shaken meanwhile. The steps are taken in another order each
// time, so that what one leaves behind outside of the state meets others; every
// second time in another world, twice in a row, or after the collector and other
// goroutines have run. A node is copied for each, so its maps are made anew.

// Repeated is how often the steps of a space that was exhausted were taken again.
type Repeated struct {
	Steps int // different ones; 0: the space is too large for it
	Times int // each, beside the first
}

// Escape is the probability that a step escaped which depends on a coin of one half.
func (r Repeated) Escape() float64 {
	escape := 1.0
	for range r.Times {
		escape /= 2
	}
	return escape
}

const (
	repeatTimes  = 20
	repeatMost   = 60_000 // steps that are taken again in all,
	repeatLines  = 100    // and half as many for every so many lines of the first state
	repeatLevels = 20_000 // transitions of a space that is looked at for different steps
	repeatAsks   = 1024   // of so many, the search is asked before one whether it is to stop
	repeatShakes = 7      // of so many rounds, the collector runs before one
)

// repeatable is a step that is taken again.
type repeatable struct {
	state uint32
	event int // noEvent: the starts of the nodes, which led to this state
	coins []int
	did   canon.Hash
}

// repeats takes the different steps of the space that was exhausted again. It fails
// with a wrong about the first that does not do the same.
func (x *explorer) repeats() (did Repeated, err error) {
	if x.prints != nil || x.r.opts.once || x.r.stats.Transitions > repeatLevels {
		return did, nil
	}
	if err := x.makeSides(); err != nil {
		return did, err
	}
	x.sides[0].w.Track()
	x.sides[1].w.Track()
	steps, lines, err := x.repeatables()
	if err != nil {
		return did, err
	}
	did.Steps = len(steps)
	did.Times = min(repeatTimes, repeatMost/(1+lines/repeatLines)/max(1, len(steps)))
	asked := 0
	order := rand.New(rand.NewPCG(x.r.opts.Seed, 5))
	for round := range did.Times {
		if round%repeatShakes == repeatShakes-1 {
			runtime.GC()
		}
		order.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		for k, d := range steps {
			if k%256 == 0 {
				runtime.Gosched()
			}
			if asked++; asked%repeatAsks == 0 && x.r.Stopped() {
				return Repeated{}, errHalt
			}
			for range 1 + round%2 { // twice in a row
				if x.repeat(&x.sides[round%2], &d) != d.did {
					x.current, x.lastEvent, x.lastCoins = d.state, d.event, d.coins
					if d.event == noEvent { // of the start
						x.current = noParent
					}
					return Repeated{}, x.stray()
				}
			}
		}
	}
	return did, nil
}

// repeatables are the different steps of the space, and how many lines its first state
// has.
func (x *explorer) repeatables() (all []repeatable, lines int, err error) {
	known := map[string]bool{}
	s := &x.sides[0]
	for state := range x.each {
		if lines == 0 {
			x.brings(s, state)
			lines = len(s.w.Lines())
		}
		if o := x.origin(state); o.parent == noParent && x.lead == nil {
			d := repeatable{state: state, event: noEvent, coins: x.lists.get(o.coins)}
			d.did = x.repeat(s, &d)
			all = append(all, d)
		}
		if x.outside(state) {
			continue
		}
		if state%repeatAsks == repeatAsks-1 && x.r.Stopped() {
			return nil, 0, errHalt
		}
		x.brings(s, state)
		n := s.w.Enabled()
		for k := range n {
			step := answerer{event: k, pulse: &x.r.Pulse}
			for lists := 0; lists < duplicateLists; lists++ {
				d := repeatable{state: state, event: k}
				d.did = x.takes(s, state, func() { s.w.Step(&step) })
				d.coins = step.coins.Answers()
				if key := x.different(s, &d); !known[key] {
					known[key] = true
					all = append(all, d)
				}
				if !step.coins.Next() {
					break
				}
			}
		}
	}
	return all, lines, nil
}

// different tells a step that was just taken from those that need not do the same.
func (x *explorer) different(s *side, d *repeatable) string {
	part := uint32(0)
	if at := s.w.LastEvent().Node; !at.IsZero() {
		x.get(d.state, x.to)
		part = x.to[s.w.Index(at)]
	}
	return fmt.Sprint(part, s.w.LastIdentity(), d.coins)
}

// brings loads a state into a side.
func (x *explorer) brings(s *side, state uint32) {
	x.get(state, x.to)
	s.w.Load(x.bank, x.to)
}

// repeat takes a step again, and tells what it did.
func (x *explorer) repeat(s *side, d *repeatable) canon.Hash {
	if d.event == noEvent {
		x.r.Allow(x.c, s.w)
		return x.outcomeOf(s, func() { s.w.Start(choose.NewFixed(d.coins...)) })
	}
	return x.takes(s, d.state, func() { s.w.Retake(d.event, d.coins) })
}

// takes takes a step from a state, and tells what it did.
func (x *explorer) takes(s *side, state uint32, step func()) canon.Hash {
	return x.outcomeOf(s, func() {
		x.brings(s, state)
		s.w.Enabled()
		step()
	})
}

// outcomeOf tells what a step did: the state it led to, and all effects.
func (x *explorer) outcomeOf(s *side, step func()) canon.Hash {
	x.r.Pulse.Tick()
	failure := s.w.Protect(step)
	if failure == nil && s.w.Err() != nil { // it asked for other choices
		failure = &sim.Failure{Verdict: sim.VerdictNondeterminism, Message: s.w.Err().Error()}
	}
	h, _ := run.Outcome(s.w, failure)
	return h
}

// repeats takes the steps of a space that was exhausted again, and makes a finding
// of what does not do the same.
func (r *runner) repeats(x *explorer, res *Result) (done bool, err error) {
	if len(r.findings.all) > 0 || r.pending != nil || x.sampled {
		return false, nil
	}
	bad, err := r.guarded(x.taker, func() (err error) {
		res.Repeated, err = x.repeats()
		return err
	})
	switch {
	case err == errHalt:
		res.Stop = r.Why()
		return true, nil
	case err != nil || bad == nil:
		return err != nil, err
	}
	run := x.found()
	return true, r.conclude(x, res, run.Length(), bad, func() choose.Source { return run.Again() })
}
