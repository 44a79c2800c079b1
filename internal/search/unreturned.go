package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Unreturned returns the trace of a path whose last step calls a handler that never returns. It
// takes all steps before. The last step has only its event, and is marked as cut, since what the
// handler did is unknown.
func Unreturned(sys *sim.System, path *choose.Path) (*trace.Trace, error) {
	n := len(path.Steps)
	if n == 0 {
		return nil, fmt.Errorf("the path has no steps, so no handler of it can have failed to return")
	}
	opts, _, err := recordedOptions(sys, path, Options{})
	if err != nil {
		return nil, err
	}
	h, err := newHand(sys, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	if h.Lockstep, err = h.NewLockstep(world.Config{Trace: true}); err != nil {
		return nil, err
	}
	short := &before{Source: choose.NewReplay(path), w: h.Lockstep.World, step: n}
	ran, returned, err := run.Apart(func() (*trace.Trace, error) {
		_, failure, w := h.Run(run.Repeat(short, climateOf(path), n), true)
		if failure != nil || w.Run.Steps() != n-1 || short.last.Index == 0 {
			return nil, &NotAsRecorded{w.Run.Steps(), fmt.Errorf("the run ended after %d of the path's %d steps: %s", w.Run.Steps(), n, changed)}
		}
		ran := *w.Run.Trace()
		ran.Steps = append(ran.Steps, short.last)
		return &ran, nil
	})
	if !returned {
		return nil, fmt.Errorf("the run ended before step %d: %s", n, changed)
	}
	return ran, err
}

// before is a source that does not answer the choice of the last event, and keeps a description of
// that event.
type before struct {
	choose.Source
	w    *world.World
	step int
	last trace.Step
}

func (b *before) Answer(q *choose.Question) int {
	k := b.Source.Answer(q)
	if q.Kind != choose.Event || k < 0 || b.w.Run.Steps() != b.step-1 {
		return k
	}
	b.last = b.w.Events.Begun(k)
	b.last.Identity, b.last.Possible = q.Alternatives.Alternative(k), q.N
	return -1
}

func (b *before) Err() error { return choose.ErrEnd }
