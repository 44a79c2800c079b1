package world

import (
	"fmt"
	"strings"

	"macemc/internal/judge"
	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/trace"
)

// Judge evaluates the properties and monitors of a system in one world. For a property that does not hold, it
// makes a failure of the step.
type Judge struct {
	judge.Judge
	run     *Run
	links   *net.Links
	environ *Environment
}

// bind prepares j to evaluate the properties that the configuration selects.
func (j *Judge) bind(c judge.Config) (err error) {
	j.Judge, err = judge.New(c)
	return err
}

// Check returns the failure of the first safety property that does not hold now, or nil.
func (j *Judge) Check() *trace.Failure {
	if j.CheckLinks() != nil {
		return j.run.failure
	}
	if c := j.Unsafe(); c != nil {
		return j.run.finds(j.run.unsafe(c))
	}
	if property, nodes := j.Without(); property != "" {
		panic(unsupported(fmt.Sprintf("property %q looks at which nodes are up: after step %d it holds with all nodes and not without %s, so the crash model implicit differs from explicit; use explicit",
			property, j.run.Steps(), strings.Join(nodes, " and "))))
	}
	j.Held()
	return nil
}

// CheckLinks returns the failure of the last step if there is one, such as one that a monitor
// found. Otherwise it returns a failure if the two ends of a TCP connection have flags that
// contradict each other, or nil. It is the part of Check that does not look at the nodes.
func (j *Judge) CheckLinks() *trace.Failure {
	if j.run.failure == nil && j.links.Disturbed() {
		j.run.finds(j.checkTCP())
	}
	return j.run.failure
}

func (j *Judge) checkTCP() *trace.Failure {
	a, b, found := j.links.TCP().Illegal()
	if !found {
		return nil
	}
	f := j.run.fail(trace.VerdictSafety, fits, "")
	f.Message = fmt.Sprintf("of the connection %s keeps %q about %s, which keeps %q",
		state.AddrOf(a), j.links.TCP().Flags(a, b).Words(), state.AddrOf(b), j.links.TCP().Flags(b, a).Words())
	return f
}

// Pardon clears the failure that Check found. The caller has recorded it, and continues.
func (j *Judge) Pardon() { j.run.pardon() }

// Live reports whether the present state is live: all liveness properties hold, System.Assume
// holds, and every crashed node that will restart has done so.
func (j *Judge) Live() bool {
	if j.environ.away > 0 {
		return false
	}
	steps := j.run.step
	if j.run.lost {
		steps = -1
	}
	return j.Judge.Live(steps, j.environ.gone > 0)
}

// CoverRun counts which liveness properties hold at the present step of the run.
func (j *Judge) CoverRun() { j.Judge.CoverRun(j.run.step) }

// StepChecks returns the step properties, bound to a world at the state before and a world
// at the state after a step.
func StepChecks(before, after *World, only []string) *Transition {
	return &Transition{after.Judge.Steps(after.sys, only, &before.nodes.sees), &after.Run}
}

// Transition checks the step properties after each step.
type Transition struct {
	*judge.Steps
	run *Run
}

// Check returns the failure of the first step property that does not hold, or nil.
func (t *Transition) Check() *trace.Failure {
	c := t.Unsafe()
	if t.Any() && t.run.audit != nil { // report now a property that changed a node, since the state before is about to change
		t.run.audit.Settle()
	}
	if c != nil {
		return t.run.unsafe(c)
	}
	return nil
}
