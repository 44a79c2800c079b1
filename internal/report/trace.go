package report

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/numerals"
	"macemc/trace"
)

const (
	stepsMost   = 12 // the largest number of steps of a trace that are shown
	stepsAfter  = 4  // of these, the number of steps after the critical step of a dead run
	effectsMost = 6  // the largest number of effects of a step that are shown
)

// steps writes the last steps of the run, the steps around the critical one, or all steps. The path has the
// events and coins; the trace, if there is one, adds the effects of handlers.
func (p *printer) steps(s subject) {
	n := s.length()
	from, to := s.shownSteps(n)
	if p.all {
		from, to = 0, n
	}
	switch {
	case from == 0 && to == n:
		p.line("%s:", heading(n))
	case to == n:
		p.line("the last %s of %s:", numerals.Many(stepsMost, "step"), numerals.Count(n))
	default:
		p.line("steps %s to %s of %s, around the critical one:", numerals.Count(from+1), numerals.Count(to), numerals.Count(n))
	}
	if from > 0 {
		p.line("  ... %s before", numerals.Many(from, "step"))
	}
	p.part(s, from, to)
	if to < n {
		p.line("  ... %s after", numerals.Many(n-to, "step"))
	}
	p.blank()
}

// shownSteps returns the part of a run of n steps that is shown: the steps with numbers from+1 to to. It is
// the end of the run or, for a dead run, the steps around the critical step.
func (s subject) shownSteps(n int) (from, to int) {
	to = n
	if f := s.Finding; f.Verdict == trace.VerdictDead && f.Critical != nil {
		to = min(n, max(s.Turned()+stepsAfter, stepsMost))
	}
	return max(0, to-stepsMost), to
}

// length returns the number of steps of the finding's run, as far as they are known.
func (s subject) length() int { return min(s.Finding.Step, len(s.Path().Steps)) }

// part writes the steps of the run after number from, up to number to, and the starts of
// the nodes if from is 0.
func (p *printer) part(s subject, from, to int) {
	path, walker := s.Path(), s.Walker()
	if from == 0 {
		p.starts(s, walker)
	}
	width := len(numerals.Count(s.length()))
	for i := from; i < to; i++ {
		if l := s.Finding.Lasso; l != nil && i == l.From {
			p.line("  from here on, again and again:")
		}
		p.step(width, numerals.Count(i+1), s.shown(i+1, path.Steps[i].Event.What))
		p.coins(width, path.Steps[i].Coins)
		if t := s.Finding.Trace; t != nil && i < len(t.Steps) {
			p.effects(width, t.Steps[i].Effects, walker)
		}
	}
}

func heading(n int) string {
	switch n {
	case 0:
		return "the run, which took no step"
	case 1:
		return "the run, of 1 step"
	default:
		return "the run, of " + numerals.Many(n, "step")
	}
}

// starts writes the starts of nodes in which something happened.
func (p *printer) starts(s subject, walker *canon.Walker) {
	if s.Finding.Trace == nil {
		p.coins(1, s.Path().Start)
		return
	}
	for _, start := range s.Finding.Trace.Starts {
		if len(start.Effects)+len(start.Coins) > 0 {
			p.step(1, "0", start.Identity)
			p.coins(1, start.Coins)
			p.effects(1, start.Effects, walker)
		}
	}
}

func (p *printer) step(width int, number, identity string) {
	p.line("%s", cut(fmt.Sprintf("  %*s  %s", width, number, identity)))
}

// shown returns the event of a step as it is shown to people. If nothing is known about the event
// but its identity, it returns that.
func (s subject) shown(step int, identity string) string {
	if t := s.Finding.Trace; t != nil && 0 < step && step <= len(t.Steps) && t.Steps[step-1].Identity == identity {
		return t.Steps[step-1].Shown(s.Walker().Text)
	}
	return identity
}

func (p *printer) coins(width int, coins []choose.Choice) {
	for _, c := range coins {
		p.did(width, "choose "+c.What)
	}
}

func (p *printer) effects(width int, effects []trace.Effect, walker *canon.Walker) {
	for i, e := range effects {
		if i == effectsMost && len(effects) > effectsMost+1 && !p.all {
			p.did(width, fmt.Sprintf("... %d more", len(effects)-i))
			return
		}
		p.did(width, e.Shown(walker.Text))
	}
}

func (p *printer) did(width int, what string) {
	p.line("%s", cut(fmt.Sprintf("  %*s      %s", width, "", what)))
}

// runOf returns the whole run of a finding as JSON objects, one for each step. Step 0 is
// the start of a node.
func runOf(s subject) []object {
	path, ran, walker := s.Path(), s.Finding.Trace, s.Walker()
	if ran == nil {
		ran = &trace.Trace{}
	}
	out := []object{}
	add := func(n int, identity string, coins []choose.Choice, effects []trace.Effect) {
		shown, tossed, did := s.shown(n, identity), []string{}, []string{}
		if shown == identity {
			shown = ""
		}
		for _, c := range coins {
			tossed = append(tossed, c.What)
		}
		for _, e := range effects {
			did = append(did, e.Shown(walker.Text))
		}
		out = append(out, object{{"step", n}, {"event", identity}, {"shown?", shown}, {"coins", tossed}, {"effects", did}})
	}
	for _, start := range ran.Starts {
		if len(start.Effects)+len(start.Coins) > 0 {
			add(0, start.Identity, start.Coins, start.Effects)
		}
	}
	for i, step := range path.Steps[:min(s.Finding.Step, len(path.Steps))] {
		var effects []trace.Effect
		if i < len(ran.Steps) {
			effects = ran.Steps[i].Effects
		}
		add(i+1, step.Event.What, step.Coins, effects)
	}
	return out
}
