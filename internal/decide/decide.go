package decide

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"macemc/sim"
	"macemc/trace"
)

// Critical is the critical step of a run. For a dead run, it is the last step before which the run could
// recover, and after which it could not. For a violation of safety, it is the step after which the violation
// could no longer be avoided or, if that is not known exactly, the step after which clearly fewer walks avoid
// it.
type Critical struct {
	Step    int // counted from 1; 0 means that the run was dead from the start
	Event   string
	Exact   bool     // the step was decided by visiting all states that can follow, not by walks
	Doubt   string   // the reason why the step may be wrong; "" means that nothing speaks against it
	Witness *Witness // the walk that proves that the state before could recover; nil if the step is exact, or that state is live itself
}

// Exactly ends the text of a critical step in the header of a path if the step was decided exactly.
const Exactly = " exact"

// Header returns the critical step as text for the header of a path.
func (c *Critical) Header() string {
	if c.Exact {
		return fmt.Sprint(c.Step) + Exactly
	}
	return fmt.Sprint(c.Step)
}

// Witness names a walk that became live: its number, and how many steps it took until then.
type Witness struct{ Walk, Steps int }

// Evidence is the reason to believe that a run is dead: fresh walks were taken from one of its states, and
// none of them became live.
type Evidence struct {
	Walks     int
	WalkSteps int     // the length of the shortest walks
	Longest   int     // the length of the longest walks
	Escape95  float64 // the chance that a walk of WalkSteps steps becomes live is below this, with 95 % confidence
	From      int     // the number of steps of the run that lead to that state
}

// NewEvidence returns the evidence of these rounds of walks, none of which became live, from the state after
// a number of steps.
func NewEvidence(rounds []Round, from int) *Evidence {
	e := &Evidence{WalkSteps: rounds[0].Steps, From: from}
	for _, r := range rounds {
		e.Walks, e.Longest = e.Walks+r.Walks, r.Steps
	}
	e.Escape95 = 1 - math.Pow(0.05, 1/float64(e.Walks))
	return e
}

// Avoided counts the fresh walks that went on without the failure of a run, from the states before and after
// the step at which the share of such walks falls most.
type Avoided struct {
	Step             int // 0 if no step was chosen, since no walk from any state went on; then Before counts walks from the start
	Event            string
	Walks, WalkSteps int     // the number of walks from each of the two states, and their length
	Before, After    int     // the numbers of these walks that went on
	Chance           float64 // the probability of such a difference, or a larger one, if the step has no influence
	Clear            bool    // the difference is large and unlikely by chance: the step is critical
}

// Dead returns the failure of a run that ends dead after a number of steps. names has the liveness properties
// that do not hold there, and explanations says why.
func Dead(step int, names, explanations []string) *trace.Failure {
	return &trace.Failure{
		Verdict: trace.VerdictDead, Step: step, Property: strings.Join(names, ", "), Failing: names, Message: strings.Join(explanations, "; "),
	}
}

// Run describes a run to decide about.
type Run struct {
	Events []string // the event of each step
	// Wild says for each step whether it might be impossible if the environment had healed before, as a fault is.
	Wild []bool
	// Live says for each state of the run, including the one before the first step, whether all liveness properties
	// hold.
	Live   []bool
	Faults bool // faults may happen in it, before it heals
	Counts bool // the end of the run is a state in which liveness properties are judged
	Failed bool // the run ends in a failure of the service, so the question is whether it could be avoided
}

func (r *Run) Steps() int { return len(r.Events) }

// event returns the event of a step, counted from 1, or "" for step 0.
func (r *Run) event(step int) string {
	if step == 0 {
		return ""
	}
	return r.Events[step-1]
}

// Lab answers questions about the states of a run, by taking walks or by visiting states.
type Lab interface {
	// Walk takes walks from a state.
	Walk(q Walks) (*Walked, error)
	// Settle decides exactly which states of the run, beginning with number from, can recover, or can go on without
	// a failure of the service. most is the largest number of states to visit. last is the last state that can, or
	// from-1 if none can.
	Settle(from, most int) (last int, decided bool, err error)
	// Did takes walks from a state, and counts for each step of the run how many of them took the same step.
	Did(q Walks) (*Did, error)
	// Without compares the run with the run in which the known bugs that are switched on are switched off. It returns
	// the first step that differs, or 0 if the runs begin differently, and these bugs. If bugs is empty, the
	// runs do not differ, or no bugs are on.
	Without() (step int, bugs []sim.BugID, err error)
	// Stopped reports whether the work should stop.
	Stopped() bool
	// Effort returns the cost of all answers so far, in steps and states.
	Effort() int
}

// ErrStopped reports that the Finder was stopped before it had decided.
var ErrStopped = errors.New("stopped before it was decided")

// ErrAlive reports that the end of a run is not dead: it can recover.
var ErrAlive = errors.New("the end of the run can recover")

// Manner is the way in which a walk picks its events.
type Manner uint8

// The manners. All but Plain are there to find narrow escapes: recoveries that few orders of events lead to. How
// often they find one says nothing about the chance that a plain walk does.
const (
	Plain    Manner = iota // like the walks of the search
	Holding                // one event waits for a while, a different one in each walk
	Other                  // all events are equally likely or, if they are so in plain walks, likely by their weights
	OneClock               // the timers of all nodes but one wait for as long as anything else can happen
	manners
)

// Walks asks for walks from a state of a run. If the environment has not healed in that state, it heals
// first.
type Walks struct {
	From   int    // the number of steps of the run that lead to the state
	Count  int    // the number of walks
	Steps  int    // the largest number of steps of a walk
	Salt   uint16 // walks with different salts are independent
	All    bool   // take all walks, instead of stopping at the first that succeeds
	Manner Manner

	// Survive makes a walk succeed if it takes all of its steps without a failure of the service, instead of
	// if it becomes live.
	Survive bool

	// Exempt makes a walk succeed, too, if it comes to a state that does not count for liveness: the state
	// from which it began is then not dead.
	Exempt bool

	// Spells makes all walks take all of their steps, to measure the longest spell without a live state after
	// which a walk was live again. Then no walk succeeds.
	Spells bool

	// Storm is a number of first steps in which faults are as likely as other events, and after which the
	// environment heals. The run must allow faults, and must not have healed yet.
	Storm int
}

// Walked is the result of Lab.Walk: what became of the walks that were asked for.
type Walked struct {
	Taken   int // the number of walks that count
	Success []Success
	Spell   int      // with Walks.Spells, the longest spell without a live state, in steps
	Failed  []Failed // the walks in which the service failed
}

// A Success is a walk that succeeded: it became live or, with Walks.Survive, went on without a failure.
type Success struct {
	Number  int
	Steps   int // the steps of the walk, without those of a storm and the healing after it
	Choices int // the number of answers among several alternatives in these steps
	Shared  int // how many steps at its beginning are the run's own

	Walk any // the lab's own value with which the walk can be repeated, or nil if it cannot
}

// Recordable reports whether the lab can repeat the walk.
func (s Success) Recordable() bool { return s.Walk != nil }

// Failed is a walk in which the service failed.
type Failed struct {
	Number  int
	Failure *trace.Failure

	Walk any // the lab's own value with which the walk can be repeated
}

// Met is a failure other than that of the run, which a walk met. From is the number of steps to the state of
// the run from which the walk began.
type Met struct {
	From int
	Failed
}

// Kind returns a text that is the same for failures of one kind.
func (m Met) Kind() string {
	kind := m.Failure.Verdict.String() + " " + m.Failure.Property
	if m.Failure.Property == "" {
		kind += " " + m.Failure.Message
	}
	return kind
}
