package decide

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"macemc/sim"
	"macemc/trace"
)

// Critical is the last step before which the run could recover, and after which it could
// not. For a violation of safety, it is the step after which the violation could no longer
// be avoided, or, if that is not known exactly, the step after which clearly fewer walks
// avoid it.
type Critical struct {
	Step    int // 0 means dead from the start
	Event   string
	Exact   bool     // decided by exhausting what can happen, not sampled
	Doubt   string   // why it may be wrong: it is inconclusive; "" means nothing speaks against it
	Witness *Witness // of walks: the one that proves that the state before could recover, or nil if it is exact, or live itself
}

// Exactly follows a critical step in a path's header that was decided exactly.
const Exactly = " exact"

// Header returns the text of it in the header of a path.
func (c *Critical) Header() string {
	if c.Exact {
		return fmt.Sprint(c.Step) + Exactly
	}
	return fmt.Sprint(c.Step)
}

// Witness is a walk that became live: its number, and how many steps it took.
type Witness struct{ Walk, Steps int }

// Evidence is why a run is believed to be dead: fresh walks from one of its states, of
// which none became live.
type Evidence struct {
	Walks     int
	WalkSteps int     // the length of the shortest of them
	Longest   int     // and of the longest
	Escape95  float64 // the chance that a walk of WalkSteps steps becomes live is below this, with 95 % confidence
	From      int     // the number of steps that lead to the state
	Seed      uint64
}

// NewEvidence returns the evidence of the rounds of a test in which no walk became live.
func NewEvidence(rounds []Round, from int, seed uint64) *Evidence {
	e := &Evidence{WalkSteps: rounds[0].Steps, From: from, Seed: seed}
	for _, r := range rounds {
		e.Walks, e.Longest = e.Walks+r.Walks, r.Steps
	}
	e.Escape95 = 1 - math.Pow(0.05, 1/float64(e.Walks))
	return e
}

// Avoided counts the fresh walks that went on without the failure of a run: walks from the states before
// and after the step at which the share of such walks falls most.
type Avoided struct {
	Step             int // 0 if all walks failed that should choose a step; then Before counts walks from the start
	Event            string
	Walks, WalkSteps int     // the number of walks from each of the two states, and their length
	Before, After    int     // of the walks, those that went on
	Chance           float64 // that the shares differ so much, or more, if the step matters nothing
	Clear            bool    // that is unlikely, and they differ by enough: the step is critical
	Seed             uint64
}

// Dead returns the failure of a run that ends at that step in a state in which these
// liveness properties do not hold.
func Dead(step int, names, explanations []string) *trace.Failure {
	return &trace.Failure{
		Verdict: trace.VerdictDead, Step: step, Property: strings.Join(names, ", "), Failing: names, Message: strings.Join(explanations, "; "),
	}
}

// Run describes the run to decide about.
type Run struct {
	Events []string // of each step
	// Wild says of each step whether it might not happen if the environment had healed
	// before.
	Wild []bool
	// Live says of each state, including that before the first step, whether all liveness
	// properties hold.
	Live   []bool
	Faults bool // faults may happen in it, before it heals
	Counts bool // the end of the run counts for liveness
	Failed bool // the run ends in a failure of the service; then the question is whether that could be avoided
}

// Steps returns how many steps the run has.
func (r *Run) Steps() int { return len(r.Events) }

// Lab answers questions about the states of a run.
type Lab interface {
	// Walk takes walks from a state.
	Walk(q Walks) (*Walked, error)
	// Settle decides exactly which states of the run, from one on, can recover, or can
	// continue without a failure of the service, by visiting at most that many states. last
	// is the last one that can, or from-1 if none can.
	Settle(from, most int) (last int, decided bool, err error)
	// Did takes walks from a state, and says in how many of them the steps of the
	// run were taken, too.
	Did(q Walks) (*Did, error)
	// Without returns the step at which the run differs from the one with these known bugs
	// switched off; 0 means that they begin differently. If bugs is empty, they do not
	// differ, or there are no bugs.
	Without() (step int, bugs []sim.BugID, err error)
	// Stopped reports whether there is to be a stop.
	Stopped() bool
	// Effort is what the answers have cost, in steps and in states.
	Effort() int
}

// ErrStopped says that there was a stop.
var ErrStopped = errors.New("stopped before it was decided")

// ErrAlive says that the end of a run is not dead.
var ErrAlive = errors.New("the end of the run can recover")

// Manner is the way in which a walk picks its events.
type Manner uint8

// The manners. Those but the first are there to meet narrow escapes; how often
// they do says nothing of the chance of a walk of the first.
const (
	Plain    Manner = iota // as the search does
	Holding                // one event waits for a while, in each walk another
	Other                  // among all events alike; or by weight, where the plain ones do not
	OneClock               // the timers of all nodes but one wait for as long as anything else can happen
	manners
)

// Walks asks for walks from a state of a run, from which the environment heals
// first, if it has not yet.
type Walks struct {
	From   int    // the state after that many steps of the run
	Count  int    // how many
	Steps  int    // to how many steps each
	Salt   uint16 // walks of another salt are other walks
	All    bool   // all of them, not only up to the first that succeeds
	Manner Manner

	// Survive asks for walks that take all their steps without a failure of
	// the service, instead of such as become live.
	Survive bool

	// Exempt has a walk succeed, too, that comes to a state which does not
	// count for liveness: what it begins at is then not dead.
	Exempt bool

	// Spells has all walks take all their steps, and the longest spell noted after
	// which one of them was live again. Then none of them succeeds.
	Spells bool

	// Storm makes that many steps come first in which faults are as likely as other events;
	// then the environment heals. The run must allow faults, and must not have healed yet.
	Storm int
}

// Walked is the result of walks.
type Walked struct {
	Taken   int // those that count
	Success []Success
	Spell   int      // steps of the longest spell without a live state, if Walks.Spells
	Failed  []Failed // walks in which the service failed, where that is no success
}

// A Success is a walk that became live, or survived.
type Success struct {
	Number  int
	Steps   int // of the walk, without a storm and the healing after it
	Choices int // answers among several, in these steps
	Shared  int // how many steps at its beginning are the run's own

	Walk any // the lab's own: what it takes to take it again, or nil if that cannot be done
}

// Recordable reports whether the walk can be taken again.
func (s Success) Recordable() bool { return s.Walk != nil }

// Failed is a walk that met a failure of the service.
type Failed struct {
	Number  int
	Failure *trace.Failure

	Walk any // the lab's own
}

// Met is another failure that a walk met, and the state of the run from which the walk began.
type Met struct {
	From int
	Failed
}

// Kind returns a key that is equal for failures of the same kind.
func (m Met) Kind() string {
	kind := m.Failure.Verdict.String() + " " + m.Failure.Property
	if m.Failure.Property == "" {
		kind += " " + m.Failure.Message
	}
	return kind
}
