package closure

import (
	"macemc/choose"
	"macemc/internal/fair"
	"macemc/internal/search/internal/explore"
	"macemc/internal/world"
)

// escapes is a graph for finding runs that never violate a property. It has the steps that violate
// none. Each step that violates one leads to the state ruin instead, which is not hot; all other
// states are hot. So a run that stays among hot states for ever never violates a property: it has
// escaped.
type escapes struct {
	fair.Graph
	number map[string]int32 // the number of each action, by its name
}

// ruin is the number of the state that stands in the graph for all states after a violation. State
// s of the closure has the number s+1 in the graph.
const ruin = 0

// step adds the step that the world has just taken from state from of the closure. The step leads
// to state to of the graph.
func (e *escapes) step(w *world.World, from uint32, to int32) {
	name, must := w.Run.LastAction()
	if !must { // a request or an action: a run in which it never happens does not avoid a failure either
		name = w.Run.LastIdentity()
	}
	n, known := e.number[name]
	if !known {
		n = int32(len(e.number))
		e.number[name] = n
	}
	edge := fair.Edge{To: to, Action: n}
	var asked []fair.Answer
	w.Run.FairCoins(func(choice int, coin choose.Choice) {
		e.Ask(choice, coin.Of)
		asked = append(asked, fair.Answer{Choice: choice, Answer: coin.Pick})
	})
	e.Add(int(from)+1, edge, asked...)
}

// doomed returns those of the first n states of the closure from which every fair run ends in a
// violation.
func (e *escapes) doomed(n uint32) stateSet {
	all := make([]int, n)
	for s := range all {
		all[s] = s + 1
	}
	doomed := make(stateSet, n/64+1)
	for s, ever := range e.Ever(e.Parts(all))[1:] {
		if !ever {
			doomed.add(uint32(s))
		}
	}
	return doomed
}

// enduring is the visitor that collects the states that violate no property, and the steps between
// them.
type enduring struct {
	*Closure
	steps *escapes
}

func (g enduring) LookUp(*explore.Memo) error {
	panic("macemc bug: search: a remembered step is not looked at for what it violates")
}

func (g enduring) Arrived(from uint32, _ int) error {
	if g.violates(from) {
		g.steps.step(g.World, from, ruin)
		return nil
	}
	h, err := g.here()
	if err != nil {
		return err
	}
	to, known := g.Find(h)
	if !known {
		g.Entry.Add(h, explore.Origin{})
		g.note(g.World.State.NodesHash(), g.World.Links.InFlight(), nil)
		to = g.Next - 1
		g.steps.Meet(int(to)+1, true)
	}
	g.steps.step(g.World, from, int32(to)+1)
	return nil
}

// Endure adds the healed forms of the states of explorer x, and the states that these reach without
// violating a property. It finds out which of them cannot go on without a violation. A run that
// leaves a message, a timer, a restart or a request undone for ever does not count as going on.
// Endure returns ErrHalt if the step in which the environment heals may violate a step property.
func (g *Closure) Endure(x *explore.Explorer) (err error) {
	e := &escapes{Graph: fair.Graph{Answers: make([]int, len(g.World.System().Fair))}, number: map[string]int32{}}
	g.Visits(enduring{g, e})
	if g.steps, err = explore.NewSteps(g.Taker); err != nil {
		return err
	}
	if g.steps != nil && x.Climate.Faults && g.healingViolates(x) {
		return explore.ErrHalt
	}
	if err := g.healAll(x); err != nil {
		return err
	}
	e.Meet(ruin, false)
	for s := range g.Next {
		e.Meet(int(s)+1, true)
	}
	if err := g.gather(0, func(uint32) bool { return true }); err != nil {
		return err
	}
	g.doomed = e.doomed(g.Next)
	return nil
}

// violates reports whether the state that is loaded in the world violates a property, or the step
// that led to it does. from is the number of the state before that step.
func (g *Closure) violates(from uint32) bool {
	return g.World.Judge.Check() != nil || g.steps.Check(from) != nil
}

// healingViolates reports whether a step property may be violated by the step in which the
// environment heals. If so, a run with a violation cannot be recognized by its healed states alone.
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

// Fated reports whether every fair run from the healed form of state s of explorer x ends in a
// violation.
func (g *Closure) Fated(x *explore.Explorer, s uint32) bool {
	healed, known := g.Find(g.heal(x, s))
	return known && g.doomed.has(healed)
}
