package search

import (
	"slices"

	"macemc/choose"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
)

// Retake replays a recorded path without checking anything. It calls before when the system is
// about to start and before each handler, as soon as the handler's event is picked. It calls after
// when the start or the handler is done, even if it failed. It ends early if after returns false,
// or where the run differs from the recorded one.
func Retake(sys *sim.System, path *choose.Path, before func(), after func() bool) error {
	bare, unjudged := *sys, *path
	bare.Properties, unjudged.Header = nil, slices.Clone(path.Header)
	unjudged.Unset("property")
	p, err := NewPlayer(&bare, &unjudged)
	if err != nil {
		return err
	}
	p.bare = true
	src := &heralded{choose.NewReplay(path), before}
	before()
	if _, failure := p.Start(src); !after() || failure != nil {
		return nil
	}
	for i := range path.Steps {
		take := p.Step
		if wording.Identify(path.Steps[i].Event.What).Kind == sim.KindHeal {
			take = p.Heal
		}
		progress, failure := take(src)
		if progress != world.Stepped && failure == nil || !after() || failure != nil {
			return nil
		}
	}
	return nil
}

// heralded is a source that calls picked each time an event was picked.
type heralded struct {
	choose.Source
	picked func()
}

func (h *heralded) Answer(q *choose.Question) int {
	k := h.Source.Answer(q)
	if q.Kind == choose.Event {
		h.picked()
	}
	return k
}
