package worlds

import (
	"sync"

	"macemc/internal/bubble"
)

// Loose makes the plan of a world answer what hosts and scripts ask in the bubbles of f,
// without the overlay. Everything else is up to Go's runtime.
func (s *Search) Loose(world int, f func()) {
	loose.Lock()
	defer loose.Unlock()
	r := new(bubble.Recorder)
	r.Begin(planOf(s.Seed, world))
	defer r.End()
	f()
}

// loose is held by the one world that is taken without the overlay.
var loose sync.Mutex
