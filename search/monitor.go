package search

import (
	"sync"
	"time"

	"macemc/search/internal/run"
)

// watch starts the monitor: a goroutine that looks for a run which has not asked
// anything for Options.Stuck, takes it again, and calls OnStuck if it does not end then
// either. The moment depends on the machine; the path does not. The function that it
// returns ends the monitor.
func (r *runner) watch() (end func()) {
	if r.opts.Stuck <= 0 || r.opts.OnStuck == nil {
		return func() {}
	}
	r.Pulse.On = true
	felt := map[*runner]*run.Feeling{}
	endSlow := r.watchSlow()
	endStuck := run.Often(r.opts.Stuck, func() bool {
		seems := r.feel(felt)
		if seems == nil {
			return false
		}
		clear(felt)
		return r.confirmStuck(seems)
	})
	return func() {
		endSlow()
		endStuck()
	}
}

// feel looks at the pulses of a runner and of those that explore with it, and
// returns one that has been still for too long.
func (r *runner) feel(felt map[*runner]*run.Feeling) (still *runner) {
	if r.Limits.Housework.Load() > 0 {
		clear(felt)
		return nil
	}
	for _, one := range append([]*runner{r}, r.pulses.others()...) {
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

// pulses are those of the runners that explore with one.
type pulses struct {
	mu  sync.Mutex
	all []*runner
}

func (p *pulses) set(all []*runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = all
}

func (p *pulses) others() []*runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// Guard has somebody told when a step has not come to its end for some time:
// which step it is, what is to be said of it, and the service's part of the
// stack. The player is of no use then. The function that it returns ends the
// guard.
func (p *Player) Guard(stuck time.Duration, told func(step int, message, stack string)) (end func()) {
	pulse := &p.r.Pulse
	pulse.On = true
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
