package critical

import (
	"cmp"
	"errors"
	"fmt"

	"macemc/internal/decide"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Options bound the effort for one finding. The zero value is the default.
type Options struct {
	Search search.Options // Walks, WalkSteps, MaxWalkSteps, Walking, Workers, Memory, Stop, Stuck and OnStuck count; the rest is taken from the path's header

	Exhaust int  // the largest number of states, after healing, that are visited to decide exactly; 0 means 200,000; -1 means none
	NoLive  bool // do not look for the nearest live path
	Any     bool // shrinking may change which event is critical

	// Effort limits the work on a finding: the number of steps of runs, plus the number of
	// states that are visited to decide exactly. Locating the critical step takes at most half
	// of it. Removing steps takes at most an eighth of it, or 1.5 million if that is more, and
	// ends when two thirds are spent. Since time is not counted, the result does not depend on
	// the machine. 0 means 20 million; -1 means no limit.
	Effort int
	From   *search.Result // the result of the search that met the finding, whose lab takes the runs; if nil, a lab is opened
	Spent  int            // the part of Effort that deciding about the finding has taken before
	Enough func() bool    // called while shrinking; returns true to stop with the shortest run so far

	Progress func(Progress) // called from time to time
}

// extend increases Effort by half, if it is limited, and returns the increase.
func (o *Options) extend() int {
	more := max(0, o.Effort) / 2
	o.Effort += more
	return more
}

// Progress is the present state of an analysis.
type Progress struct {
	Doing Doing
	Low   int // while isolating: the last step after which the run is known to be able to recover; -1 means none
	High  int // while isolating: the first step after which it seems unable to recover; while shrinking: the number of steps of the present run
	Of    int // the number of steps of the finding's run
	Walks int
}

// Doing is a kind of work.
type Doing string

// The kinds of work.
const (
	DoingIsolate Doing = "isolate" // look for the critical step
	DoingCompare Doing = "compare" // look for the nearest live run
	DoingShrink  Doing = "shrink"  // make the run shorter
	DoingConfirm Doing = "confirm" // confirm the shorter run by fresh walks
)

// Result is a finding with the facts that were added to it.
type Result struct {
	Finding *search.Finding
	Alive   bool              // the end of the run can recover: it is not dead
	Others  []*search.Finding // other findings that walks met
	Stopped bool              // the work was stopped before the result was decided
	Effort  int               // the effort that was spent: steps of runs, and states that were visited to decide exactly

	escape *search.Success // the walk that became live from the state before the critical step, or nil
}

// Find isolates the critical transition of a finding, and returns a copy of the finding with it. An error
// means that the finding's path cannot be replayed. Find returns findings unchanged if walks cannot reproduce
// them (mutation, goroutine, nondeterminism, killed).
func Find(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	return inLab(sys, f, opts, func(b *bench) (*Result, error) { return b.find(nil, f, opts.NoLive, 1) })
}

// bench has what the work on one finding needs: a search.Lab, which takes runs, and the limits on the work.
type bench struct {
	lab  *search.Lab
	opts Options
}

// inLab opens a lab for the finding f, calls look with it, and closes the lab.
func inLab(sys *sim.System, f *search.Finding, opts Options, look func(*bench) (*Result, error)) (*Result, error) {
	if !visible(f.Verdict) && !shrinkable(f) { // no run of it is taken
		found := *f
		return &Result{Finding: &found}, nil
	}
	b, err := openBench(sys, f, opts)
	if err != nil {
		return nil, err
	}
	defer b.lab.Close()
	out, err := look(b)
	if err == nil {
		out.costs(b.lab)
	}
	return out, err
}

// openBench opens the lab of the search that met the finding or, if that search is not known, a lab of its own.
func openBench(sys *sim.System, f *search.Finding, opts Options) (*bench, error) {
	opts.Search.NoWalks = false
	from := cmp.Or(opts.From, &search.Result{System: sys})
	lab, err := from.Open(f.Path, opts.Search)
	if err != nil {
		return nil, err
	}
	opts.Search, opts.Effort = lab.Options(), cmp.Or(opts.Effort, effortMost)
	return &bench{lab, opts}, nil
}

// costs records how much effort the work in a lab has taken.
func (r *Result) costs(lab *search.Lab) { r.Effort = lab.Effort() }

// stopped reports whether the caller has asked to stop. It ignores the effort.
func (b *bench) stopped() bool { return b.lab.Stopped() }

// find does the work of Find, and may spend the given part of the effort. If before is not nil, it is an earlier
// result about f, and find keeps its decisions.
func (b *bench) find(before *Result, f *search.Finding, noLive bool, part float64) (*Result, error) {
	known := before != nil && decided(f)
	if f.Verdict == trace.VerdictHot {
		return b.heated(f, false)
	}
	if !visible(f.Verdict) {
		same := *f
		return &Result{Finding: &same}, nil
	}
	p, err := b.open(f, part)
	if err != nil {
		return nil, err
	}
	if known && before.escape != nil {
		p.Escapes(f.Critical.Step-1, *before.escape)
	}
	return p.result(*f, known, noLive)
}

// result fills in the facts about a copy of the finding found, and returns it as a Result. The other
// arguments are those of find.
func (p *finder) result(found search.Finding, known, noLive bool) (*Result, error) {
	err := p.find(&found, known, noLive)
	others, lost := p.besides()
	if err == nil {
		err = lost
	}
	alive, stopped := errors.Is(err, decide.ErrAlive), errors.Is(err, search.ErrStopped)
	if alive || stopped {
		err = nil
	}
	out := &Result{Finding: &found, Others: others, Alive: alive, Stopped: stopped}
	if c := found.Critical; c != nil && c.Step > 0 {
		if w, met := p.Alive(c.Step - 1); met {
			out.escape = &w
		}
	}
	return out, err
}

// visible reports whether walks can show failures with this verdict. They cannot show failures that need every
// check on (mutation, goroutine), that do not happen each time (nondeterminism), or that end the process (killed).
func visible(v trace.Verdict) bool {
	return v != trace.VerdictMutation && v != trace.VerdictGoroutine && v != trace.VerdictNondeterminism && v != trace.VerdictKilled
}

// finder analyzes one run. internal/decide makes the decisions about it.
type finder struct {
	*decide.Finder
	*bench
	of     *search.Case
	walked int // the number of walks that were taken for other purposes than the decisions
}

// open replays the run of a finding, and returns a finder that may spend a part of the effort on it.
func (b *bench) open(f *search.Finding, part float64) (*finder, error) {
	of, err := b.lab.Take(f.Path)
	if err != nil {
		return nil, err
	}
	p := newFinder(b, of, part)
	if c := f.Critical; c != nil && !p.survive() {
		p.Known(c, f.Evidence)
	}
	return p, nil
}

// newFinder returns a finder of the critical step of run of. The finder may spend this part of the effort that b
// has, in transitions and walks.
func newFinder(b *bench, of *search.Case, part float64) *finder {
	p := &finder{bench: b, of: of}
	effort, n := int(part*float64(b.opts.Effort)), of.Steps()
	p.Finder = b.lab.Finder(of, decide.Options{Exhaust: b.opts.Exhaust, Effort: effort, Spent: b.opts.Spent, Tell: func(s decide.State) {
		p.tell(Progress{Doing: DoingIsolate, Low: s.Low, High: s.High, Of: n, Walks: s.Walks})
	}})
	return p
}

// effortMost is the default of Options.Effort.
const effortMost = 20_000_000

// survive reports whether the run ends in a failure and not in a dead state. For such a run, to recover means to
// go on without a failure, and not to become live.
func (p *finder) survive() bool { return p.of.Failure != nil }

// find fills in the facts about the finding f. If known is set, f has its critical step, and find looks only
// for the nearest live run, unless a live walk shows that the step is wrong. If noLive is set, find does not
// look for a live run.
func (p *finder) find(f *search.Finding, known, noLive bool) error {
	switch dead := f.Verdict == trace.VerdictDead; {
	case !dead && !p.survive():
		return fmt.Errorf("the run no longer ends with the verdict %s; replay it to see how it ends", f.Verdict)
	case dead && p.survive():
		return fmt.Errorf("the run ends with the verdict %s instead of dead: %s", p.of.Failure.Verdict, p.of.Failure.Message)
	}
	if known {
		if moved, err := p.near(f, noLive); !moved || err != nil {
			return err
		}
	}
	before := *f
	f.Critical, f.Avoided, f.Live = nil, nil, nil
	for moved := true; moved; {
		res, err := p.Find()
		if errors.Is(err, decide.ErrStopped) && f.Critical == nil { // keep what was decided before, with less effort
			f.Critical, f.Avoided = before.Critical, before.Avoided
		}
		if err != nil {
			return err
		}
		f.Decided(res)
		if moved, err = p.near(f, noLive); err != nil {
			return err
		}
	}
	return nil
}

// near calls nearest, which looks for the nearest live run. If noLive is set, near does nothing and returns false.
func (p *finder) near(f *search.Finding, noLive bool) (moved bool, err error) {
	if noLive {
		return false, nil
	}
	return p.nearest(f)
}

// decided reports whether the critical step of a dead finding is known, exactly or with evidence.
func decided(f *search.Finding) bool {
	return f.Verdict == trace.VerdictDead && f.Critical != nil && (f.Critical.Exact || f.Evidence != nil && f.Evidence.From == f.Critical.Step)
}

// besides returns, as findings, the failures of other kinds that walks met.
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
