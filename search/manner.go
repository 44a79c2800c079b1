package search

import (
	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/sim"
)

// inManner makes s, which is about to begin, a walk of some manner: see decide.
func (s *walk) inManner(m decide.Manner, i int) {
	switch m {
	case decide.Plain, decide.Other: // see runner.begin
	case decide.Holding:
		s.held = newHold(i)
	case decide.OneClock:
		s.clock = oneClock{on: true, of: i}
	}
}

// oneClock lets the timers of one node alone fire, for as long as anything else
// can happen. Where all of them do, the round that one node begins is interrupted
// by that of the next, and hardly any comes to its end.
type oneClock struct {
	on   bool
	of   int // the number of the node, or of the walk
	w    *world.World
	runs []choose.Run
}

// alone is a question for an event with the timers of the other nodes made rare;
// or the question as it is, where nothing else can happen.
func (c *oneClock) alone(q *choose.Question) *choose.Question {
	c.runs = c.runs[:0]
	others, at, keep := false, 0, c.of%c.w.Params().Nodes
	for _, r := range q.Runs {
		for range r.N {
			weight := r.Weight
			if e := c.w.Event(at); e.Kind == sim.KindTimer && e.Node.Index() != keep {
				weight = 0
			}
			others = others || weight > 0
			c.runs = append(c.runs, choose.Run{N: 1, Weight: weight})
			at++
		}
	}
	if !others {
		return q
	}
	left := *q
	left.Runs = c.runs
	return &left
}
