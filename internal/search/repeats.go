package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

const (
	repeatRunsMost = 2_000 // the most transitions of a space whose steps are repeated by their runs
	repeatRunsAsks = 64    // after this many runs, repeatAll asks whether the search was stopped
)

// repeatRuns repeats each distinct step after the reference engine has visited every state, by
// repeating a run to it from the start. If nodes can be copied, explore.Repeats does the same from
// kept states. repeatRuns returns out, the outcome of the exhaustive phase, unless a step did not
// do the same each time.
func (r *runner) repeatRuns(s *reference, out outcome) (outcome, error) {
	if len(r.findings.all) > 0 || r.periphery.pending != nil || s.Sampled() || s.sampled || s.leftOut > 0 || s.all || r.opts.once || r.stats.Transitions > repeatRunsMost {
		return out, nil
	}
	uncovered, err := r.NewWorld(world.Config{Sprint: true}) // nothing counts as exercised
	if err != nil {
		return out, err
	}
	var f *Finding
	r.In(uncovered, r.Lockstep, func() { f, out.repeated, err = r.repeatAll(s.bound) })
	r.collect()
	if f != nil {
		out.stop, out.finding = StopFound, f
	} else if why := r.Why(); why != "" {
		out.stop = why
	}
	return out, err
}

// repeatAll enumerates the runs to a bound once more, and repeats their distinct steps.
func (r *runner) repeatAll(bound int) (f *Finding, done Repeated, err error) {
	g := &gatherer{reference: newReference(r.hand, bound), kept: map[sim.Addr]canon.Hash{}, met: map[string]bool{}}
	g.sides.Source = g.reference
	for n, more := 1, true; more; n, more = n+1, g.Next() {
		if n%repeatRunsAsks == 0 && r.Stopped() {
			return nil, done, nil
		}
		end, failure, w := r.Run(g, false)
		if f, err := r.look(g.reference, end, failure, w); f != nil || err != nil {
			return f, done, err
		}
		if end == run.EndLeft {
			g.Cut()
		}
	}
	if g.Err() != nil {
		return nil, done, g.Err()
	}
	times := explore.RepeatTimes(g.work)
	strayed, halted := explore.Repeat(r.opts.Seed, g.steps, times, func(_ int, d gathered) bool {
		src := &run.Asking{Source: d.answers()}
		_, failure, w := r.Run(run.Repeat(src, g.Climate, d.depth), false)
		return w.Run.Err() != nil || run.OutcomeAsking(w, failure, src) != d.did
	}, r.Stopped)
	switch {
	case strayed != nil:
		f, err = r.hunt(strayed.answers, g.Climate, strayed.depth, "")
	case !halted:
		done = Repeated{Steps: len(g.steps), Times: times}
	}
	return f, done, err
}

// gatherer enumerates runs once more, and collects their distinct steps: one for each event, state
// of its node, and list of answers.
type gatherer struct {
	*reference
	kept  map[sim.Addr]canon.Hash // by node: the node's state before the step
	coins []int                   // the answers to the coins of the step
	sides run.Asking              // gives the answers, and records how many sides each coin of the step has
	met   map[string]bool         // the keys of the steps collected so far: event, state of its node, answers
	steps []gathered
	work  int // the work of repeating each step once, in steps
}

// gathered is a step that will be repeated.
type gathered struct {
	answers func() choose.Source // returns the answers of a run that ends with the step
	depth   int                  // the number of steps of that run
	did     canon.Hash           // the hash of the step's outcome
}

func (g *gatherer) Answer(q *choose.Question) int {
	k := g.sides.Answer(q)
	if q.Kind == choose.Event {
		g.coins, g.sides.Sides = g.coins[:0], g.sides.Sides[:0]
	} else {
		g.coins = append(g.coins, k)
	}
	return k
}

func (g *gatherer) Visit(w *world.World, depth int) bool {
	var node sim.Addr // of the starts: nobody
	identity := ""
	if depth > g.base {
		node, identity = w.Run.LastEvent().Node, w.Run.LastIdentity()
	}
	if key := fmt.Sprint(g.kept[node], identity, g.coins); (g.New() || depth == g.base) && !g.met[key] {
		g.met[key] = true
		g.steps = append(g.steps, gathered{fixed(g.reference), depth, run.OutcomeAsking(w, nil, &g.sides)})
		g.work += depth + 1
	}
	g.coins, g.sides.Sides = g.coins[:0], g.sides.Sides[:0]
	for _, a := range w.Params().Addrs() {
		g.kept[a] = w.State.Kept(a)
	}
	return g.reference.Visit(w, depth)
}
