package search

import (
	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Options bound a search. The zero value is the default search.
type Options struct {
	Params sim.Params // the number of nodes, the parameters and the known bugs; the zero value means the defaults of the system
	sim.Conditions

	// Ignore lists failures that the search does not report, so that a known bug does not hide
	// others. Each has one of these forms:
	//
	//	property=NAME    do not check the property
	//	verdict=panic    all failures of that kind: panic, safety, dead and so on
	//	place=FILE:LINE  failures with this line of code at the top of the stack
	//	cause=EVENT      failures of that event; for a dead run, the event of its critical step
	//	because=TEXT     failures whose message has this text; * stands for any text
	Ignore []string

	Depth  int // the depth of the exhaustive phase, which is the largest number of steps of a run; 0 means as deep as Effort allows
	Effort int // the number of transitions that the exhaustive phase may execute if Depth is 0; 0 means 300,000
	Memory int // the number of bytes that the process may use; more than that ends the exhaustive phase; 0 means 4 GiB

	// Whole visits all states. Without it, the exhaustive phase leaves out steps and states
	// whose results follow from others, if that is sound and pays.
	Whole bool

	NoWalks       bool
	Walks         int // the number of random walks from the start; 0 means 10,000
	WalkSteps     int // the number of steps after which a walk that is not live is suspected to be dead; 0 means 10,000
	EvidenceWalks int // the least number of new walks on which a verdict of dead rests; 0 means 60

	Findings int    // the number of findings to look for, each of another kind; 0 means 1
	Seed     uint64 // the seed of the walks; 0 means 1
	Workers  int    // the number of goroutines that search; 0 means the number of processors

	Stop func() bool // called now and then; returns true to end the search; nil means that the search goes on to its bounds
}

// Search searches a system. It returns an error if the system or the options are wrong.
func Search(sys *sim.System, o Options) (*Result, error) {
	opts := search.Options{
		Params: o.Params, Conditions: o.Conditions, Depth: o.Depth, Effort: o.Effort, Memory: o.Memory,
		NoWalks: o.NoWalks, Walks: o.Walks, WalkSteps: o.WalkSteps, EvidenceWalks: o.EvidenceWalks,
		Findings: o.Findings, Seed: o.Seed, Workers: o.Workers,
	}
	if o.Whole {
		opts.Reduce, opts.Symmetry = search.ReduceNone, search.ReduceNone
	}
	for _, text := range o.Ignore {
		ignore, err := search.ParseIgnore(text)
		if err != nil {
			return nil, err
		}
		opts.Ignore = append(opts.Ignore, ignore)
	}
	if o.Stop != nil {
		opts.Stop = func() search.Stop {
			if o.Stop() {
				return search.StopInterrupted
			}
			return ""
		}
	}
	r, err := search.Search(sys, opts)
	if err != nil {
		return nil, err
	}
	return resultOf(r), nil
}

// Replay takes a recorded path again, with every check on, and returns its finding. The
// verdict is none if the service did not fail. It returns an error if the run cannot follow
// the path: it belongs to another system, or the code has changed.
func Replay(sys *sim.System, path *choose.Path) (*Finding, error) {
	r, err := search.Replay(sys, path, search.Options{})
	if err != nil {
		return nil, err
	}
	return findingOf(r.Finding), nil
}

// Result is the result of a search.
type Result struct {
	Finding  *Finding   // the first finding, or nil if nothing was found
	Findings []*Finding // all findings, one for each verdict, property and critical event
	Ignored  int        // the number of failures that Options.Ignore leaves out
	Safety   Safety
	Liveness Liveness
	Stop     string // why the search stopped: found, done, depth, paths, memory or interrupted
	Stats    Stats
	Never    []string // sentences about events that were possible and never happened
}

// Verdict returns the verdict of the first finding, or none.
func (r *Result) Verdict() trace.Verdict {
	if r.Finding == nil {
		return trace.VerdictNone
	}
	return r.Finding.Verdict
}

// Finding is a failure of the service, with the run that shows it.
type Finding struct {
	trace.Failure
	Path     *choose.Path
	Trace    *trace.Trace // the steps of the path; nil if they could not be taken again
	Critical int          // for a dead run: the step after which it could not recover, 0 for the start; -1 if it was not located
}

// State is the answer to a question about a system, such as whether its safety properties hold. If
// no failure was found, it says how thorough the search for one was.
type State string

// The states, from the strongest to the weakest.
const (
	StateFound           = State(search.StateFound)           // a failure was found
	StateExhausted       = State(search.StateExhausted)       // every state was visited
	StateExhaustedWithin = State(search.StateExhaustedWithin) // every state inside System.Within was visited
	StateCut             = State(search.StateCut)             // every state was visited, except those after failures that are ignored
	StateBounded         = State(search.StateBounded)         // every state up to a depth was visited
	StateSampled         = State(search.StateSampled)         // only random walks were taken
	StateIncomplete      = State(search.StateIncomplete)      // the search stopped before its bound
	StateNone            = State(search.StateNone)            // there is nothing to decide, or nothing was tried
)

// Safety is the answer about the safety properties.
type Safety struct {
	State State
	Depth int // all states that can be reached in this number of steps were visited
}

// Liveness is the answer about the liveness properties.
type Liveness struct {
	State State
	Walks int // the number of random walks that were taken
}

// Stats counts what a search did. The counts are the same for the same options.
type Stats struct {
	Engine      string // how the exhaustive phase took its steps: memo, local, or, if nodes cannot be copied, reference
	States      int    // the number of different states that the exhaustive phase visited
	Transitions int    // the number of steps that are possible in these states
	Executed    int    // the number of transitions that were taken or looked up; engine reference counts one each time
	Walks       int    // the number of random walks
	Steps       int    // the number of all steps that were taken, including repeated ones
}

func resultOf(r *search.Result) *Result {
	res := &Result{
		Ignored:  r.Ignored,
		Safety:   Safety{State(r.Safety.State), r.Safety.Depth},
		Liveness: Liveness{State(r.Liveness.State), r.Liveness.Walks},
		Stop:     string(r.Stop),
		Stats:    Stats{r.Stats.Engine, r.Stats.States, r.Stats.Transitions, r.Stats.Executed, r.Stats.Walks, r.Stats.Steps},
		Never:    r.Never,
	}
	for _, f := range r.Findings {
		res.Findings = append(res.Findings, findingOf(f))
	}
	if len(res.Findings) > 0 {
		res.Finding = res.Findings[0]
	}
	return res
}

func findingOf(f *search.Finding) *Finding {
	of := &Finding{Failure: f.Failure, Path: f.Path, Trace: f.Trace, Critical: -1}
	if f.Critical != nil {
		of.Critical = f.Critical.Step
	}
	return of
}
