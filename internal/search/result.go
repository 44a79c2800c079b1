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

// State is the answer to a question about a system, which includes how thorough the search for it
// was.
type State string

// The states, from the strongest to the weakest.
const (
	StateFound           State = "found"            // a failure was found
	StateExhausted       State = "exhausted"        // every state was visited
	StateExhaustedWithin State = "exhausted within" // every state inside System.Within was visited
	StateCut             State = "cut"              // every state was visited, except those after failures that are ignored
	StateBounded         State = "bounded"          // every state up to a depth was visited
	StateSampled         State = "sampled"          // only random walks were taken
	StateIncomplete      State = "incomplete"       // the search stopped before its bound
	StateNone            State = "none"             // there is nothing to decide, or nothing was tried
)

// Safety is the answer of a search about the safety properties.
type Safety struct {
	State  State
	Depth  int // all states to this depth were visited
	Faults int // if not 0, only the states of runs with at most this many faults were visited
}

// Liveness is the answer of a search about the liveness properties.
type Liveness struct {
	State     State
	Walks     int // random walks that were taken
	WalkSteps int // the steps of each
	Bottoms   int // further walks, from the states that were found last; taken if all states were visited but only their fingerprints were kept
}

// Result is the result of a search.
type Result struct {
	System  *sim.System
	Params  sim.Params
	Options Options

	Finding   *Finding   // the first, or nil if nothing was found
	Findings  []*Finding // all findings, one for each verdict, property and critical event
	Undecided []Suspect  // runs that may be dead; the search stopped before it decided about them, or Options.ExplainEffort was too small
	Alike     int        // further failed runs, which are like a finding or were not examined, since there were too many
	Ignored   int        // failures that Options.Ignore leaves out
	Safety    Safety
	Liveness  Liveness
	Stop      Stop
	Cut       Stop // the limit that ended the search early, whether or not it found anything; "" if none did
	Stats     Stats
	Measured  Measured

	Repeated Repeated // the repetition of the steps of an exhausted space

	Quarantined []int    // walks that were left out, since they ended every process that took them
	Left        int      // states that were neither judged nor expanded, since they ended every process that visited them
	LeftAt      []Prefix // the runs to the first of these states

	Prefixes []Prefix // the prefixes that were asked for, each ending in another steady state

	Never    []string         // sentences about events that were possible and never happened; nil means not known
	Overflow int              // the capacity of a channel that lost datagrams although no loss is among the faults, or 0 if none did
	Slack    []string         // those sentences of Never that do not make the search less thorough: constraints that excluded no state
	Charts   []charts.Counted // the state machines that ran, with the number of times that each event was taken in each state
	Held     []observe.Held   // where each liveness property first held
	Space    *Space           // in which parts the states differ; nil if that was not asked for
	Lines    *Lines           // which lines of the service ran; nil if they were not counted
	Programs *Programs        // for a system with programs: more about the search; nil for other systems

	lab *Lab // the lab that examines runs, or nil if none was needed yet: see Open
}

// Programs describes the search of a system with programs, and the draws of its finding. If there is a
// finding, Result.System is a system whose nodes repeat a recording of that run, so that it can be
// replayed.
type Programs struct {
	Worlds   int      // number of runs
	Clocks   int      // the number of times that a node's clock may misbehave in a run
	Whole    int      // all runs with at most this many deviations were taken; -1 if not even those with none were
	Exact    bool     // two processes took the finding's run in the same way
	Critical string   // describes the first step of the finding after which all runs that go on at random fail in the same way; "" if it was not looked for
	Turns    []string // describe the draws of that step that deviate, without those that chose a fault or a request
	Draws    int      // number of draws of the finding
	Deviate  int      // number of these draws that deviate
	First    int      // number of deviating draws in the run as it was first found
	Shrunk   int      // number of runs taken to shrink the finding
	Script   int      // number of deviating draws that chose faults and requests, and their times
	Deviates []string // describe the deviating draws that Script does not count
	Drawn    error    // the reason why the run has no graph; nil if it has one
}

// Lines counts the lines of the service's code, and those that ran during a search.
type Lines struct {
	Code  int // lines that can run
	Ran   int // lines that ran
	Never []Unran
}

// Unran is a range of lines that never ran.
type Unran struct {
	File     string // relative to the root of the module
	From, To int    // the first and the last line
	Func     string
	Called   bool // the function was called, but did not reach these lines
	Text     string
}

// Prefix is a recorded run at whose end further searches can begin. It ends in a steady state
// (the service was live for a while), or in a state that the search did not visit because it ends
// processes.
type Prefix struct {
	*choose.Path
	File string // the file to which it was written, or "" if it was not
}

// Suspect is a run that may end dead. Its path is in the form of a dead run's, so a replay decides
// about it.
type Suspect struct {
	*choose.Path
	File string // the file to which it was written, or "" if it was not
}

// Verdict returns the first finding's verdict, or VerdictNone if there is none.
func (r *Result) Verdict() trace.Verdict {
	if r.Finding == nil {
		return trace.VerdictNone
	}
	return r.Finding.Verdict
}

// Replace puts another form of a finding, such as a shorter run, in the place of finding i.
func (r *Result) Replace(i int, f *Finding) {
	r.Findings[i] = f
	r.Finding = r.Findings[0]
}

// Add adds a finding, unless one with the same verdict and property is there.
func (r *Result) Add(other *Finding) {
	for _, f := range r.Findings {
		if f.Verdict == other.Verdict && f.Property == other.Property {
			return
		}
	}
	r.Findings = append(r.Findings, other)
	r.Finding = r.Findings[0]
}

// Finding is a failure of the service, with the path that shows it.
type Finding struct {
	trace.Failure
	Path     *choose.Path
	Tape     *choose.Path // for programs: the draws of the run, of which Path is a recording; otherwise nil
	Trace    *trace.Trace // the path's steps; nil if they could not be taken again
	Proved   bool         // for dead: proved, since the run ends in a state that is not live and has no events
	Critical *Critical    // the step that made recovery impossible; nil means not located
	Avoided  *Avoided     // except for dead: how often walks avoid the failure; nil if the critical step is exact, or if no walks were taken
	Deviates *Deviates    // except for dead: the first step that no run takes that keeps the promise; nil if not looked for
	Lasso    *Lasso       // for hot: which steps the run repeats for ever
	Live     *Live        // the nearest run that recovers, or nil if none was found or looked for
	Found    *choose.Path // the run as it was first found, if Path is a shorter one; otherwise nil
	Evidence *Evidence    // for dead: the reason to believe it
	Manner   string       // the manner of the walk that met it, or "" if no walk of a portfolio did
	EndedAt  int          // if not 0, analyzing it ended too early, after this number of steps and states
	Outcomes []Outcome    // for nondeterminism: the outcomes of the same step

	climate run.Climate // of the run
	whole   bool        // it was found on the graph of a space that was exhausted
}

// Written returns the path that is saved for the finding: Tape if there is one, otherwise Path.
func (f *Finding) Written() *choose.Path {
	if f.Tape != nil {
		return f.Tape
	}
	return f.Path
}

// These types, about when and why a run is dead, belong to package decide.
type (
	Critical = decide.Critical // the step after which it was too late
	Evidence = decide.Evidence // the reason to believe that a run is dead
	Avoided  = decide.Avoided  // how often walks go on without the failure
	Deviates = decide.Deviates // the first step that no run takes which keeps the property
)

// Live is the nearest run that recovers: it leaves the dead run at the last state from which
// recovery was possible. If the finding violates safety, Live goes on without a violation; if its
// run stays hot, Live becomes cold.
type Live struct {
	Path  *choose.Path
	Trace *trace.Trace
	From  int // the number of steps that it shares with the failed run
}

// Outcome is one of several outcomes that a step had with the same answers, and how often it was
// seen.
type Outcome struct {
	Told  string // describes the outcome: its effects, and a value of the state after it, where outcomes differ
	Times int    // how often it was seen
}

// Measured holds measurements of a search, which differ from one run of the search to the next.
type Measured struct {
	Elapsed time.Duration
	Looked  time.Duration // the part of Elapsed in which findings were analyzed; Stats does not count the steps of the analysis
	CPU     time.Duration // processor time of the process during the search, for whatever purpose; 0 means not known
	Memory  uint64        // the largest number of bytes that the process was seen to use
	Slow    string        // why states are hashed and copied more slowly than they could be, or "" if they are not
}

// Look adds the time that the analysis of findings took.
func (m *Measured) Look(elapsed, cpu time.Duration) {
	m.Looked = elapsed
	m.Elapsed += elapsed
	m.CPU += cpu
}

// Repeated counts how often the steps of an exhausted space were repeated as a check.
type Repeated struct {
	Steps int // different steps that were repeated, or 0 if the space is too large for that
	Times int // repetitions of each step, without the first execution
}

// Escape returns the probability that repeating a step does not show that it is nondeterministic, if
// its result depends on a fair coin that the search does not control: the coin has then fallen the
// same way each time.
func (r Repeated) Escape() float64 {
	escape := 1.0
	for range r.Times {
		escape /= 2
	}
	return escape
}
