package search

import (
	"time"

	"macemc/choose"
	"macemc/internal/charts"
	"macemc/internal/decide"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/sim"
	"macemc/trace"
)

// State is the answer to a question about a system, and how thorough the search for it was.
type State string

// The states, from the strongest to the weakest.
const (
	StateFound           State = "found"            // it is violated
	StateExhausted       State = "exhausted"        // every state was visited
	StateExhaustedWithin State = "exhausted within" // every state inside System.Within was
	StateCut             State = "cut"              // every state was, but for what follows failures that are ignored
	StateBounded         State = "bounded"          // every state to a depth was
	StateSampled         State = "sampled"          // random walks only
	StateIncomplete      State = "incomplete"       // stopped before its bound
	StateNone            State = "none"             // there is nothing to decide, or nothing was tried
)

// Safety is the answer of a search about the safety properties.
type Safety struct {
	State  State
	Depth  int // all states to this depth were visited
	Faults int // if not 0, of these only the states of runs with at most this many faults were visited
}

// Liveness is the answer of a search about the liveness properties.
type Liveness struct {
	State     State
	Walks     int // random walks taken
	WalkSteps int // the steps of each
	Bottoms   int // further walks, from the last states of a space whose states were not kept
}

// Result is the result of a search.
type Result struct {
	System  *sim.System
	Params  sim.Params
	Options Options

	Finding   *Finding   // the first, or nil if nothing was found
	Findings  []*Finding // all: one for each verdict, property and critical event
	Undecided []Suspect  // runs that may be dead: the search stopped before that was decided, or Options.ExplainEffort was too little
	Alike     int        // further failed runs: those like a finding above, and those beyond the number that is examined
	Ignored   int        // runs that failed as Options.Ignore leaves out
	Safety    Safety
	Liveness  Liveness
	Stop      Stop
	Cut       Stop // the limit that ended the search early, whether or not it found anything; "" if none did
	Stats     Stats
	Measured  Measured

	Repeated Repeated // of a space that was exhausted

	Quarantined []int    // walks that were left out, since they ended every process that took them
	Left        int      // states that were neither judged nor expanded, since they ended every process that visited them
	LeftAt      []Prefix // the runs to the first of them

	Prefixes []Prefix // that were asked for; each ends in another steady state

	Never    []string         // what was possible and never happened, a sentence each; nil means not known
	Overflow int              // the capacity at which datagrams were lost without a budget of losses, or 0 if none was
	Slack    []string         // of these, what takes nothing from what was checked: constraints that excluded no state
	Charts   []charts.Counted // the state machines that ran, with how often each pair of state and event was exercised
	Held     []observe.Held   // where each liveness property was first seen to hold
	Space    *Space           // what the space is made of; nil means nobody asked
	Lines    *Lines           // which lines of the service ran; nil means nobody counted them
	Programs *Programs        // the search of a system with programs; nil for others

	lab *Lab // in which runs are looked into, or nil if it was not needed yet: see Open
}

// Programs has the counts of a search of a system with programs, and the draws of its finding. System is
// then a recording of the finding: its nodes repeat that run.
type Programs struct {
	Worlds   int      // runs
	Clocks   int      // how often the clock of a node may misbehave in a run
	Whole    int      // all runs that deviate so often or less were taken; -1 if not
	Exact    bool     // two processes took the run of the finding in the same way
	Critical string   // the first step of the finding after which other runs fail so, too, in words; "" if it was not looked for
	Turns    []string // the draws of that step that other runs do not share, in words
	Draws    int      // of the finding
	Deviate  int      // of these, those that are not as if nothing deviates,
	First    int      // and how many were not in the run as it was found
	Shrunk   int      // runs that made it smaller
	Script   int      // draws that chose faults and requests, and their times
	Deviates []string // the others that deviate, in words
	Drawn    error    // why the run has no graph; nil if it has one
}

// Lines counts the lines of the service's code that ran during a search.
type Lines struct {
	Code  int // lines that can run
	Ran   int // of these
	Never []Unran
}

// Unran is a stretch of code that never ran.
type Unran struct {
	File     string // from the root of the module
	From, To int    // its lines
	Func     string
	Called   bool // the function was, and did not come here
	Text     string
}

// Prefix is a run that ends in steady state, or in a state that was left out.
type Prefix struct {
	*choose.Path
	File string // where somebody wrote it; "" means nowhere
}

// Suspect is a run that may end dead. Its path is that of a dead run, so a replay decides
// about it.
type Suspect struct {
	*choose.Path
	File string // where somebody wrote it; "" means nowhere
}

// Verdict returns the finding's, or none.
func (r *Result) Verdict() trace.Verdict {
	if r.Finding == nil {
		return trace.VerdictNone
	}
	return r.Finding.Verdict
}

// Finding is something wrong with the service, with the path that shows it.
type Finding struct {
	trace.Failure
	Path     *choose.Path
	Tape     *choose.Path // of programs: the draws of the run, of which Path is a recording; nil otherwise
	Trace    *trace.Trace // the path's steps; nil where they could not be taken again
	Proved   bool         // dead: the run ends in a state without any event that is not live
	Critical *Critical    // where recovery became impossible; nil means not isolated
	Avoided  *Avoided     // not dead: how often walks avoid the failure, or nil if it is exact, or was not asked
	Deviates *Deviates    // not dead: the first step at which it does what no run does that keeps the promise, or nil if that was not asked
	Lasso    *Lasso       // hot: how the run goes on for ever
	Live     *Live        // the nearest live run, or nil if none was looked for, or found
	Found    *choose.Path // the run as it was found, where Path is a shorter one; else nil
	Evidence *Evidence    // dead: why we believe it
	Manner   string       // of the walk that met it, where walks are of several, or "" if no such walk did
	EndedAt  int          // steps and states after which looking into it ended before everything was tried, or 0
	Outcomes []Outcome    // nondeterminism: what the same step came to

	climate run.Climate // of the run
	whole   bool        // dead: it was found on the graph of a space that was exhausted
}

// Written returns the path that is kept of the finding.
func (f *Finding) Written() *choose.Path {
	if f.Tape != nil {
		return f.Tape
	}
	return f.Path
}

// The judgment of a run, and the reason to believe it, are types of package decide.
type (
	Critical = decide.Critical // the step after which it was too late
	Evidence = decide.Evidence // why a run is believed to be dead
	Avoided  = decide.Avoided  // how often walks go on without the failure
	Deviates = decide.Deviates // the first step that no run takes that keeps the promise
)

// Live is the live run that is nearest to a dead one: it leaves the dead run at the last state from
// which recovery was possible. For a violation of safety, it is a run that goes on without one; for a
// run that stays hot, it is one that becomes cold.
type Live struct {
	Path  *choose.Path
	Trace *trace.Trace
	From  int // the number of steps that it shares with the dead run
}

// Outcome is one of several outcomes of a step with the same answers, and how often it was seen.
type Outcome struct {
	Told  string
	Times int
}

// Measured has the measurements of a search, which differ each time it is repeated.
type Measured struct {
	Elapsed time.Duration
	Looked  time.Duration // the part of Elapsed that the analysis of the findings took; the steps of that are not in Stats
	CPU     time.Duration // processor time of the process meanwhile, whatever else it did; 0 means not known
	Memory  uint64        // the largest number of bytes that the process was seen to use
	Slow    string        // why states are hashed and copied more slowly than they could be, or "" if they are not
}

// Look adds the time that the analysis of the findings took.
func (m *Measured) Look(elapsed, cpu time.Duration) {
	m.Looked = elapsed
	m.Elapsed += elapsed
	m.CPU += cpu
}

// Repeated counts the steps of an exhausted space that were taken again, as a check.
type Repeated struct {
	Steps int // different ones, or 0 if the space is too large for it
	Times int // each, beside the first
}

// Escape returns the probability that a step escaped which depends on a coin of one half.
func (r Repeated) Escape() float64 {
	escape := 1.0
	for range r.Times {
		escape /= 2
	}
	return escape
}
