package search

import (
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Player takes the steps of one run, one at a time, forwards and backwards, for a debugger. It
// judges every state as a search does, and leaves all answers to its caller.
type Player struct {
	h     *hand
	w     *world.World
	lag   *world.World // in the state before the last step, for step properties; nil if there are none
	steps *world.Transition
	last  *world.Snapshot // the last snapshot that the world took or restored
	can   bool            // whether snapshots can be taken
	began bool
	bare  bool // judge nothing

	taking int // the number of the step being taken; written before the pulse beats
}

// auditMost is the largest length of a path whose steps a Player audits. It audits no step of a
// longer path, unless the path was recorded for a mutation.
const auditMost = 5_000

// NewPlayer makes a player for the system, with the options in a path's header. The path need not
// have steps.
func NewPlayer(sys *sim.System, path *choose.Path) (*Player, error) {
	opts, verdict, err := recordedOptions(sys, path, Options{})
	if err != nil {
		return nil, err
	}
	h, err := newHand(sys, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	p := &Player{h: h}
	if p.w, err = h.NewWorld(world.Config{Trace: true, Audit: verdict == trace.VerdictMutation || len(path.Steps) <= auditMost}); err != nil {
		return nil, err
	}
	p.w.Environ.Allow(opts.Budgets(sys), opts.Early)
	if h.Always {
		if p.lag, err = h.NewWorld(world.Config{}); err != nil {
			return nil, err
		}
		p.lag.State.Track()
		p.steps = world.StepChecks(p.lag, p.w, opts.Properties)
	}
	return p, nil
}

// Options returns the options of the path's header.
func (p *Player) Options() Options { return p.h.opts }

// World returns the world of the run. Only the player may take its steps.
func (p *Player) World() *world.World { return p.w }

// CanSnapshot reports whether states of the run can be kept. If not, since a node cannot be copied,
// going back means starting again.
func (p *Player) CanSnapshot() bool { return p.can }

// Start begins the run.
func (p *Player) Start(src choose.Source) (world.Progress, *trace.Failure) {
	p.last, p.taking = nil, 0
	progress, failure := p.take(func() world.Progress {
		p.w.Start(src)
		return world.Stepped
	})
	if !p.began {
		p.began = true
		p.can = p.w.State.Bound() == ""
		if p.can {
			p.w.State.Track()
		}
	}
	return progress, failure
}

// Step takes one step, whose event src chooses. If src gives no answer, Step returns world.Stopped,
// and Err the reason.
func (p *Player) Step(src choose.Source) (world.Progress, *trace.Failure) {
	return p.follow(func() world.Progress { return p.w.Step(src) })
}

// Heal takes the step in which the environment heals.
func (p *Player) Heal(src choose.Source) (world.Progress, *trace.Failure) {
	return p.follow(func() world.Progress { return p.w.Heal(src) })
}

// Err returns the reason why the last step was not taken.
func (p *Player) Err() error { return p.w.Run.Err() }

// follow takes a step, and evaluates the properties with the state before it.
func (p *Player) follow(step func() world.Progress) (world.Progress, *trace.Failure) {
	p.taking = p.w.Run.Steps() + 1
	judges := p.lag != nil && p.can && !p.bare
	if judges {
		p.lag.Restore(p.Snapshot())
	}
	progress, failure := p.take(step)
	if failure == nil && progress == world.Stepped && judges {
		failure = p.judged(p.steps.Check)
	}
	return progress, failure
}

// take takes one step, and makes all checks that a search makes on the resulting state.
func (p *Player) take(step func() world.Progress) (progress world.Progress, failure *trace.Failure) {
	failure = p.judged(func() *trace.Failure {
		if progress = step(); progress == world.Stepped && !p.bare && p.w.Judge.Check() == nil {
			p.w.Probe()
		}
		return nil
	})
	if failure == nil && p.w.Run.Err() != nil {
		progress = world.Stopped
	}
	return progress, failure
}

// judged calls do, and returns the failure that do returns. If the service panics in do, or ends
// its goroutine, that is the failure.
func (p *Player) judged(do func() *trace.Failure) *trace.Failure {
	p.h.Pulse.Tick()
	defer p.h.Pulse.Rest()
	failure, returned, _ := run.Apart(func() (found *trace.Failure, _ error) {
		failure := p.w.Protect(func() { found = do() })
		if failure == nil {
			failure = found
		}
		return failure, nil
	})
	if !returned {
		return p.w.Run.Failed()
	}
	return failure
}

// Snapshot returns a snapshot of the state, for Restore.
func (p *Player) Snapshot() *world.Snapshot {
	if !p.can {
		panic("macemc bug: search: a state is to be kept that cannot be; ask CanSnapshot")
	}
	if p.last == nil || p.last.Steps() != p.w.Run.Steps() {
		p.last = p.w.Snapshot(p.last)
	}
	return p.last
}

// Restore sets the run to a snapshot.
func (p *Player) Restore(s *world.Snapshot) {
	p.w.Restore(s)
	p.last = s
}

// Diverged describes why a recorded path could not be followed. It returns "" if err means that the path was
// at its end.
func Diverged(err error) string {
	var diverged *choose.Divergence
	switch {
	case err == nil || errors.Is(err, choose.ErrEnd):
		return ""
	case errors.As(err, &diverged):
		return fmt.Sprintf("%s; %s", diverged, changed)
	default:
		return err.Error()
	}
}
