package report

import (
	"fmt"
	"strings"

	"macemc/critical"
	"macemc/internal/numerals"
	"macemc/sim"
)

// critical says where recovery became impossible; for what is not dead, where
// the failure could no longer be avoided.
func (s subject) critical() string {
	c, dead := s.f.Critical, s.f.Verdict == sim.VerdictDead
	switch {
	case !dead:
		return s.avoidable()
	case c == nil:
		return "not isolated"
	case s.believed():
		return "step 0, as far as walks can tell: no walk from the start became live"
	case c.Step == 0:
		return "step 0: never recoverable, the run was dead from its start"
	default:
		return strings.TrimRight(fmt.Sprintf("step %s  %s", numerals.Count(c.Step), c.Event), " ")
	}
}

// amiss is what did not happen in the critical step of a dead run though it might
// have: what could not be sent, and a timer that is not set again.
func (s subject) amiss() (facts []string) {
	c, t := s.f.Critical, s.f.Trace
	if s.f.Verdict != sim.VerdictDead || c == nil || t == nil || c.Step == 0 || c.Step > len(t.Steps) {
		return nil
	}
	step, text := &t.Steps[c.Step-1], walkerOf(s).Text
	for _, e := range step.Effects {
		switch {
		case e.Kind == sim.EffectRefused:
			facts = append(facts, fmt.Sprintf("%s may not send %s to %s: the buffer is full", step.Node, text(e.Value), e.To))
		case e.Lost:
			facts = append(facts, fmt.Sprintf("what %s sends to %s is lost, %s: the channel is full", step.Node, e.To, text(e.Value)))
		}
	}
	if step.Expired() {
		facts = append(facts, fmt.Sprintf("%s does not set the timer %s again", step.Node, text(step.Event.Value)))
	}
	return facts
}

// evidence says why a dead run is believed to be dead, and its critical step to
// be critical.
func (s subject) evidence() string {
	if s.f.Verdict != sim.VerdictDead {
		return s.avoidance()
	}
	var parts []string
	c, e := s.f.Critical, s.f.Evidence
	if s.f.Proved {
		parts = append(parts, "proved: every state that can still be reached without faults was visited, and none is live")
	}
	if e != nil && c != nil && c.Exact && !s.f.Proved { // of a replay: a search has proved what is exact
		parts = append(parts, "it was proved when it was recorded; this could not be decided again exactly, so walks were taken")
	}
	if e != nil {
		parts = append(parts, fmt.Sprintf("%s of %s from %s, none became live; the chance that a walk becomes live is below %s (95 %% confidence)",
			numerals.Many(e.Walks, "fresh walk"), numerals.Many(e.WalkSteps, "step"), s.place(e.From), percent(e.Escape95)))
	}
	if c != nil && c.Witness != nil {
		parts = append(parts, fmt.Sprintf("recovery was possible before step %s: a walk from there became live within %s", numerals.Count(c.Step), numerals.Many(c.Witness.Steps, "step")))
	}
	if c != nil && c.Doubt != "" {
		parts = append(parts, "inconclusive: "+c.Doubt)
	}
	if len(parts) == 0 {
		return "none was gathered"
	}
	return strings.Join(parts, "\n")
}

// place is a state of the run.
func (s subject) place(steps int) string {
	switch steps {
	case 0:
		return "the start"
	case s.f.Step:
		return "its end"
	default:
		return "after step " + numerals.Count(steps)
	}
}

// Looking is how far the work on a finding is, as one short line.
func Looking(p critical.Progress) string {
	switch p.Doing {
	case critical.DoingIsolate:
		return fmt.Sprintf("the critical step is between %s and %s of %s; %s", numerals.Count(p.Low+1), numerals.Count(p.High), numerals.Count(p.Of), numerals.Many(p.Walks, "walk"))
	case critical.DoingCompare:
		return fmt.Sprintf("the nearest live run: %s", numerals.Many(p.Walks, "walk"))
	case critical.DoingShrink:
		return fmt.Sprintf("shrunk from %s to %s; %s", numerals.Count(p.Of), numerals.Many(p.High, "step"), numerals.Many(p.Walks, "walk"))
	case critical.DoingConfirm:
		return fmt.Sprintf("confirming the run of %s; %s", numerals.Many(p.High, "step"), numerals.Many(p.Walks, "walk"))
	default:
		panic("macemc bug: report: no words for the work " + string(p.Doing))
	}
}
