package worlds

import (
	"sync"

	"macemc/internal/bubble"
)

// Loose calls f in this process, without the overlay. In the bubbles that f runs, the world's number
// determines the random decisions of the simulated hosts and of the script. All others, such as the order
// of goroutines, are left to Go's runtime.
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
