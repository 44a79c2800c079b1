package search

import (
	"cmp"
	"fmt"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/search/internal/run"
)

// SettleMost is how many states are visited to decide about one run exactly.
const SettleMost = decide.Most

// settle decides exactly which states of a run, from one on, can recover, by
// exhausting what can still happen after them once the environment has healed:
// that is usually little. It returns the last that can; from-1: none. It is not
// decided where there are more healed states than most, where nodes cannot be
// copied, and where the service fails on the way (walks find that). System.Within
// is no bound: it is none to walks. Nor is System.Assume, but that nothing is dead
// from which a state can be reached that does not count: then the end of the run
// is what is returned. A state before it can recover only if a live one is reached.
func (r *runner) settle(path *choose.Path, c run.Climate, from, most int) (last int, decided bool, err error) {
	return r.settled(path, c, from, most, false)
}

// settled is settle, or, about safety, settleSafety.
func (r *runner) settled(path *choose.Path, c run.Climate, from, most int, safety bool) (last int, decided bool, err error) {
	before := r.stats // of the search: this is about one run of it
	defer func() { r.stats = before }()
	x, err := r.newExplorer(c, nil)
	if err != nil {
		return 0, false, err
	}
	defer x.close()
	if !r.Always && !safety { // a remembered step is not looked at for what it violates
		x.byMemo()
	}
	g, err := r.newClosure(x)
	if err != nil {
		return 0, false, err
	}
	defer func() {
		r.settledStates += g.set.Len()
		g.close()
	}()
	g.most = most
	var follow []uint32
	bad, err := r.guarded(x.taker, func() (err error) {
		if follow, err = x.follow(path, from); err != nil {
			return err
		}
		r.Exploring = g.taker // the states have no origins to tell a run by
		if !safety {
			return g.resolve(x)
		}
		g.visitor = enduring{g}
		if err := g.healAll(x); err != nil {
			return err
		}
		if err := g.gather(0, func(uint32) bool { return true }); err != nil {
			return err
		}
		return g.doom()
	})
	if err == errHalt || err == errFull || bad != nil || world.Unsupported(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	last = from - 1
	for at, s := range follow {
		if safety && !g.fated(x, s) || !safety && !g.dead(x, s) {
			last = from + at
		}
	}
	end := len(path.Steps)
	switch {
	case safety || !g.unassumed || last == end:
		return last, true, nil
	case from == end:
		return end, true, nil
	}
	if after, decided, err := r.settled(path, c, end, most, false); !decided || err != nil || after == end {
		return after, decided, err
	}
	return last, true, nil
}

// follow takes a run in the explorer's world, and keeps its states from one on,
// one for each step: a run may be in a state twice.
func (x *explorer) follow(path *choose.Path, from int) (states []uint32, err error) {
	answers := choose.NewRaw(run.Picks(path))
	x.r.Allow(x.c, x.w)
	x.w.Start(answers)
	for depth := 0; ; depth++ {
		if depth >= from {
			if x.w.Bound() != "" {
				return nil, errHalt
			}
			x.w.Save(x.bank, x.to)
			x.pack(x.to)
			states = append(states, x.append(origin{}))
		}
		if depth == len(path.Steps) {
			return states, nil
		}
		if x.c.Step(x.w, answers) != world.Stepped {
			return nil, fmt.Errorf("the first %d steps of a run could not be taken again: %w%s", len(path.Steps), cmp.Or(x.w.Err(), choose.ErrEnd), run.Hint)
		}
	}
}
