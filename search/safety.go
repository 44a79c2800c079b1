package search

import (
	"slices"

	"macemc/choose"
	"macemc/search/internal/run"
)

// settleSafety decides exactly after which states of a run, from one on, it can
// still go on without a violation of a property for ever, or until it rests,
// once the environment has healed. It returns the last; from-1: none. See
// settle. Not decided are properties of steps, and what else fails.
func (r *runner) settleSafety(path *choose.Path, c run.Climate, from, most int) (last int, decided bool, err error) {
	if r.Always {
		return 0, false, nil
	}
	return r.settled(path, c, from, most, true)
}

// enduring gathers states that nothing is wrong with.
type enduring struct{ *closure }

func (g enduring) lookUp(*memo) error {
	panic("macemc bug: search: a remembered step is not looked at for what it violates")
}

func (g enduring) arrived(uint32, int) error {
	if g.moves = true; g.w.Check() != nil {
		return nil
	}
	h, err := g.here()
	if err == nil && g.entry.add(h, origin{}) {
		g.note(g.w.NodesHash(), g.w.InFlight(), nil)
	}
	return err
}

// dooming asks whether a step leads to a state that nothing is wrong with, and
// that is not doomed.
type dooming struct{ enduring }

func (g dooming) arrived(uint32, int) error {
	if g.moves = true; g.w.Check() != nil {
		return nil
	}
	h, err := g.here()
	if err == nil {
		s, known := g.find(h)
		g.lives = g.lives || known && !g.doomed.has(s)
	}
	return err
}

// fated reports whether the healed form of a state is doomed.
func (g *closure) fated(x *explorer, s uint32) bool {
	healed, known := g.find(g.heal(x, s))
	return known && g.doomed.has(healed)
}

// doom finds the states from which every run comes to a violation: all of
// their steps, and they have some, lead to a violation or to a state that is
// doomed.
func (g *closure) doom() error {
	g.visitor = dooming{enduring{g}}
	g.doomed = make(stateSet, g.end()/64)
	var left []uint32
	for s := range g.each {
		if !g.outside(s) {
			left = append(left, s)
		}
	}
	slices.Reverse(left)
	for changed := true; changed; {
		changed = false
		rest := left[:0]
		for i, s := range left {
			if i%1024 == 0 && g.r.Stopped() {
				return errHalt
			}
			g.lives, g.moves = false, false
			if err := g.expand(s); err != nil {
				return err
			}
			if g.lives || !g.moves {
				rest = append(rest, s)
				continue
			}
			changed = true
			g.doomed.add(s)
		}
		left = rest
	}
	return nil
}
