package critical

import (
	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Options limit the work of Explain, and say what Explain does. The zero value is the default.
type Options struct {
	Effort int         // the largest number of steps taken in runs, plus states visited to decide exactly; 0 means 20 million
	Whole  bool        // the run is not made shorter
	Stop   func() bool // called now and then; returns true to end the work
}

// Result says how a run fails, which step made that inevitable, and how the run could have gone on instead.
type Result struct {
	trace.Failure              // how the run fails; the verdict is none if it does not
	Path          *choose.Path // the run, or a shorter one that fails in the same way

	Step  int    // the number of the critical step of Path; 0 if Path was dead from its start; -1 if there is none, or it was not found
	Event string // the event of that step
	Exact bool   // the step was determined by visiting all states that can follow, and not by random walks
	Doubt string // the reason why another step may be the critical one, or ""

	Live  *choose.Path // the nearest run that recovers, or goes on without the failure; nil if none was found
	From  int          // the number of steps that Live shares with Path
	Alive bool         // the end of the run can recover: it is not dead

	Stopped bool // the work ended before everything was decided
}

// Explain takes a recorded path again, and explains how it fails. It returns an error if
// the run cannot follow the path: it is of another system, or the code has changed.
func Explain(sys *sim.System, path *choose.Path, o Options) (*Result, error) {
	again, err := search.Replay(sys, path, search.Options{})
	if err != nil {
		return nil, err
	}
	if again.Finding.Verdict == trace.VerdictNone {
		return &Result{Path: path, Step: -1}, nil
	}
	opts := critical.Options{Effort: o.Effort}
	if o.Stop != nil {
		opts.Search.Stop = func() search.Stop {
			if o.Stop() {
				return search.StopInterrupted
			}
			return ""
		}
	}
	c, err := critical.Explain(sys, again.Finding, opts, !o.Whole)
	if err != nil {
		return nil, err
	}
	f := c.Finding
	r := &Result{Failure: f.Failure, Path: f.Path, Step: -1, Alive: c.Alive, Stopped: c.Stopped}
	if f.Critical != nil {
		r.Step, r.Event, r.Exact, r.Doubt = f.Critical.Step, f.Critical.Event, f.Critical.Exact, f.Critical.Doubt
	}
	if f.Live != nil {
		r.Live, r.From = f.Live.Path, f.Live.From
	}
	return r, nil
}
