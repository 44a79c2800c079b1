package search

import (
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/wording"
	"macemc/sim"
)

// TakeSome takes a run of those steps of a path that are possible, in order: a run from
// which some were taken out. It is never healed; where that mended a partition, the
// partition mends, and paused nodes go on. With alike, numbers may differ: the event of the same
// kind, node and sender that is nearest takes the place of a step that is not possible, and the
// nearest side of a coin that of one that does not exist. Nil means it could not be taken. The second
// result is the indices of the steps that were taken.
func (l *Lab) TakeSome(start []choose.Choice, steps []choose.Step, careful, alike bool) (*Case, []int, error) {
	return l.some(start, steps, nil, careful, alike, false)
}

// Try is TakeSome for the steps of a case with these indices. With causes, which needs alike, a delivery is that of the
// message which the same step sends now, if that step was taken. With fails, the run is of use only if
// the service fails in it.
func (l *Lab) Try(of *Case, kept []int, careful, alike, causes, fails bool) (*Case, []int, error) {
	steps := make([]choose.Step, len(kept))
	for i, at := range kept {
		steps[i] = of.Path.Steps[at]
	}
	var from []choose.Cause
	if causes {
		from = make([]choose.Cause, len(kept))
		for i, at := range kept {
			from[i] = choose.Cause{Number: at + 1, Of: of.causes[at], Queues: wording.Identify(steps[i].Event.What).Kind == sim.KindMessage}
		}
	}
	return l.some(of.Path.Start, steps, from, careful, alike, fails)
}

func (l *Lab) some(start []choose.Choice, steps []choose.Step, causes []choose.Cause, careful, alike, fails bool) (*Case, []int, error) {
	var taken []int
	c, err := alone(l, func() (*Case, error) {
		all, at := unhealed(steps)
		src := choose.NewFollow(start, all)
		climate := run.Climate{Faults: l.first().Stormy(), Heal: -1}
		x := &examining{Again: run.Again{Climate: climate, Steps: len(all)}, src: src, fails: fails}
		if alike {
			src.Like = wording.Alike
		}
		if causes != nil {
			src.Causes = make([]choose.Cause, len(at))
			for i, k := range at {
				src.Causes[i] = causes[k]
			}
		}
		c, w := l.taken(x, careful)
		if c.Failure == nil && w.Run.Err() != nil && !errors.Is(w.Run.Err(), choose.ErrEnd) {
			return nil, nil
		}
		for _, k := range src.Taken() {
			taken = append(taken, at[k])
		}
		return c, nil
	})
	return c, taken, err
}

// Failing returns the run of a walk in which the service failed.
func (l *Lab) Failing(of *Case, f Failed) (*Case, error) {
	return alone(l, func() (*Case, error) {
		k := f.Walk.(*labWalk)
		c, _, _ := l.examine(choose.NewRaw(k.answers(of)), k.climate, k.end)
		if c.Failure == nil {
			return nil, fmt.Errorf("a walk in which the service failed after %d steps did not come to the same when it was taken again%s", k.end, run.Hint)
		}
		return c, nil
	})
}

// unhealed returns the steps with what healing does, as far as faults do the like, in its
// place: a partition mends, and paused nodes go on. at has the index of each in the steps.
func unhealed(steps []choose.Step) (all []choose.Step, at []int) {
	var paused []sim.Addr
	add := func(i int, what string) {
		all, at = append(all, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}}), append(at, i)
	}
	for i, s := range steps {
		switch id := wording.Identify(s.Event.What); id.Kind {
		case sim.KindHeal:
			add(i, sim.KindMend.String())
			for _, n := range paused {
				add(i, n.String()+" "+sim.KindResume.String())
			}
			paused = nil
			continue
		case sim.KindPause:
			paused = append(paused, id.Node)
		}
		all, at = append(all, s), append(at, i)
	}
	return all, at
}
