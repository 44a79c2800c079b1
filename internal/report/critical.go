package report

import (
	"fmt"
	"strings"

	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
)

// critical names the step after which recovery was impossible or, for a finding that is not a dead run, the
// failure could no longer be avoided.
func (s subject) critical() string {
	if !s.Dead() && !s.Hot() {
		return s.avoidable()
	}
	switch s.Turn() {
	case account.TurnUnknown:
		return "not isolated"
	case account.TurnSeems:
		return "step 0, as far as walks can tell: no walk from the start became live"
	case account.TurnAlways:
		if s.Hot() {
			return "step 0: from the start on, a fair run need not become cold"
		}
		return "step 0: never recoverable, the run was dead from its start"
	default:
		c := s.Finding.Critical
		return strings.TrimRight(fmt.Sprintf("step %s  %s", numerals.Count(c.Step), s.turned(c)), " ")
	}
}

// turned describes the event of the critical step c, and says so if its node crashes within
// the step.
func (s subject) turned(c *search.Critical) string {
	if t := s.Step(c.Step); t != nil && t.CrashedWithin() != "" {
		return s.shown(c.Step, c.Event) + ", crashes within"
	}
	return s.shown(c.Step, c.Event)
}

// ended returns a note if the analysis of the finding was stopped before everything was tried.
func (s subject) ended() string {
	return fmt.Sprintf("the analysis, after %s and states: there may be a shorter run; --explain-effort allows more",
		numerals.Many(s.Finding.EndedAt, "step"))
}

// amiss describes the effects that the critical step of a dead run could have had and did
// not have: messages that could not be sent or were lost, and timers that were not set
// again.
func (s subject) amiss() (facts []string) {
	for _, m := range s.Amiss() {
		value := wording.Shown(s.Walker().Text, m.Value)
		switch m.Kind {
		case account.AmissRefused:
			facts = append(facts, fmt.Sprintf("%s may not send %s to %s: the buffer is full", m.Node, value, m.To))
		case account.AmissLost:
			facts = append(facts, fmt.Sprintf("what %s sends to %s is lost, %s: the channel is full", m.Node, m.To, value))
		case account.AmissExpired:
			facts = append(facts, fmt.Sprintf("%s does not set the timer %s again", m.Node, value))
		}
	}
	return facts
}

// evidence describes the evidence that a dead run is dead, and that its critical step is critical.
func (s subject) evidence() string {
	if s.Hot() {
		return s.heat()
	}
	if !s.Dead() {
		return s.avoidance()
	}
	var parts []string
	c, e, basis := s.Finding.Critical, s.Finding.Evidence, s.Basis()
	if basis&account.BasisProved != 0 {
		parts = append(parts, "proved: every state that can still be reached without faults was visited, and none is live")
	}
	if basis&account.BasisRecorded != 0 {
		parts = append(parts, "it was proved when it was recorded; this could not be decided again exactly, so walks were taken")
	}
	if basis&account.BasisWalks != 0 {
		parts = append(parts, fmt.Sprintf("%s of %s from %s, none became live; the chance that one of %s becomes live is below %s (95 %% confidence)",
			numerals.Many(e.Walks, "fresh walk"), numerals.Range(e.WalkSteps, e.Longest, "step"), s.place(e.From), numerals.Many(e.WalkSteps, "step"), percent(e.Escape95)))
	}
	if basis&account.BasisWitness != 0 {
		parts = append(parts, fmt.Sprintf("recovery was possible before step %s: a walk from there became live within %s", numerals.Count(c.Step), numerals.Many(c.Witness.Steps, "step")))
	}
	if basis&account.BasisDoubt != 0 {
		parts = append(parts, "inconclusive: "+c.Doubt)
	}
	if len(parts) == 0 {
		return "none was gathered"
	}
	return strings.Join(parts, "\n")
}

// lasso names the steps that a run repeats for ever while a property made by sim.Cools stays hot
// (unfulfilled).
func (s subject) lasso() string {
	f := s.Finding
	switch n := f.Step - f.Lasso.From; n {
	case 0:
		return fmt.Sprintf("after step %s nothing more has to happen", numerals.Count(f.Step))
	case 1:
		return fmt.Sprintf("step %s again and again", numerals.Count(f.Step))
	default:
		return fmt.Sprintf("steps %s to %s again and again", numerals.Count(f.Lasso.From+1), numerals.Count(f.Step))
	}
}

// heat describes the evidence that a property made by sim.Cools stays hot for ever although the
// run is fair, and that the critical step is critical.
func (s subject) heat() string {
	f := s.Finding
	text := "proved: the cycle ends in the state in which it begins, all of its states are hot, and every event that is possible in all of them happens in it"
	if f.Lasso.From == f.Step {
		text = "proved: its last state is hot, and only events that need not happen are possible there"
	}
	switch c := f.Critical; {
	case c == nil || c.Step == 0:
	case c.Exact:
		text += fmt.Sprintf("\nif the environment heals before step %s, every fair run becomes cold again: all states that can follow were visited", numerals.Count(c.Step))
	default:
		text += fmt.Sprintf("\nnot all states that can follow before step %s were visited", numerals.Count(c.Step))
	}
	return text
}

// place names the state of the run after a number of steps: "the start", "its end" or, for
// example, "after step 12".
func (s subject) place(steps int) string {
	switch steps {
	case 0:
		return "the start"
	case s.Finding.Step:
		return "its end"
	default:
		return "after step " + numerals.Count(steps)
	}
}

// Looking returns the progress of the analysis of a finding as one short line.
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
