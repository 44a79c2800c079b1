package search

import (
	"slices"
	"sync"
	"time"

	"macemc/internal/search/internal/run"
)

// A monitor looks for a run that has not asked anything for Options.Stuck, takes it again,
// and calls OnStuck if it does not end then either. The moment depends on the machine; the
// path does not.
type monitor struct {
	first *hand // that of the search
	soFar func(stuck *hand) soFar

	mu    sync.Mutex
	hands []*hand // all that take runs now
}

// newMonitor watches a hand, and those that join it.
func newMonitor(first *hand, far func(*hand) soFar) *monitor {
	return &monitor{first: first, soFar: far, hands: []*hand{first}}
}

// watch starts the monitor on a goroutine. The function that it returns ends it.
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

// with watches other hands, too, until the function that it returns is called.
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

// feel looks at the pulses of all hands, and returns a hand whose pulse has been still for too long, or
// nil.
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

// Guard calls report if a step does not end for some time, with the number of the step, a
// message, and the service's part of the stack. The player cannot be used afterwards. The
// returned function ends the guard.
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
