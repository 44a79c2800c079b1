package search

import (
	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/search/internal/closure"
	"macemc/search/internal/explore"
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
	x, err := r.owner.NewExplorer(c, nil)
	if err != nil {
		return 0, false, err
	}
	defer x.Close()
	if !r.Always && !safety { // a remembered step is not looked at for what it violates
		x.ByMemo()
	}
	g, err := closure.New(&r.owner, x)
	if err != nil {
		return 0, false, err
	}
	defer func() {
		r.settledStates += g.Set.Len()
		g.Close()
	}()
	g.Most = most
	var follow []uint32
	bad, err := r.owner.Guarded(x.Taker, func() (err error) {
		if follow, err = x.Follow(path, from); err != nil {
			return err
		}
		r.Exploring = g.Taker // the states have no origins to tell a run by
		if !safety {
			return g.Resolve(x)
		}
		return g.Endure(x)
	})
	if err == explore.ErrHalt || err == explore.ErrFull || bad != nil || world.Unsupported(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	last = from - 1
	for at, s := range follow {
		if safety && !g.Fated(x, s) || !safety && !g.Dead(x, s) {
			last = from + at
		}
	}
	end := len(path.Steps)
	switch {
	case safety || !g.Unassumed || last == end:
		return last, true, nil
	case from == end:
		return end, true, nil
	}
	if after, decided, err := r.settled(path, c, end, most, false); !decided || err != nil || after == end {
		return after, decided, err
	}
	return last, true, nil
}

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
