package worlds

import (
	"sync"

	"macemc/internal/bubble"
)

// Loose calls f without the overlay. In its bubbles the plan of a world answers the questions of hosts
// and scripts; Go's runtime decides everything else.
func (s *Search) Loose(world int, f func()) {
	loose.Lock()
	defer loose.Unlock()
	r := new(bubble.Recorder)
	r.Begin(planOf(s.Seed, world, s.Walk))
	defer r.End()
	f()
}

// loose is held by the one world that is taken without the overlay.
var loose sync.Mutex
