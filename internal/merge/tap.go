package merge

import (
	"fmt"
	"slices"

	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/macetime"
	"macemc/sim"
)

// answered is the record of the running step, with the answers that were used so far. The zero
// answered is a step without a record: its handler may ask nothing.
type answered struct {
	step    *record.Step
	held    bool // the World takes events that were not recorded
	picked  int
	strayed string // how the simulation differs first; "" if it does not
}

// recorded returns the step that runs, or nil while events run that were not recorded.
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

// next returns the next answer, for a choice of n alternatives.
func (a *answered) next(n int) int {
	if a.recorded() == nil || a.picked >= len(a.step.Picks) || int(a.step.Picks[a.picked]) >= n {
		a.stray("it asks for a choice that it did not ask for")
		return 0
	}
	a.picked++
	return int(a.step.Picks[a.picked-1])
}

// end is called after the step, and checks that all answers were asked for.
func (a *answered) end() {
	if a.recorded() != nil && a.picked != len(a.step.Picks) {
		a.stray("it asked for %d choices, and for %d in the simulation", len(a.step.Picks), a.picked)
	}
}

// tap gives the World the recorded answers, and checks that they are possible there.
type tap struct {
	handler.Answerer
	m *merger
}

// coin asks the World's coin, which falls on side k, and compares the answer with the recorded one.
func (t *tap) coin(was, k int, why string, ask func() int) int {
	is := t.m.fall(k, ask)
	if was != is {
		t.m.answered().stray("%s was answered %d, and in the simulation it can only be %d", why, was, is)
	}
	return is
}

// fall makes the World's coin fall on side k while ask asks it.
func (m *merger) fall(k int, ask func() int) int {
	m.coins = []int{k}
	defer func() { m.coins = nil }()
	return ask()
}

// Choose returns a free choice.
func (t *tap) Choose(n int, why string) int {
	k := t.m.answered().next(n)
	return t.coin(k, k, why, func() int { return t.Answerer.Choose(n, why) })
}

// Weighted returns a choice. Its rare sides are possible, too: what a live node did has happened.
func (t *tap) Weighted(w []int, why string) int {
	k := t.m.answered().next(len(w))
	return t.coin(k, k, why, func() int { return t.Answerer.Weighted(w, why) })
}

// Before compares two times.
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

// Room returns the World's answer, and compares it with the recorded one.
func (t *tap) Room(s handler.Send) bool {
	a := t.m.answered()
	was := a.recorded() == nil || !slices.Contains(a.step.Refused, uint32(s.Place))
	is := t.Answerer.Room(s)
	if was != is {
		a.stray("a send to %s by %s was refused: %v, and in the simulation: %v", s.To, sim.LinkTCP, !was, !is)
	}
	return is
}
