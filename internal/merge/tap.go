package merge

import (
	"fmt"
	"slices"

	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/macetime"
	"macemc/sim"
)

// answered has the recorded answers for the running step, and counts how many of them were used. The zero
// answered is for a step without a record, whose handler must not ask for answers.
type answered struct {
	step    *record.Step
	held    bool   // the World takes events that were not recorded, which use no answers
	picked  int    // how many answers were used
	strayed string // the first difference of the simulation from the record; "" if there is none
}

// recorded returns the record of the running step, or nil if the step was not recorded.
func (a *answered) recorded() *record.Step {
	if a.held {
		return nil
	}
	return a.step
}

func (a *answered) hold() { a.held = true }

func (a *answered) stray(format string, args ...any) {
	if a.strayed == "" {
		a.strayed = fmt.Sprintf(format, args...)
	}
}

// next returns the next recorded answer, to a choice of n alternatives.
func (a *answered) next(n int) int {
	if a.recorded() == nil || a.picked >= len(a.step.Picks) || int(a.step.Picks[a.picked]) >= n {
		a.stray("in the simulation it asks for a choice for which the node did not ask")
		return 0
	}
	a.picked++
	return int(a.step.Picks[a.picked-1])
}

// end notes a difference if the step has not asked for all recorded answers.
func (a *answered) end() {
	if a.recorded() != nil && a.picked != len(a.step.Picks) {
		a.stray("it asked for %d choices, and for %d in the simulation", len(a.step.Picks), a.picked)
	}
}

// tap is the Answerer of nodes in the World. It gives the recorded answers, and checks that they are
// possible there.
type tap struct {
	handler.Answerer
	m *merger
}

// coin makes the World answer a random choice with k, and returns the World's answer. The function ask makes
// the choice. If the answer differs from was, which the record has, coin notes a difference. why describes
// the choice.
func (t *tap) coin(was, k int, why string, ask func() int) int {
	is := t.m.fall(k, ask)
	if was != is {
		t.m.answered().stray("%s was answered %d, and in the simulation it can only be %d", why, was, is)
	}
	return is
}

// fall calls ask, which makes the World ask for a random choice, and lets the merger answer that choice with
// k.
func (m *merger) fall(k int, ask func() int) int {
	m.coins = []int{k}
	defer func() { m.coins = nil }()
	return ask()
}

// Choose returns the recorded answer to an Env.Choose.
func (t *tap) Choose(n int, why string) int {
	k := t.m.answered().next(n)
	return t.coin(k, k, why, func() int { return t.Answerer.Choose(n, why) })
}

// Weighted returns the recorded answer to an Env.Weighted. It may be a rare alternative even if the
// simulation's budget for these is spent, since a live node has no budget.
func (t *tap) Weighted(w []int, why string) int {
	k := t.m.answered().next(len(w))
	return t.coin(k, k, why, func() int { return t.Answerer.Weighted(w, why) })
}

// Before returns the recorded answer to a comparison of two times.
func (t *tap) Before(call string, a, b macetime.Time, weights []int) bool {
	k := t.m.answered().next(2)
	return t.coin(k, k, "whether a time is before another", func() int { return number(t.Answerer.Before(call, a, b, weights)) }) == 1
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Room returns whether the connection in the World has room, and notes a difference if the record says
// otherwise.
func (t *tap) Room(s handler.Send) bool {
	a := t.m.answered()
	was := a.recorded() == nil || !slices.Contains(a.step.Refused, uint32(s.Place))
	is := t.Answerer.Room(s)
	if was != is {
		a.stray("a send to %s by %s was refused: %v, and in the simulation: %v", s.To, sim.LinkTCP, !was, !is)
	}
	return is
}
