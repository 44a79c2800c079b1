package sight

import (
	"fmt"
	"reflect"

	"macemc/internal/guard"
)

// RuleKind says what a rule is about.
type RuleKind uint8

// The kinds of rules. The zero RuleKind is of a property that nobody made.
const (
	RuleAlways     RuleKind = iota + 1 // every state
	RuleEventually                     // a state that can be reached from everywhere
	RuleSteps                          // the states before and after a step
	RuleMonitor                        // the facts of a run
	RuleSometimes                      // some state that is met
)

var ruleKindNames = [...]string{
	RuleAlways: "always", RuleEventually: "eventually",
	RuleSteps: "steps", RuleMonitor: "monitor", RuleSometimes: "sometimes",
}

func (k RuleKind) String() string { return ruleKindNames[k] }

// Rule is a property as a runtime sees it: one of the functions binds it.
type Rule struct {
	Kind    RuleKind
	About   reflect.Type // of node that it sees; nil for a monitor
	Matches func(node any) bool

	State   func(*State) Check               // of RuleAlways, RuleEventually and RuleSometimes
	Step    func(before, after *State) Check // of RuleSteps
	Monitor func() Monitor                   // of RuleMonitor
}

// Check is a property bound to a state.
type Check struct {
	Name    string
	Holds   func() bool
	Seen    func() int    // how many nodes it sees now
	Explain func() string // nil: nothing to say
	Far     func() int    // of RuleSometimes: how far it is from holding; nil: nobody knows

	// Each is Holds of one node alone: where it holds of each that is up, so does the
	// property. A runtime that knows which nodes changed asks it of those. nil: the
	// property is about all nodes together.
	Each func(node int) bool
}

// Explained is what the property says of the state.
func (c *Check) Explained() (text string) {
	if c.Explain == nil {
		return ""
	}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(its explanation panics: %s)", guard.Text(r))
		}
	}()
	return guard.Bounded(c.Explain())
}

// Away is how far the property is from holding; false: nobody knows.
func (c *Check) Away() (far int, ok bool) {
	if c.Far == nil {
		return 0, false
	}
	defer func() {
		if recover() != nil { // it is no promise, and a panic is no answer
			far, ok = 0, false
		}
	}()
	return c.Far(), true
}

// Asked is Holds, outside a run: a panic is no answer.
func (c *Check) Asked() (holds bool, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			holds, panicked = false, fmt.Sprintf("(it panics: %s)", guard.Text(r))
		}
	}()
	return c.Holds(), ""
}

// Monitor is a monitor with its memory in one runtime.
type Monitor struct {
	Name    string
	Reset   func()
	Observe func(node int, fact any) error
	Memory  func() any
	Restore func(memory any) // takes the memory over
}
