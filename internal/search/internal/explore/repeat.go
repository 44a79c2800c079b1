package explore

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// A space counts as exhausted only if every step does the same each time. Audits repeat only a
// share of the steps, which is few in a small space: a coin that the search does not control may
// have fallen the same way each time by chance. So in a small space each different step is repeated
// many times: every handler, for each state of its node, event and answers.
//
// Meanwhile hidden dependencies are disturbed. The steps are taken in another order in each round,
// so that what one step leaves behind outside of the state meets other steps. In every second round
// they are taken in another world, and twice in a row; in some rounds after a garbage collection.
// Other goroutines run now and then. A node is copied for each step, so its maps are new.

const (
	repeatTimes  = 40     // most repetitions of a step: iterating over a map of two keys reverses their order about one time in eight
	repeatMost   = 60_000 // most repetitions of all steps together
	repeatLines  = 100    // repeating a step counts as one more for each repeatLines lines of the first state
	repeatLevels = 20_000 // steps are repeated only in spaces of at most this many transitions
	repeatAsks   = 1024   // Repeat asks whether to stop once in this many repetitions
	repeatShakes = 13     // in one of repeatShakes rounds, the garbage collector runs first
)

// repeatable is a step that will be repeated, to check that it does the same each time.
type repeatable struct {
	state uint32
	event int // noEvent means the start of all nodes, which led to this state
	coins []int
	did   canon.Hash // the hash of what it did
}

// Repeats repeats each distinct step of a space in which every state was visited, and which has the
// given number of transitions. It returns the number of these steps, and how often each was
// repeated, which is 0 if the space is too large. It returns a Wrong for the first step that does
// not do the same each time.
func (x *Explorer) Repeats(transitions int) (different, times int, err error) {
	if x.Prints != nil || x.Owner.Once || transitions+x.left() > repeatLevels {
		return 0, 0, nil
	}
	if err := x.makeSides(); err != nil {
		return 0, 0, err
	}
	x.sides[0].w.State.Track()
	x.sides[1].w.State.Track()
	steps, lines, err := x.repeatables()
	if err != nil {
		return 0, 0, err
	}
	times = RepeatTimes(len(steps) * (1 + lines/repeatLines))
	strays := func(round int, d repeatable) bool {
		if x.repeat(&x.sides[round%2], &d) == d.did {
			return false
		}
		x.Spot = Spot{d.state, d.event, d.coins}
		if d.event == noEvent { // of the start
			x.Spot = Spot{NoParent, noEvent, d.coins}
		}
		return true
	}
	switch strayed, halted := Repeat(x.Owner.Seed, steps, times, strays, x.Owner.Stopped); {
	case halted:
		return 0, 0, ErrHalt
	case strayed != nil:
		return 0, 0, x.stray("")
	}
	return len(steps), times, nil
}

// left returns the number of steps that the reduction has left out, without which the space would have had that many
// more transitions. For a reduction that was switched on during the search it returns repeatLevels instead, with
// which a space counts as too large to repeat its steps: only large spaces have it switched on.
func (x *Explorer) left() int {
	switch r := x.Reduction; {
	case r == nil:
		return 0
	case r.tried:
		return repeatLevels
	default:
		return r.Stats.Left
	}
}

// RepeatTimes returns how often each step is repeated. The argument work is the number of steps
// that one repetition of all steps takes.
func RepeatTimes(work int) int { return min(repeatTimes, repeatMost/max(1, work)) }

// Repeat calls strays for each of the steps in each of times rounds, in an order that depends on the
// seed; in every second round it calls strays twice in a row. It returns the first step for which
// strays returned true, or nil. halted reports whether stopped returned true before the end.
func Repeat[S any](seed uint64, steps []S, times int, strays func(round int, step S) bool, stopped func() bool) (strayed *S, halted bool) {
	asked := 0
	order := rand.New(rand.NewPCG(seed, 5))
	for round := range times {
		if round%repeatShakes == repeatShakes-1 {
			runtime.GC()
		}
		order.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		for k := range steps {
			if asked++; asked%repeatAsks == 0 {
				if runtime.Gosched(); stopped() {
					return nil, true
				}
			}
			for range 1 + round%2 { // twice in a row
				if strays(round, steps[k]) {
					return &steps[k], false
				}
			}
		}
	}
	return nil, false
}

// repeatables returns the distinct steps of the space, and the number of lines in the text of its
// first state.
func (x *Explorer) repeatables() (all []repeatable, lines int, err error) {
	known := map[string]bool{}
	s := &x.sides[0]
	for state := range x.Each {
		if lines == 0 {
			x.brings(s, state)
			lines = len(s.w.Text.Lines())
		}
		if o := x.Origin(state); o.Parent == NoParent && x.Begin == nil {
			d := repeatable{state: state, event: noEvent, coins: x.Lists.Get(o.coins)}
			d.did = x.repeat(s, &d)
			all = append(all, d)
		}
		if x.Outside(state) {
			continue
		}
		if state%repeatAsks == repeatAsks-1 && x.Owner.Stopped() {
			return nil, 0, ErrHalt
		}
		x.brings(s, state)
		n := s.w.Events.Count()
		for k := range n {
			step := answerer{event: k, Pulse: &x.Owner.Pulse}
			for lists := 0; lists < duplicateLists; lists++ {
				d := repeatable{state: state, event: k}
				d.did = x.takes(s, state, &step)
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

// different returns a key for step d, which was just taken on side s: two steps with equal keys
// must do the same.
func (x *Explorer) different(s *side, d *repeatable) string {
	part := uint32(0)
	if at := s.w.Run.LastEvent().Node; !at.IsZero() {
		x.Get(d.state, x.To)
		part = x.To[at.Index()]
	}
	return fmt.Sprint(part, s.w.Run.LastIdentity(), d.coins)
}

// brings loads a state on side s.
func (x *Explorer) brings(s *side, state uint32) {
	x.Get(state, x.To)
	s.w.State.Load(x.Bank, x.To)
}

// repeat repeats a step on side s, and returns a hash of its outcome.
func (x *Explorer) repeat(s *side, d *repeatable) canon.Hash {
	if d.event == noEvent {
		return x.outcomeOf(s, choose.NewFixed(d.coins...), func(src choose.Source) { s.w.Start(src) })
	}
	return x.takes(s, d.state, &run.Answers{Steps: []run.Taken{{Event: d.event, Coins: d.coins}}})
}

// takes takes a step from a state on side s, with the answers of src, and returns a hash of its
// outcome.
func (x *Explorer) takes(s *side, state uint32, src choose.Source) canon.Hash {
	return x.outcomeOf(s, src, func(src choose.Source) {
		x.brings(s, state)
		s.w.Events.Count()
		s.w.Step(src)
	})
}

// outcomeOf returns a hash of a step's outcome: the resulting state, all effects, and all questions
// that it asked.
func (x *Explorer) outcomeOf(s *side, src choose.Source, step func(choose.Source)) canon.Hash {
	x.Owner.Pulse.Tick()
	asking := &run.Asking{Source: src}
	failure := s.w.Protect(func() { step(asking) })
	if failure == nil && s.w.Run.Err() != nil { // it asked for other choices
		failure = &trace.Failure{Verdict: trace.VerdictNondeterminism, Message: s.w.Run.Err().Error()}
	}
	return run.OutcomeAsking(s.w, failure, asking)
}
