package worlds

import (
	"sync"

	"macemc/internal/bubble"
)

// Loose calls f in a program without the overlay. In f's bubbles the plan of a world answers the draws of
// hosts and scripts; Go's runtime decides everything else.
func (s *Search) Loose(world int, f func()) {
	loose.Lock()
	defer loose.Unlock()
	r := new(bubble.Recorder)
	r.Begin(planOf(s.Seed, world, s.Walk))
	defer r.End()
	f()
}

// loose is locked while a world is taken without the overlay, since there can be only one.
var loose sync.Mutex
