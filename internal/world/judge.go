package world

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/sim"
)

// The value of a property, Within or Assume in a state depends on what a View can see: the
// nodes with their timers, and which nodes are up. If Counted reports true, it also depends
// on the number of messages under way; if Looked does, on the messages.

// Judge evaluates the properties and monitors of a system in one world.
type Judge struct {
	*setting
	sums    *state.Sums
	run     *Run
	links   *Links
	nodes   *nodes
	environ *Environment

	always     []sight.Check
	takes      []func(node any) (any, bool) // what some properties depend on of a node,
	declared   []sight.Check                // and these properties
	without    []without
	eventually []sight.Check
	sometimes  []sight.Check
	monitors   []sight.Monitor
	cools      []int // of the monitors, those of properties made by Cools
	within     sight.Check
	assume     sight.Check

	counted bool           // a view has counted the messages under way
	looked  bool           // a view has looked at them, since Looked was asked
	asking  *sight.Check   // which of these is asked now: see Protect
	telling *sight.Monitor // the one that is observing a fact now
}

// bind binds the properties that are wanted, or all, and the constraints.
func (j *Judge) bind(sys *sim.System, only []string) error {
	wanted := map[string]bool{}
	for _, name := range only {
		wanted[name] = true
	}
	for _, p := range sys.Properties {
		if len(only) > 0 && !wanted[p.Name] {
			continue
		}
		delete(wanted, p.Name)
		switch rule := p.Rule(); rule.Kind {
		case sight.RuleAlways:
			j.always = append(j.always, rule.State(&j.nodes.sees))
			j.declares(rule)
		case sight.RuleEventually:
			j.eventually = append(j.eventually, rule.State(&j.nodes.sees))
			j.declares(rule)
		case sight.RuleSometimes:
			j.sometimes = append(j.sometimes, rule.State(&j.nodes.sees))
		case sight.RuleMonitor:
			j.monitors = append(j.monitors, rule.Monitor(j.params))
		case sight.RuleCools:
			j.cools = append(j.cools, len(j.monitors))
			j.monitors = append(j.monitors, rule.Monitor(j.params))
		case sight.RuleSteps: // needs two worlds: see StepChecks
		default:
			return fmt.Errorf("system %s: property %q was not made by Always, Eventually, Cools, Steps, Monitor or Sometimes", sys.Name, p.Name)
		}
	}
	for _, name := range only {
		if wanted[name] {
			var names []string
			for _, p := range sys.Properties {
				names = append(names, p.Name)
			}
			return fmt.Errorf("%s has no property %q; it has %s", sys.Name, name, strings.Join(names, "; "))
		}
	}
	if !sys.Within.IsZero() {
		j.within = sys.Within.Rule().State(&j.nodes.sees)
	}
	if !sys.Assume.IsZero() {
		j.assume = sys.Assume.Rule().State(&j.nodes.sees)
	}
	return nil
}

// without is a safety property where some nodes have failed for good: see
// sim.CrashImplicit.
type without struct {
	sight.Check
	nodes []int
}

// bindWithout binds the wanted properties once for each set of nodes that may fail. Properties made
// by Each are left out: if they hold for all nodes, they hold for fewer.
func (j *Judge) bindWithout(sys *sim.System, only []string, failing [][]int) {
	for _, p := range sys.Properties {
		if p.Rule().Kind != sight.RuleAlways || len(only) > 0 && !slices.Contains(only, p.Name) {
			continue
		}
		for _, nodes := range failing {
			if c := p.Without(nodes, &j.nodes.sees); c.Each == nil {
				j.without = append(j.without, without{c, nodes})
			}
		}
	}
}

// checkWithout ends the search if a property holds only as long as all nodes are there.
func (j *Judge) checkWithout() {
	for k := range j.without {
		c := &j.without[k]
		if !j.ask(&c.Check) {
			var names []string
			for _, i := range c.nodes {
				names = append(names, state.AddrOf(i).String())
			}
			panic(unsupported(fmt.Sprintf("property %q looks at which nodes are up: after step %d it holds with all nodes and not without %s, so the crash model implicit differs from explicit; use explicit",
				c.Name, j.run.Steps(), strings.Join(names, " and "))))
		}
	}
}

// Counted reports whether a view has ever counted the messages under way.
func (j *Judge) Counted() bool { return j.counted }

// Looked reports whether a view has looked at the messages under way since the last call of
// Looked. If so, the values since then are not a function of the nodes and of the number of
// messages.
func (j *Judge) Looked() (was bool) {
	was, j.looked = j.looked, false
	return was
}

// Check returns the first safety property that does not hold now, if any.
func (j *Judge) Check() *sim.Failure {
	if j.CheckLinks() != nil {
		return j.run.failure
	}
	for k := range j.always {
		if !j.holds(&j.always[k]) {
			return j.run.finds(j.unsafe(&j.always[k]))
		}
	}
	j.checkWithout()
	j.nodes.judged()
	return nil
}

// holds evaluates a property. If the property is about each node by itself (Each), only the
// nodes that have changed are examined; else, and in audits, the whole state is.
func (j *Judge) holds(c *sight.Check) bool {
	if c.Each == nil {
		return j.ask(c)
	}
	j.asking = c
	changed := &j.nodes.changed
	for i := changed.Next(0); i >= 0; i = changed.Next(i + 1) {
		if !c.Each(i) {
			j.asking = nil
			return false
		}
	}
	j.asking = nil
	return true
}

// ask evaluates a property. The field asking has the property meanwhile, for the code that
// recovers from its panic.
func (j *Judge) ask(c *sight.Check) bool {
	j.asking = c
	holds := c.Holds()
	j.asking = nil
	return holds
}

// tell returns the error of a monitor that observes a fact. The field telling has the monitor
// meanwhile, for the code that recovers from its panic.
func (j *Judge) tell(k, node int, fact any) error {
	j.telling = &j.monitors[k]
	err := j.telling.Observe(node, fact)
	if j.telling.Hot != nil && !j.telling.Hot() {
		j.run.cools(slices.Index(j.cools, k))
	}
	j.telling = nil
	return err
}

// panicker describes the function of the system that was being evaluated when it panicked. property
// is its name if it is a property or monitor, and else "".
func (j *Judge) panicker() (what, property string) {
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

// CheckLinks is the part of Check that does not depend on the View of a state: it returns failures of
// the step itself, and violations by the flags of connections.
func (j *Judge) CheckLinks() *sim.Failure {
	if j.run.failure == nil && j.links.disturbed {
		j.run.finds(j.checkTCP())
	}
	return j.run.failure
}

// Pardon clears the failure that Check found. The caller has recorded it, and continues.
func (j *Judge) Pardon() { j.run.pardon() }

func (j *Judge) unsafe(c *sight.Check) *sim.Failure {
	f := j.run.fail(sim.VerdictSafety, c.Name, "")
	f.Message = c.Explained()
	return f
}

// CanBeLive reports whether there is a liveness property to decide.
func (j *Judge) CanBeLive() bool { return len(j.eventually) > 0 }

// Live reports whether all liveness properties hold now, and the state counts.
// A state in which a crashed node has yet to restart is not live.
func (j *Judge) Live() bool {
	if j.environ.away > 0 {
		return false
	}
	for k := range j.eventually {
		holds := j.ask(&j.eventually[k])
		if j.cover != nil {
			j.lively(k, holds)
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

// Assumed reports whether the state counts for liveness.
func (j *Judge) Assumed() bool {
	holds := j.assume.Holds == nil || j.ask(&j.assume)
	if j.cover != nil {
		j.cover.Assumed(holds)
	}
	return holds
}

// Within reports whether the state is inside System.Within, so that the exhaustive search goes on
// from it.
func (j *Judge) Within() bool {
	holds := j.within.Holds == nil || j.ask(&j.within)
	if j.cover != nil {
		j.cover.Within(holds)
	}
	return holds
}

// StepChecks returns the step properties, bound to a world at the state before and a world
// at the state after a step.
func StepChecks(before, after *World, only []string) *Transition {
	t := &Transition{after: after}
	for _, p := range after.sys.Properties {
		if p.Rule().Kind == sight.RuleSteps && (len(only) == 0 || slices.Contains(only, p.Name)) {
			c := p.Rule().Step(&before.nodes.sees, &after.nodes.sees)
			if after.audit != nil {
				c = after.audit.Property(c, "property")
			}
			t.checks = append(t.checks, c)
		}
	}
	return t
}

// audits makes everything that is asked of a state stop the run where it changes a node or gives two
// answers.
func (j *Judge) audits() {
	for _, list := range [3][]sight.Check{j.always, j.eventually, j.sometimes} {
		for k := range list {
			list[k] = j.audit.Property(list[k], "property")
		}
	}
	j.within = j.audit.Property(j.within, "System.Within")
	j.assume = j.audit.Property(j.assume, "System.Assume")
}

// Transition checks the step properties of one step after another.
type Transition struct {
	after  *World
	checks []sight.Check
}

// Any reports whether there is something to check.
func (t *Transition) Any() bool { return len(t.checks) > 0 }

// Check returns the first step property that does not hold, if any.
func (t *Transition) Check() *sim.Failure {
	for k := range t.checks {
		if !t.after.Judge.ask(&t.checks[k]) {
			return t.after.Judge.unsafe(&t.checks[k])
		}
	}
	return nil
}

// start clears the memories of the monitors.
func (j *Judge) start() {
	for i := range j.monitors {
		j.monitors[i].Reset()
	}
}

func (j *Judge) checkTCP() *sim.Failure {
	a, b, found := j.links.tcp.Illegal()
	if !found {
		return nil
	}
	f := j.run.fail(sim.VerdictSafety, fits, "")
	f.Message = fmt.Sprintf("of the connection %s keeps %q about %s, which keeps %q",
		state.AddrOf(a), j.links.tcp.Flags(a, b).Words(), state.AddrOf(b), j.links.tcp.Flags(b, a).Words())
	return f
}

// Judgement is the value of a property in a state.
type Judgement struct {
	Name     string
	Liveness bool
	Holds    bool
	Message  string // the property's explanation, if it does not hold
}

// Judge evaluates every property of states: safety first, then liveness. Step properties and monitors
// are about runs, and are left out.
func (j *Judge) Judge() (out []Judgement) {
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

// Watching is what a monitor, or a property made by Cools, is at.
type Watching struct {
	Name   string
	Cools  bool   // it was made by Cools
	Hot    bool   // it waits for something
	Why    string // what for, if it says so
	Memory any    // what it remembers
}

// Watching returns what the monitors are at now.
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

// Holding appends to out whether each of Judge's properties holds, in the same order.
func (j *Judge) Holding(out []bool) []bool {
	for _, list := range [2][]sight.Check{j.always, j.eventually} {
		for k := range list {
			holds, _ := list[k].Asked()
			out = append(out, holds)
		}
	}
	return out
}
