package sight

import (
	"fmt"
	"reflect"

	"macemc/internal/guard"
)

// RuleKind is the kind of a rule.
type RuleKind uint8

// The kinds of rules. The zero RuleKind is that of a Property that no function of sim made.
const (
	RuleAlways     RuleKind = iota + 1 // about every state
	RuleEventually                     // about a state that must stay reachable from every state
	RuleSteps                          // about the states before and after a step
	RuleMonitor                        // about the facts of a run
	RuleSometimes                      // about a state that should be met
	RuleCools                          // about the facts of a run that goes on for ever
)

var ruleKindNames = [...]string{
	RuleAlways: "always", RuleEventually: "eventually",
	RuleSteps: "steps", RuleMonitor: "monitor", RuleSometimes: "sometimes", RuleCools: "cools",
}

func (k RuleKind) String() string { return ruleKindNames[k] }

// Rule is a property in the form that a runtime uses. One of the functions State, Step and Monitor,
// depending on the kind, makes a check or monitor of it for one runtime.
type Rule struct {
	Kind    RuleKind
	About   reflect.Type // the type of node that it sees; nil for a monitor
	Matches func(node any) bool

	// Alone says that the property holds in a state exactly if it holds for each node by
	// itself. Take, if it is not nil, returns the value of a node on which the property
	// depends.
	Alone bool
	Take  func(node any) (of any, is bool)

	State   func(*State) Check               // for RuleAlways, RuleEventually and RuleSometimes
	Step    func(before, after *State) Check // for RuleSteps
	Monitor func(params any) Monitor         // for RuleMonitor and RuleCools; params is a sim.Params
}

// Check is a property bound to a state.
type Check struct {
	Name    string
	Holds   func() bool
	Seen    func() int    // the number of nodes that it sees now
	Explain func() string // describes the state; nil if the property has no explanation
	Far     func() int    // for RuleSometimes: the distance from a state in which it holds; nil if the property defines none

	// Each does what Holds does, for one node by itself. The property holds if Each is true
	// for every running node, so a runtime that knows which nodes have changed calls it
	// only for these. It is nil if the property is about all nodes together.
	Each func(node int) bool
}

// Explained returns the property's explanation of the state, or "".
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

// Away returns the distance from a state in which the property holds; ok is false if it is
// unknown.
func (c *Check) Away() (far int, ok bool) {
	if c.Far == nil {
		return 0, false
	}
	defer func() {
		if recover() != nil { // a panic in Far is not a finding
			far, ok = 0, false
		}
	}()
	return c.Far(), true
}

// Asked calls Holds outside of a run. If Holds panics, Asked returns the text of the panic.
func (c *Check) Asked() (holds bool, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			holds, panicked = false, fmt.Sprintf("(it panics: %s)", guard.Text(r))
		}
	}()
	return c.Holds(), ""
}

// Monitor is a monitor bound to one runtime, with its memory there.
type Monitor struct {
	Name    string
	Reset   func()
	Observe func(node int, fact any) error
	Memory  func() any
	Restore func(memory any) // replaces the memory

	Hot     func() bool   // for RuleCools: reports whether the monitor is hot; nil for others
	Explain func() string // describes what the monitor waits for; nil if it cannot
}
