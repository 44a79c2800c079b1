package trace

import (
	"fmt"
	"strings"

	"macemc/internal/sight"
	"macemc/sim"
)

// Verdict is the kind of failure with which a run ended.
type Verdict uint8

// The verdicts. A search decides VerdictDead, VerdictHot and VerdictNondeterminism; running a system
// yields the others.
const (
	VerdictNone Verdict = iota
	VerdictSafety
	VerdictDead
	VerdictDivergence
	VerdictPanic
	VerdictMutation
	VerdictGoroutine
	VerdictNondeterminism
	VerdictKilled
	VerdictUnhandled
	VerdictHot
)

var verdictNames = [...]string{
	VerdictNone: "none", VerdictSafety: "safety", VerdictDead: "dead", VerdictDivergence: "divergence",
	VerdictPanic: "panic", VerdictMutation: "mutation", VerdictGoroutine: "goroutine",
	VerdictNondeterminism: "nondeterminism", VerdictKilled: "killed", VerdictUnhandled: "unhandled", VerdictHot: "hot",
}

func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict %d", uint8(v))
	}
	return verdictNames[v]
}

// ParseVerdict returns the verdict whose String is s.
func ParseVerdict(s string) (Verdict, bool) {
	for v, name := range verdictNames {
		if name == s {
			return Verdict(v), true
		}
	}
	return 0, false
}

// Failure describes a failure of the service in a run.
type Failure struct {
	Verdict  Verdict
	Property string   // the property that failed, or ""
	Failing  []string // for VerdictDead: the liveness properties that do not hold; Property has them joined
	Node     sim.Addr // the node whose handler ran, if one ran
	Identity string   // the identity of the event that the handler took
	Step     int      // the number of the step; 0 for the start
	Repeats  int      // for VerdictHot: the run repeats the steps after this one; equal to Step if nothing needs to happen any more
	Message  string   // a description of the failure, with values
	Declined string   // for VerdictDead: the messages and requests that their nodes decline; also part of Message
	Stack    string   // the stack of the service where it panicked or started a goroutine
}

// AddMessage appends the clause what to the message.
func (f *Failure) AddMessage(what string) {
	if f.Message != "" {
		what = f.Message + "; " + what
	}
	f.Message = what
}

// Unlisted reports whether the node's Handlers do not list the type of the event. Such a
// node fails whenever the event occurs, whatever its state.
func (f *Failure) Unlisted() bool {
	return f.Verdict == VerdictUnhandled && strings.Contains(f.Message, sight.Unlisted)
}
