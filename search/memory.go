package search

import (
	"cmp"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"macemc/internal/visited"
)

// limits say whether a search is to stop, and why. A budget of memory is for
// the whole process: what the runtime holds, garbage included, and the tables
// beside it. Workers may ask at once.
type limits struct {
	mu    sync.Mutex
	why   Stop // "": go on
	asked int
	now   int // memory, at the last look
	most  int // the most that was met

	cramped int // a table of so many bytes could not be made larger

	housework atomic.Int32 // of the search itself, that is under way: see tidy
}

// tidy begins work on the search's own tables, which may take longer than a
// handler may: with many gigabytes, on a busy machine. Meanwhile nobody is
// stuck, though some may wait for it.
func (l *limits) tidy() (end func()) {
	l.housework.Add(1)
	return func() { l.housework.Add(-1) }
}

// Of the budget, in percent: from full on garbage is collected; the search
// stops if then more than stuffed is left. What lies between is room for what
// comes until the next look.
const (
	fullPercent    = 95
	stuffedPercent = 90

	memoryEvery = 4 // of the looks are at the memory
)

// stopped reports whether the search is to stop; limits.why says why.
func (r *runner) stopped() bool {
	l := r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == "" && r.opts.Stop != nil {
		l.why = r.opts.Stop()
	}
	if l.asked++; l.why == "" && l.asked%memoryEvery == 0 && l.crowded(r.opts.Memory) {
		l.why = StopMemory
	}
	return l.why != ""
}

// memory is what the process had at the last look.
func (l *limits) memory() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// stop tells the search to stop.
func (l *limits) stop(why Stop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = cmp.Or(l.why, why)
}

// why is the reason to stop.
func (r *runner) why() Stop {
	r.limits.mu.Lock()
	defer r.limits.mu.Unlock()
	return r.limits.why
}

// relieved lets the search go on without what has used up its memory: walks
// need little.
func (r *runner) relieved() {
	r.exploring = nil
	l := r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == StopMemory {
		l.why = ""
	}
	if l.look() >= percent(r.opts.Memory, stuffedPercent) {
		debug.FreeOSMemory()
	}
}

// crowded reports whether the budget is used up.
func (l *limits) crowded(budget int) bool {
	if l.look() < percent(budget, fullPercent) {
		return false
	}
	defer l.tidy()()
	debug.FreeOSMemory()
	return l.look() > percent(budget, stuffedPercent)
}

// room is how many bytes a table of visited states may have that takes the
// place of one of now bytes, which is there until the states have moved.
func (r *runner) room(now int) int {
	l := r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case r.opts.table > 0:
		return r.opts.table
	case now > 0 && now == l.cramped:
		return now
	}
	budget := percent(r.opts.Memory, fullPercent)
	room := min(budget-l.look(), r.opts.Memory/2)
	if room < seenGrowth*now {
		debug.FreeOSMemory()
		room = min(budget-l.look(), r.opts.Memory/2)
	}
	if room < now/8*9 { // not worth moving all states
		l.cramped = now
		return now
	}
	return room
}

func percent(n, of int) int { return n / 100 * of }

// look is the memory of the process now, in bytes.
func (l *limits) look() int {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	now := int(sample[0].Value.Uint64()-sample[1].Value.Uint64()) + visited.OffHeap()
	l.now, l.most = now, max(l.most, now)
	return now
}
