package closure

import (
	"slices"

	"macemc/search/internal/explore"
)

// enduring gathers states that nothing is wrong with.
type enduring struct{ *Closure }

func (g enduring) LookUp(*explore.Memo) error {
	panic("macemc bug: search: a remembered step is not looked at for what it violates")
}

func (g enduring) Arrived(from uint32, _ int) error {
	if g.moves = true; g.violates(from) {
		return nil
	}
	h, err := g.here()
	if err == nil && g.Entry.Add(h, explore.Origin{}) {
		g.note(g.World.State.NodesHash(), g.World.Links.InFlight(), nil)
	}
	return err
}

// Endure finds the healed states that nothing is wrong with, and which of them cannot
// go on without a violation.
func (g *Closure) Endure(x *explore.Explorer) (err error) {
	g.Visitor = enduring{g}
	if g.steps, err = explore.NewSteps(g.Taker); err != nil {
		return err
	}
	if g.steps != nil && x.Climate.Faults && g.healingViolates(x) {
		return explore.ErrHalt
	}
	if err := g.healAll(x); err != nil {
		return err
	}
	if err := g.gather(0, func(uint32) bool { return true }); err != nil {
		return err
	}
	return g.doom()
}

// violates reports whether the step from a state to the one that the world is in violates a
// property, or the state that it leads to does.
func (g *Closure) violates(from uint32) bool {
	return g.World.Judge.Check() != nil || g.steps.Check(from) != nil
}

// healingViolates reports whether the step in which the environment heals may violate a
// property of steps. Whether a run takes that step depends on more than its states.
func (g *Closure) healingViolates(x *explore.Explorer) bool {
	heal, err := explore.NewSteps(x.Taker)
	if err != nil {
		return true
	}
	for s := range x.Each {
		g.heal(x, s)
		g.World.State.Load(g.Bank, g.To)
		if heal.Check(s) != nil {
			return true
		}
	}
	return false
}

// dooming asks whether a step leads to a state that nothing is wrong with, and
// that is not doomed.
type dooming struct{ enduring }

func (g dooming) Arrived(from uint32, _ int) error {
	if g.moves = true; g.violates(from) {
		return nil
	}
	h, err := g.here()
	if err == nil {
		s, known := g.Find(h)
		g.lives = g.lives || known && !g.doomed.has(s)
	}
	return err
}

// Fated reports whether the healed form of a state is doomed, so that every run from it ends in a
// violation.
func (g *Closure) Fated(x *explore.Explorer, s uint32) bool {
	healed, known := g.Find(g.heal(x, s))
	return known && g.doomed.has(healed)
}

// doom finds the doomed states, from which every run ends in a violation: they have steps, and each
// of these leads to a violation or to a doomed state.
func (g *Closure) doom() error {
	g.Visitor = dooming{enduring{g}}
	g.doomed = make(stateSet, g.End()/64)
	var left []uint32
	for s := range g.Each {
		if !g.Outside(s) {
			left = append(left, s)
		}
	}
	slices.Reverse(left)
	for changed := true; changed; {
		changed = false
		rest := left[:0]
		for i, s := range left {
			if i%1024 == 0 && g.Owner.Stopped() {
				return explore.ErrHalt
			}
			g.lives, g.moves = false, false
			if err := g.Expand(s); err != nil {
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
