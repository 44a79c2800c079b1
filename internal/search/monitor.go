package search

import (
	"slices"
	"sync"
	"time"

	"macemc/internal/search/internal/run"
)

// A monitor is a watchdog. It looks for a run whose handler neither returned nor called its Env for
// the time Options.Stuck, repeats the run, and calls Options.OnStuck if the handler does not return
// then either. The moment at which the monitor notices the run depends on the machine; the path
// that it reports does not.
type monitor struct {
	first *hand                   // the search's own hand
	soFar func(stuck *hand) soFar // returns what the search has found while that hand is stuck

	mu    sync.Mutex
	hands []*hand // all hands that take runs now
}

// newMonitor returns a monitor that watches the hand first, and later the hands that the method with
// adds. The function far returns what the search has found so far.
func newMonitor(first *hand, far func(*hand) soFar) *monitor {
	return &monitor{first: first, soFar: far, hands: []*hand{first}}
}

// watch starts the monitor on a goroutine, and returns a function that ends it.
func (m *monitor) watch() (end func()) {
	opts := &m.first.opts
	if opts.Stuck <= 0 || opts.OnStuck == nil {
		return func() {}
	}
	for _, h := range m.all() {
		h.Pulse.Watch()
	}
	felt := map[*hand]*run.Feeling{}
	endSlow := m.watchSlow()
	endStuck := run.Often(opts.Stuck, func() bool {
		seems := m.feel(felt)
		if seems == nil {
			return false
		}
		clear(felt)
		return m.confirmStuck(seems)
	})
	return func() {
		endSlow()
		endStuck()
	}
}

// all returns the hands that take runs now.
func (m *monitor) all() []*hand {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hands
}

// with makes m watch other workers (hands), too, and returns a function that ends this.
func (m *monitor) with(others []*hand) (end func()) {
	before := m.all()
	m.set(slices.Concat(before, others))
	return func() { m.set(before) }
}

func (m *monitor) set(all []*hand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hands = slices.Clip(all)
}

// feel checks, for each hand, whether its run has made progress since the last call. felt counts,
// by hand, the calls in a row in which it has not. feel returns a hand whose run has made no
// progress for too long, or nil.
func (m *monitor) feel(felt map[*hand]*run.Feeling) (still *hand) {
	if m.first.Limits.Housework.Load() > 0 {
		clear(felt)
		return nil
	}
	for _, one := range m.all() {
		f := felt[one]
		if f == nil {
			f = &run.Feeling{}
			felt[one] = f
		}
		if f.Feels(&one.Pulse); f.Still >= run.Looks {
			still = one
		}
	}
	return still
}

// Guard watches the player until the returned function is called. If a step does not end within
// about the time stuck, Guard calls its function argument with the step's number, a message, and
// the service's part of the stack; the player must not be used after that.
func (p *Player) Guard(stuck time.Duration, told func(step int, message, stack string)) (end func()) {
	pulse := &p.h.Pulse
	pulse.Watch()
	var f run.Feeling
	return run.Often(stuck, func() bool {
		f.Feels(pulse)
		if f.Still < run.Looks {
			return false
		}
		told(p.taking, stuckFor(stuck), run.StuckStack(pulse.Where()))
		return true
	})
}
