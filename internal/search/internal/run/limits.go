package run

import (
	"cmp"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"macemc/internal/visited"
)

// StopMemory is the reason reported by a search that stopped because it had used up its memory. Callers define the
// other reasons.
const StopMemory = "memory"

// Limits decides whether a search should stop, and why. The limit of memory is for the whole
// process: it counts the memory of Go's runtime, garbage included, and the tables outside of it.
// Several goroutines may call its methods at the same time.
type Limits struct {
	Ask    func() string // returns the reason to stop, or "" if the search should go on; called now and then; may be nil
	Budget int           // bytes that the process may use
	Table  int           // bytes that a table of visited states may use, for tests; 0 means as many as Budget allows

	mu    sync.Mutex
	why   string // the reason to stop, or "" if the search goes on
	asked int
	now   int // bytes used when they were last measured
	most  int // the most bytes measured so far

	relief  func() bool // frees memory when it is short: see Relieves
	short   atomic.Bool // the search must free memory soon
	before  int64       // the memory limit of Go's runtime before Presses was called
	pressed bool

	garbage int // the percentage for Go's garbage collector that thrift has set

	cramped int // the size in bytes of a table that there was no memory to enlarge

	Housework atomic.Int32 // number of calls of Tidy whose end function was not called yet
}

// Tidy announces that work on the search's own tables begins; the returned function announces its end. With many
// gigabytes and on a busy machine, that work may take longer than a handler is allowed to. Until it ends, no handler
// is reported as stuck, even if its goroutine waits for it.
func (l *Limits) Tidy() (end func()) {
	l.Housework.Add(1)
	return func() { l.Housework.Add(-1) }
}

// Percentages of the memory limit. If more than fullPercent is in use, garbage is collected. If more than
// stuffedPercent is then still in use, the search stops. The difference is room for what is allocated until the next
// check.
const (
	fullPercent    = 95
	stuffedPercent = 90

	// used instead if the search can free memory, which takes some memory itself
	fullRelief    = 80
	stuffedRelief = 65
	pressPercent  = 85

	memoryEvery = 4 // memory is measured in one of memoryEvery calls

	tableGrowth = 2 // a new table is at most this many times as large as the old one
)

// stopped reports whether the search should stop. If so, the method reason returns why.
func (l *Limits) stopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == "" && l.Ask != nil {
		l.why = l.Ask()
	}
	if l.asked++; l.why == "" && l.asked%memoryEvery == 0 && !l.Short() && l.crowded() {
		if l.relief != nil && l.relief() {
			l.short.Store(true)
		} else {
			l.why = StopMemory
		}
	}
	return l.why != ""
}

// Relieves sets the function that is called when memory is short. If it reports that the search can free memory, the
// search goes on; otherwise the search stops. If relief is nil, the search cannot free memory.
func (l *Limits) Relieves(relief func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.relief = relief
	l.short.Store(false)
}

// Presses sets a memory limit for Go's runtime, so that it collects garbage before the process exceeds the search's
// limit. It is for a search that keeps states on disk, and uses nearly all of its memory for a long time.
func (l *Limits) Presses() {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := percent(l.Budget, pressPercent) - visited.OffHeap()
	if before := debug.SetMemoryLimit(int64(max(limit, percent(l.Budget, stuffedRelief)/2))); !l.pressed {
		l.before, l.pressed = before, true
	}
}

// Unpresses undoes Presses.
func (l *Limits) Unpresses() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pressed {
		debug.SetMemoryLimit(l.before)
		l.pressed = false
	}
}

// Spares makes Go's runtime collect garbage the sooner, the more memory is in use at present. Most of the memory of a
// large search holds states, which have no pointers, so a collection is cheap; by default, garbage may take as much
// memory as they do. The heap of a search that only takes walks is small, and by default garbage would be collected
// after each 4 MB. Spares does nothing if the user has set GOGC. Spends undoes it.
func (l *Limits) Spares() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := int(sample[0].Value.Uint64())
	l.thrift(garbageOf(live))
}

// Spends makes Go's runtime collect garbage by its own rule again, which Spares has changed.
func (l *Limits) Spends() { l.thrift(garbageUsual) }

// garbageOf returns how much garbage there may be before it is collected, in percent of the heap in use. The
// argument live is the size of that heap in bytes.
func garbageOf(live int) int { return min(garbageMost, garbageLeast+100*garbageFree/max(1, live)) }

const (
	garbageUsual = 100      // percent of the heap in use that garbage may take, by default
	garbageMost  = 400      // likewise, if the heap is small
	garbageLeast = 10       // likewise, if the heap is large
	garbageFree  = 32 << 20 // bytes of garbage that are collected no sooner
)

// thrift sets the percentage for Go's garbage collector, unless the user has changed it from the default.
func (l *Limits) thrift(percent int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if percent == cmp.Or(l.garbage, garbageUsual) {
		return
	}
	if was := debug.SetGCPercent(percent); was != l.garbage && was != garbageUsual {
		debug.SetGCPercent(was)
		return
	}
	l.garbage = percent
}

// Short reports whether the search must free memory now. Eased records that memory was freed.
func (l *Limits) Short() bool { return l.short.Load() }
func (l *Limits) Eased()      { l.short.Store(false) }

// shares returns two percentages of the memory limit: garbage is collected above full, and memory is
// short above stuffed.
func (l *Limits) shares() (full, stuffed int) {
	if l.relief != nil {
		return fullRelief, stuffedRelief
	}
	return fullPercent, stuffedPercent
}

// Memory returns the number of bytes that the process used at the last measurement.
func (l *Limits) Memory() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Highest measures the memory, and returns the most that was measured so far.
func (l *Limits) Highest() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	return l.most
}

// Stop makes the search stop for a reason.
func (l *Limits) Stop(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = cmp.Or(l.why, why)
}

// reason returns the reason to stop, or "".
func (l *Limits) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// Renew replaces Ask and Budget, and forgets the reason to stop.
func (l *Limits) Renew(ask func() string, budget int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Ask, l.Budget, l.why = ask, budget, ""
}

// Stopped reports whether the search should stop. Runs.Why returns the reason.
func (r *Runs) Stopped() bool { return r.Limits.stopped() }

// Why returns the reason to stop, or "".
func (r *Runs) Why() string { return r.Limits.reason() }

// Relieved forgets that memory ran out in the exhaustive phase, so that the search goes on with walks, which need
// little. If much memory is in use, it collects garbage and returns memory to the operating system.
func (l *Limits) Relieved() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == StopMemory {
		l.why = ""
	}
	if l.look() >= percent(l.Budget, stuffedPercent) {
		debug.FreeOSMemory()
	}
}

// crowded reports whether the memory limit is reached.
func (l *Limits) crowded() bool {
	full, stuffed := l.shares()
	if l.look() < percent(l.Budget, full) {
		return false
	}
	defer l.Tidy()()
	debug.FreeOSMemory()
	return l.look() > percent(l.Budget, stuffed)
}

// Room returns the number of bytes that a new table of visited states may use, if the present one uses now bytes.
// The present one still exists while states are moved to the new one.
func (l *Limits) Room(now int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.Table > 0:
		return l.Table
	case now > 0 && now == l.cramped:
		return now
	}
	full, _ := l.shares()
	budget := percent(l.Budget, full)
	room := min(budget-l.look(), l.Budget/2)
	if room < tableGrowth*now {
		debug.FreeOSMemory()
		room = min(budget-l.look(), l.Budget/2)
	}
	if room < now/8*9 { // moving all states is not worth so little room
		l.cramped = now
		return now
	}
	return room
}

func percent(n, of int) int { return n / 100 * of }

// look measures the memory of the process, in bytes.
func (l *Limits) look() int {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	now := int(sample[0].Value.Uint64()-sample[1].Value.Uint64()) + visited.OffHeap()
	l.now, l.most = now, max(l.most, now)
	return now
}
