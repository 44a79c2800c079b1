package search

import (
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/wording"
	"macemc/sim"
)

// TakeSome takes those of these steps that are possible, in their order. It returns the run, or nil
// if it could not be taken, and the indices of the steps that were taken. The run is never healed;
// where the steps heal the environment, the partition is mended and paused nodes resume. If alike
// is set, a step that is not possible is replaced by an event of the same kind, node and sender
// whose number is nearest, and an answer that does not exist by the nearest one.
func (l *Lab) TakeSome(start []choose.Choice, steps []choose.Step, careful, alike bool) (*Case, []int, error) {
	return l.some(start, steps, nil, careful, alike, false)
}

// Try is TakeSome for the steps of a case that have these indices. If causes is set, which needs
// alike, a delivery takes the message that its sending step sends now, if that step was taken. If
// fails is set, the run is used only if the service fails in it.
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

// Failing returns a walk in which the service failed as a case.
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

// unhealed returns the steps with each healing replaced by events that mend the partition and
// resume the paused nodes. at has the index in steps of each.
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
