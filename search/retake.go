package search

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// Retake takes the run of a recorded path once more, for who watches the service at
// work: nothing is judged, and no step is taken twice. Before is called ahead of the
// starts and of each handler, when its event was picked; after, when it is done, and
// once more for a step that fails; false ends it. A run that goes otherwise than it
// was recorded ends where it does.
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
		if sim.Identify(path.Steps[i].Event.What).Kind == sim.KindHeal {
			take = p.Heal
		}
		progress, failure := take(src)
		if progress != world.Stepped && failure == nil || !after() || failure != nil {
			return nil
		}
	}
	return nil
}

// heralded tells when an event was picked.
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
