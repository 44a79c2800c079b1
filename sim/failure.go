package sim

import "fmt"

// Verdict is what kind of finding a run ended in.
type Verdict uint8

// The verdicts. Dead and Nondeterminism are passed by search; a World itself
// gives the others.
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
)

var verdictNames = [...]string{
	VerdictNone: "none", VerdictSafety: "safety", VerdictDead: "dead", VerdictDivergence: "divergence",
	VerdictPanic: "panic", VerdictMutation: "mutation", VerdictGoroutine: "goroutine",
	VerdictNondeterminism: "nondeterminism", VerdictKilled: "killed", VerdictUnhandled: "unhandled",
}

func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict %d", uint8(v))
	}
	return verdictNames[v]
}

// ParseVerdict is the inverse of String.
func ParseVerdict(s string) (Verdict, bool) {
	for v, name := range verdictNames {
		if name == s {
			return Verdict(v), true
		}
	}
	return 0, false
}

// Failure is what a run found wrong with the service.
type Failure struct {
	Verdict  Verdict
	Property string   // the property that failed, where one did
	Failing  []string // dead: the liveness properties that do not hold; Property has them joined
	Node     Addr     // where the handler ran, where one did
	Identity string   // the event that it handled
	Step     int      // 0: the start
	Message  string   // what was wrong, with values
	Declined string   // dead: what is under way and declined, and openings that are; a part of Message
	Stack    string   // the service's stack, where it panicked or started a goroutine
}

// AddMessage adds a clause to the message.
func (f *Failure) AddMessage(what string) {
	if f.Message != "" {
		what = f.Message + "; " + what
	}
	f.Message = what
}
