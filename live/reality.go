package live

import (
	"math/rand/v2"
	"time"

	"macemc/internal/disk"
	"macemc/internal/handler"
	"macemc/macetime"
)

// reality is the answerer of a node that runs for real: its answers come from a
// random generator, the clock, the storage and the links.
type reality struct {
	*place
	rand  *rand.Rand
	clock *clock
	store *keeper
	links *links
}

func (r *reality) choose(weights []int, k int) int {
	if weights == nil {
		return r.rand.IntN(k)
	}
	total := 0
	for _, w := range weights {
		total += w
	}
	at := r.rand.IntN(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("macemc bug: live: weights that do not add up")
}

func (r *reality) now() time.Duration             { return r.clock.reading() }
func (r *reality) before(a, b macetime.Time) bool { return macetime.Earlier(a, b) }
func (r *reality) room(s handler.Send) bool {
	queued := s.Queued
	if !s.Reset { // a reset empties the queue
		queued += len(r.links.peers[s.To.Index()].out)
	}
	return queued < r.links.buffer
}
func (r *reality) tracing() bool                       { return r.config.Trace }
func (r *reality) log(line string)                     { r.config.Log.Info(line, "node", r.name(r.at)) }
func (r *reality) stored(w disk.Write) error           { return r.store.stored(w) }
func (r *reality) synced(file string, keys bool) error { return r.store.synced(file, keys) }
