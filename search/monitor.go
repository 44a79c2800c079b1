package search

import (
	"sync"
	"time"

	"macemc/search/internal/run"
	"macemc/sim"
)

// watch starts the monitor: a goroutine that tells OnStuck when a run has not
// asked anything for Options.Stuck. The moment depends on the machine; the
// path does not. The function that it returns ends it.
func (r *runner) watch() (end func()) {
	if r.opts.Stuck <= 0 || r.opts.OnStuck == nil {
		return func() {}
	}
	r.Pulse.On = true
	felt := map[*runner]*run.Feeling{}
	endSlow := r.watchSlow()
	endStuck := run.Often(r.opts.Stuck, func() bool {
		stuck := r.feel(felt)
		if stuck != nil {
			r.opts.OnStuck(stuck.stuck())
		}
		return stuck != nil
	})
	return func() {
		endSlow()
		endStuck()
	}
}

// feel looks at the pulses of a runner and of those that explore with it, and
// returns one that has been still for too long. Where there are several,
// the others are told to stop, and waited for: then the handler that is stuck
// is the only one whose stack is there.
func (r *runner) feel(felt map[*runner]*run.Feeling) (stuck *runner) {
	if r.Limits.Housework.Load() > 0 {
		clear(felt)
		return nil
	}
	running := 0
	for _, one := range append([]*runner{r}, r.pulses.others()...) {
		f := felt[one]
		if f == nil {
			f = &run.Feeling{}
			felt[one] = f
		}
		if f.Feels(&one.Pulse) {
			running++
		}
		if f.Still >= run.Looks && stuck == nil {
			stuck = one
		} else if f.Still > 0 {
			running++
		}
	}
	if stuck != nil && running > 0 && felt[stuck].Still < 3*run.Looks {
		r.Limits.Stop(StopInterrupted)
		return nil
	}
	return stuck
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

// stuck is the result of a search whose run never returned.
func (r *runner) stuck() *Result {
	return r.unfinished(sim.Failure{
		Verdict: sim.VerdictDivergence,
		Message: stuckFor(r.opts.Stuck),
		Stack:   run.StuckStack(r.Pulse.Where()),
	})
}

func stuckFor(d time.Duration) string {
	return "the handler did not return and asked Env nothing for " + d.String() + ": it loops for ever, or waits"
}

// unfinished is the result of a search whose last handler never returned.
func (r *runner) unfinished(failure sim.Failure) *Result {
	f := newFinding(failure, nil, nil, r.Climate)
	f.Path, f.Node, f.Identity = r.UpToStuck()
	f.Step = len(f.Path.Steps)
	r.opts.label(r.Sys, f)
	return &Result{
		System: r.Sys, Params: r.opts.Params, Options: r.opts, Finding: f, Findings: append(r.findings.all, f),
		Safety: Safety{State: StateIncomplete}, Liveness: Liveness{State: StateFound},
		Stop: StopFound, Stats: r.stats, Measured: r.measured(),
	}
}
