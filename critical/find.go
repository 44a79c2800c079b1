package critical

import (
	"cmp"
	"errors"
	"fmt"

	"macemc/internal/decide"
	"macemc/search"
	"macemc/sim"
)

// Options bound what is spent on one finding. The zero value is the default.
type Options struct {
	Search search.Options // Walks, WalkSteps, MaxWalkSteps, Walking, Workers, Memory, Stop, Stuck and OnStuck count; the rest is taken from the path's header

	Exhaust int  // healed states that are visited to decide exactly; 0 means 200,000; -1 means none
	NoLive  bool // do not look for the nearest live path
	Any     bool // shrinking may change which event is critical

	// Effort limits the work on a finding, counted in steps of runs and in states that are
	// visited to decide exactly. After two thirds of it, no more steps are removed. Since
	// it does not count time, the result does not depend on the machine. 0 means 20
	// million; -1 means no limit.
	Effort int
	Enough func() bool // called while shrinking; returns true to stop with the shortest run so far

	spent *int // the effort spent on the same finding so far

	Progress func(Progress) // called from time to time
}

// Progress is how far the work is.
type Progress struct {
	Doing Doing
	Low   int // isolating: the last step that is known to be recoverable; -1 means none
	High  int // and the first that seems not to be; shrinking: the steps of the run now
	Of    int // steps that the run had
	Walks int
}

// Doing is a kind of work.
type Doing string

// The kinds of work.
const (
	DoingIsolate Doing = "isolate"
	DoingCompare Doing = "compare"
	DoingShrink  Doing = "shrink"
	DoingConfirm Doing = "confirm"
)

// Result is what became of a finding.
type Result struct {
	Finding *search.Finding
	Alive   bool              // the end of the run can recover: it is not dead
	Others  []*search.Finding // what was found besides, in walks
	Stopped bool              // before it was decided
}

// Find isolates the critical transition of a finding, and returns a copy of the finding
// with it. An error means that the path does not apply. Findings that walks cannot
// reproduce (mutation, goroutine, nondeterminism, killed) are returned unchanged.
func Find(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	found := *f
	out := &Result{Finding: &found}
	if !visible(f.Verdict) {
		return out, nil
	}
	p, err := open(sys, f, opts)
	if err != nil {
		return nil, err
	}
	defer p.close()
	err = p.find(&found)
	others, lost := p.besides()
	if out.Others = others; err == nil {
		err = lost
	}
	switch {
	case errors.Is(err, decide.ErrAlive):
		out.Alive = true
		return out, nil
	case errors.Is(err, search.ErrStopped):
		out.Stopped = true
		return out, nil
	}
	return out, err
}

// visible reports whether a walk sees a failure of this kind: not one that only
// shows where every check is on, or not each time.
func visible(v sim.Verdict) bool {
	return v != sim.VerdictMutation && v != sim.VerdictGoroutine && v != sim.VerdictNondeterminism && v != sim.VerdictKilled
}

// finder analyzes one run. The decisions about it are those of internal/decide.
type finder struct {
	*decide.Finder
	lab    *search.Lab
	opts   Options
	of     *search.Case
	spent  *int // of the effort, before the lab was made
	walked int  // walks that were taken besides
}

func open(sys *sim.System, f *search.Finding, opts Options) (*finder, error) {
	opts.Search.NoWalks = false
	if opts.spent == nil {
		opts.spent = new(int)
	}
	lab, err := search.NewLab(sys, f.Path, opts.Search)
	if err != nil {
		return nil, err
	}
	opts.Search, opts.Effort = lab.Options(), cmp.Or(opts.Effort, effortMost)
	p := &finder{lab: lab, opts: opts, spent: opts.spent}
	if p.of, err = lab.Take(f.Path); err != nil {
		lab.Close()
		return nil, err
	}
	n := p.of.Steps()
	p.Finder = lab.Finder(p.of, decide.Options{Exhaust: opts.Exhaust, Effort: opts.Effort, Spent: *p.spent, Tell: func(s decide.State) {
		p.tell(Progress{Doing: DoingIsolate, Low: s.Low, High: s.High, Of: n, Walks: s.Walks})
	}})
	return p, nil
}

// effortMost is the default of Options.Effort.
const effortMost = 20_000_000

// close stops the watchdog of the runs, and adds their effort.
func (p *finder) close() {
	*p.spent += p.lab.Effort()
	p.lab.Close()
}

// survive reports whether the run fails: recoverable then means that it goes on
// without a failure.
func (p *finder) survive() bool { return p.of.Failure != nil }

// find fills in what is to be known of a finding.
func (p *finder) find(f *search.Finding) error {
	switch dead := f.Verdict == sim.VerdictDead; {
	case !dead && !p.survive():
		return fmt.Errorf("the run no longer ends in a %s; replay it", f.Verdict)
	case dead && p.survive():
		return fmt.Errorf("the run ends in a %s, and not dead: %s", p.of.Failure.Verdict, p.of.Failure.Message)
	}
	before := *f
	f.Critical, f.Avoided, f.Live = nil, nil, nil
	for moved := true; moved; {
		res, err := p.Find()
		if errors.Is(err, decide.ErrStopped) && f.Critical == nil { // what was decided with less stands
			f.Critical, f.Avoided = before.Critical, before.Avoided
		}
		if err != nil {
			return err
		}
		f.Decided(res)
		if p.opts.NoLive {
			return nil
		}
		if moved, err = p.nearest(f); err != nil {
			return err
		}
	}
	return nil
}

// besides returns the failures of other kinds that walks met.
func (p *finder) besides() (all []*search.Finding, err error) {
	for _, m := range p.Others() {
		f, err := p.lab.Confirm(p.of, m.Failed)
		if err != nil {
			return all, err
		}
		all = append(all, f)
	}
	return all, nil
}

func (p *finder) tell(t Progress) {
	if p.opts.Progress != nil {
		t.Walks += p.walked
		p.opts.Progress(t)
	}
}
