package judge

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/sim"
)

// Judge evaluates the properties and monitors of a system in one runtime.
type Judge struct {
	sees  *sight.State
	sum   func(v any) canon.Hash
	cover *observe.Coverage                            // counts coverage; nil if nobody counts it
	wrap  func(c sight.Check, what string) sight.Check // wraps a check so that it is audited; nil if checks are not audited

	always     []sight.Check
	takes      []func(node any) (any, bool) // the functions of sim.Takes: the value of a node on which a property depends
	declared   []sight.Check                // the properties that sim.Takes has made
	without    []without
	eventually []sight.Check
	sometimes  []sight.Check
	monitors   []sight.Monitor
	cools      []int // the indices in monitors of those that belong to properties made by sim.Cools
	within     sight.Check
	assume     sight.Check

	changed state.NodeSet  // nodes that changed since the safety properties held
	counted bool           // a view has counted the messages under way
	looked  bool           // a view has looked at the messages under way since Looked was called
	asking  *sight.Check   // the property or constraint that is evaluated now, or nil: see Panicker
	telling *sight.Monitor // the monitor that is called now, or nil
}

// Config says what a Judge evaluates. Only has the names of the properties to check; if it is empty, all are
// checked. Failing has sets of nodes; safety properties are also evaluated as if the nodes of one set had
// failed. Sum returns the identity of a value.
type Config struct {
	System   *sim.System
	Params   sim.Params
	Only     []string
	Failing  [][]int
	Sees     *sight.State
	Sum      func(v any) canon.Hash
	Coverage *observe.Coverage
}

// New returns a Judge for the properties and constraints that c selects, which see the state c.Sees.
func New(c Config) (Judge, error) {
	j := Judge{sees: c.Sees, sum: c.Sum, cover: c.Coverage, changed: state.NewNodeSet(c.Params.Nodes)}
	if err := j.bind(c); err != nil {
		return Judge{}, err
	}
	j.bindWithout(c)
	return j, nil
}

func (j *Judge) bind(c Config) error {
	wanted := map[string]bool{}
	for _, name := range c.Only {
		wanted[name] = true
	}
	for _, p := range c.System.Properties {
		if len(c.Only) > 0 && !wanted[p.Name] {
			continue
		}
		delete(wanted, p.Name)
		switch rule := contract.Rule(p); rule.Kind {
		case sight.RuleAlways:
			j.always = append(j.always, rule.State(j.sees))
			j.declares(rule)
		case sight.RuleEventually:
			j.eventually = append(j.eventually, rule.State(j.sees))
			j.declares(rule)
		case sight.RuleSometimes:
			j.sometimes = append(j.sometimes, rule.State(j.sees))
		case sight.RuleMonitor:
			j.monitors = append(j.monitors, rule.Monitor(c.Params))
		case sight.RuleCools:
			j.cools = append(j.cools, len(j.monitors))
			j.monitors = append(j.monitors, rule.Monitor(c.Params))
		case sight.RuleSteps: // sees two states: see Judge.Steps
		default:
			return fmt.Errorf("system %s: property %q was not made by Always, Eventually, Cools, Steps, Monitor or Sometimes", c.System.Name, p.Name)
		}
	}
	for _, name := range c.Only {
		if wanted[name] {
			var names []string
			for _, p := range c.System.Properties {
				names = append(names, p.Name)
			}
			return fmt.Errorf("%s has no property %q; it has %s", c.System.Name, name, strings.Join(names, "; "))
		}
	}
	if !c.System.Within.IsZero() {
		j.within = contract.Rule(c.System.Within).State(j.sees)
	}
	if !c.System.Assume.IsZero() {
		j.assume = contract.Rule(c.System.Assume).State(j.sees)
	}
	return nil
}

// without is a safety property that is evaluated as if some nodes had failed for good: see sim.Conditions.CrashImplicit.
type without struct {
	sight.Check
	nodes []int
}

// bindWithout makes the checks of the selected safety properties as if nodes had failed: one for each set of
// nodes that may fail. It leaves out properties made by sim.Each: if they hold for all nodes, they hold for
// fewer.
func (j *Judge) bindWithout(c Config) {
	for _, p := range c.System.Properties {
		if contract.Rule(p).Kind != sight.RuleAlways || len(c.Only) > 0 && !slices.Contains(c.Only, p.Name) {
			continue
		}
		for _, nodes := range c.Failing {
			if c := contract.Rule(p).Without(nodes, j.sees); c.Each == nil {
				j.without = append(j.without, without{c, nodes})
			}
		}
	}
}

// Without returns the name of a safety property that would not hold if some nodes failed now, and the names of
// these nodes. It returns "" if there is none. The caller must have checked that all safety properties hold.
func (j *Judge) Without() (property string, nodes []string) {
	for k := range j.without {
		c := &j.without[k]
		if !j.ask(&c.Check) {
			for _, i := range c.nodes {
				nodes = append(nodes, state.AddrOf(i).String())
			}
			return c.Name, nodes
		}
	}
	return "", nil
}

// Blind reports whether no property or constraint looks at a state: all that are checked are about facts or steps.
func (j *Judge) Blind() bool {
	return len(j.always)+len(j.without)+len(j.eventually)+len(j.sometimes) == 0 && j.within.Holds == nil
}

// Counted reports whether a view has ever counted the messages under way.
func (j *Judge) Counted() bool { return j.counted }

// Counts records that a view counts the messages under way, and Looks that a view looks at them.
func (j *Judge) Counts() { j.counted = true }
func (j *Judge) Looks()  { j.looked = true }

// Changes records that the i-th node has changed.
func (j *Judge) Changes(i int) { j.changed.Add(i) }

// Changed reports whether the i-th node has changed since Held was called.
func (j *Judge) Changed(i int) bool { return j.changed.Has(i) }

// Held records that all safety properties hold in the present state. From now on only nodes that change are
// examined again.
func (j *Judge) Held() { j.changed.Clear() }

// Looked reports whether a view has looked at the messages under way since the last call of Looked. If so,
// the values of properties since then depend on more than the nodes and the number of messages.
func (j *Judge) Looked() (was bool) {
	was, j.looked = j.looked, false
	return was
}

// Unsafe returns a safety property that does not hold in the present state, the first in the system's order, or
// nil.
func (j *Judge) Unsafe() *sight.Check {
	for k := range j.always {
		if !j.holds(&j.always[k]) {
			return &j.always[k]
		}
	}
	return nil
}

// holds evaluates a property. If the property is about each node by itself (sim.Each), holds evaluates it only
// for the nodes that have changed, except in audits.
func (j *Judge) holds(c *sight.Check) bool {
	if c.Each == nil {
		return j.ask(c)
	}
	j.asking = c
	for i := j.changed.Next(0); i >= 0; i = j.changed.Next(i + 1) {
		if !c.Each(i) {
			j.asking = nil
			return false
		}
	}
	j.asking = nil
	return true
}

// ask evaluates a property. Meanwhile it sets j.asking, so that a panic can be attributed to the property.
func (j *Judge) ask(c *sight.Check) bool {
	j.asking = c
	holds := c.Holds()
	j.asking = nil
	return holds
}

// Observe passes a fact that a node has emitted to the k-th monitor, and returns the monitor's error. If the
// monitor belongs to a property made by sim.Cools and is cold after the fact, cold is the index of the
// property in the list that Cools returns, and otherwise -1.
func (j *Judge) Observe(k, node int, fact any) (cold int, err error) {
	j.telling = &j.monitors[k]
	cold, err = -1, j.telling.Observe(node, fact)
	if j.telling.Hot != nil && !j.telling.Hot() {
		cold = slices.Index(j.cools, k)
	}
	j.telling = nil
	return cold, err
}

// Monitors returns the monitors, in the order of their properties.
func (j *Judge) Monitors() []sight.Monitor { return j.monitors }

// Subject returns the names of the properties and constraints whose values coverage counts.
func (j *Judge) Subject() (of observe.Subject) {
	for _, p := range j.eventually {
		of.Eventually = append(of.Eventually, p.Name)
	}
	for _, p := range j.sometimes {
		of.Sometimes = append(of.Sometimes, p.Name)
	}
	for _, m := range j.monitors {
		of.Monitors = append(of.Monitors, m.Name)
	}
	return of
}

// Panicker describes the function of the system that was being called when it panicked. property is the name of
// the property or monitor to which the function belongs, or "".
func (j *Judge) Panicker() (what, property string) {
	c, m := j.asking, j.telling
	j.asking, j.telling = nil, nil
	switch {
	case m != nil:
		return fmt.Sprintf("monitor %q", m.Name), m.Name
	case c == nil:
		return "", ""
	case c == &j.within:
		return fmt.Sprintf("System.Within %q", c.Name), ""
	case c == &j.assume:
		return fmt.Sprintf("System.Assume %q", c.Name), ""
	default:
		return fmt.Sprintf("property %q", c.Name), c.Name
	}
}

// CanBeLive reports whether a liveness property is checked.
func (j *Judge) CanBeLive() bool { return len(j.eventually) > 0 }

// Live reports whether the present state counts for liveness and all liveness properties hold in it. It stops at
// the first that does not hold. Coverage records what was evaluated as seen after a number of steps of a run, or
// -1 if the number is not known. down says that some node is down for good.
func (j *Judge) Live(steps int, down bool) bool {
	for k := range j.eventually {
		holds := j.ask(&j.eventually[k])
		if j.cover != nil {
			j.cover.Live(k, steps, holds, holds && down && j.eventually[k].Seen() == 0)
		}
		if !holds {
			return false
		}
	}
	return j.Assumed()
}

// NotLive returns the liveness properties that do not hold now, with their explanations.
func (j *Judge) NotLive() (names, explanations []string) {
	for _, c := range j.eventually {
		holds, panicked := c.Asked()
		if holds {
			continue
		}
		names = append(names, c.Name)
		if panicked == "" {
			panicked = c.Explained()
		}
		if panicked != "" || c.Explain != nil {
			explanations = append(explanations, panicked)
		}
	}
	return names, explanations
}

// Assumed reports whether the present state counts for liveness: it satisfies System.Assume.
func (j *Judge) Assumed() bool {
	holds := j.assume.Holds == nil || j.ask(&j.assume)
	if j.cover != nil {
		j.cover.Assumed(holds)
	}
	return holds
}

// Within reports whether the present state satisfies System.Within. If not, an exhaustive search does not go on
// from it.
func (j *Judge) Within() bool {
	holds := j.within.Holds == nil || j.ask(&j.within)
	if j.cover != nil {
		j.cover.Within(holds)
	}
	return holds
}

// Audit makes every check of a state stop the run if it changes a node, or if it gives two answers for one
// state: see observe.Audit.Property.
func (j *Judge) Audit(by *observe.Audit) {
	for _, list := range [3][]sight.Check{j.always, j.eventually, j.sometimes} {
		for k := range list {
			list[k] = by.Property(list[k], "property")
		}
	}
	j.within = by.Property(j.within, "System.Within")
	j.assume = by.Property(j.assume, "System.Assume")
	j.wrap = by.Property
}

// Start resets the monitors, for the start of a run.
func (j *Judge) Start() {
	for i := range j.monitors {
		j.monitors[i].Reset()
	}
}

// Judgement is the value of a property in a state.
type Judgement struct {
	Name     string
	Liveness bool
	Holds    bool
	Message  string // the property's explanation, if it does not hold
}

// Judgements evaluates, in the present state, first the safety properties and then the liveness properties. It
// leaves out step properties and monitors, since they are about runs.
func (j *Judge) Judgements() (out []Judgement) {
	for k, list := range [2][]sight.Check{j.always, j.eventually} {
		for i := range list {
			c := &list[i]
			holds, message := c.Asked()
			if !holds && message == "" {
				message = c.Explained()
			}
			out = append(out, Judgement{c.Name, k == 1, holds, message})
		}
	}
	return out
}

// Watching is the state of a monitor.
type Watching struct {
	Name   string
	Cools  bool   // the property was made by sim.Cools
	Hot    bool   // the monitor waits for something
	Why    string // what it waits for, or "" if the property does not explain that
	Memory any    // its memory
}

// Watching returns the states of all monitors now.
func (j *Judge) Watching() (out []Watching) {
	for i := range j.monitors {
		m := &j.monitors[i]
		w := Watching{Name: m.Name, Cools: m.Hot != nil, Memory: m.Memory()}
		if w.Hot = w.Cools && m.Hot(); w.Hot && m.Explain != nil {
			w.Why = m.Explain()
		}
		out = append(out, w)
	}
	return out
}

// Holding appends to out, for each property that Judgements evaluates and in the same order, whether it holds
// now.
func (j *Judge) Holding(out []bool) []bool {
	for _, list := range [2][]sight.Check{j.always, j.eventually} {
		for k := range list {
			holds, _ := list[k].Asked()
			out = append(out, holds)
		}
	}
	return out
}
