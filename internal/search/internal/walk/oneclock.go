package walk

import (
	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// OneClock is a Picker that lets only the timers of one node fire, as long as anything else can
// happen. If all timers fire, the round that one node begins is interrupted by that of the next
// node, and hardly any round ends.
type OneClock struct {
	Of   int          // the number of the node, modulo the number of nodes; so it may be the number of the walk
	runs []choose.Run // the weights of the last question
}

// Pick picks an event by weight, without the timers of the other nodes.
func (c *OneClock) Pick(w *world.World, q *choose.Question, by *choose.Walk) int {
	return by.Answer(c.alone(w, q))
}

// alone returns question q with the weights of the timers of all other nodes set to 0. It returns
// q unchanged if nothing else can happen.
func (c *OneClock) alone(w *world.World, q *choose.Question) *choose.Question {
	c.runs = c.runs[:0]
	others, at, keep := false, 0, c.Of%w.Params().Nodes
	for _, r := range q.Runs {
		for range r.N {
			weight := r.Weight
			if e := w.Events.At(at); e.Kind == sim.KindTimer && e.Node.Index() != keep {
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
