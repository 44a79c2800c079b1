package finding

import (
	"fmt"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

const (
	differenceMost = 30 // lines of a difference of two runs that are shown
	survivedMost   = 10 // the same, if the other run only goes on without the failure
)

// avoidable writes the section that says until which step the failure could be avoided. It writes nothing
// about a dead run, which has a section of its own, or about a hot one.
func (t *tale) avoidable(p *page) {
	turn := t.Turn()
	if turn == account.TurnUnknown || turn == account.TurnBegins || t.Dead() || t.Hot() {
		return
	}
	p.head("Could it be avoided?")
	p.say("%s", t.avoids())
	if turn.In() && turn != account.TurnLast {
		t.step(p, t.Turned())
	}
	p.say("Evidence: %s.", strings.ReplaceAll(t.told.Evidence, "\n", "; "))
	if d := t.f.Deviates; d != nil && d.Step > 0 {
		p.head("Where it differs from runs that keep the promise")
		if len(d.Without) > 0 {
			p.say("Without %s the service does otherwise in step %d. Until then both runs are the same.", account.Bugs(d.Without), d.Step)
		} else {
			p.say("Step %d is the first one that no run which keeps the promise seems to take. At a node in the same state, none of %s that kept the promise took it, and %d of %d that broke the promise did.",
				d.Step, numerals.Many(d.Kept, "fresh walk"), d.Did, d.Broke)
		}
		t.step(p, d.Step)
	}
}

// avoids returns a sentence that says until which step the failure could be avoided, or "" if it began with
// the run.
func (t *tale) avoids() string {
	turn, at := t.Turn(), t.Turned()
	if t.Dead() {
		switch turn {
		case account.TurnUnknown:
			return "Recovery became impossible in some step of this run."
		case account.TurnAlways, account.TurnSeems:
			return "The run was dead from its start. No state in which the liveness properties hold can be reached from there, whatever happens."
		}
		return fmt.Sprintf("Before step %d recovery was possible; after it, it is not, for good.", at)
	}
	if t.Hot() {
		if !turn.In() {
			return ""
		}
		if t.f.Critical.Exact {
			return fmt.Sprintf("Where the environment heals before step %d, every fair run becomes cold again.", at)
		}
		return fmt.Sprintf("Step %d is the critical one as far as is known: not all states that can follow before it were visited.", at)
	}
	switch turn {
	case account.TurnHopeless:
		return "As far as walks can tell, no run avoids it: none did, from wherever on this run it began."
	case account.TurnUnclear:
		return "Inconclusive: at no step do clearly fewer walks avoid it than before."
	case account.TurnAlways:
		return "No run avoids it."
	case account.TurnLast:
		return "It could be avoided until the last step."
	case account.TurnExact:
		return fmt.Sprintf("It could be avoided before step %d, and not after.", at)
	case account.TurnWalks:
		return fmt.Sprintf("Walks avoid it before step %d, and none does after.", at)
	case account.TurnFewer:
		return fmt.Sprintf("Clearly fewer walks avoid it after step %d than before.", at)
	}
	return ""
}

// goesOn writes the section that says how a run that stays hot goes on for ever.
func (t *tale) goesOn(p *page) {
	l, turn := t.f.Lasso, t.Turn()
	if l == nil {
		return
	}
	p.head("How it goes on for ever")
	switch first, last := l.From+1, t.f.Step; {
	case first > last:
		p.say("After step %d nothing more has to happen, and the monitor is hot.", last)
	case first == last:
		p.say("Step %d leads to the state before it, so it may happen again and again. The monitor is hot since step %d.", last, l.Since)
	default:
		p.say("Steps %d to %d lead back to the state before them, so they may happen again and again. The monitor is hot since step %d.", first, last, l.Since)
	}
	if len(l.Untaken) > 0 {
		p.say("In some states of the cycle, but not in all, this is possible, and a fair run need not do it: %s.", report.List(codes(l.Untaken)))
	}
	if turn.In() {
		p.say("%s", t.avoids())
		t.step(p, t.Turned())
	}
	p.say("Evidence: %s.", strings.ReplaceAll(t.told.Evidence, "\n", "; "))
}

// nearest writes the section on how the nearest run that recovers differs from the finding's: one that becomes
// live or cold, or that goes on without the failure.
func (t *tale) nearest(p *page) {
	live := t.f.Live
	if live == nil {
		return
	}
	p.head("The nearest live run")
	end, most := "becomes live", differenceMost
	switch t.f.Verdict {
	case trace.VerdictDead:
	case trace.VerdictHot:
		end = "becomes cold"
	default:
		end, most = "goes on without it", survivedMost
	}
	healed := ""
	if slices.ContainsFunc(live.Path.Steps[live.From:], func(s choose.Step) bool { return wording.Identify(s.Event.What).Kind == sim.KindHeal }) {
		healed = " At `heal` the environment stops misbehaving."
	}
	p.say("`live.path` goes as this run does for %s, and %s after %s in all. Lines with - are of this run only, those with + of the live one only.%s",
		numerals.Many(live.From, "step"), end, numerals.Many(len(live.Path.Steps), "step"), healed)
	lines := unlike(t.f.Path, live.Path, live.From)
	if n := len(lines); n > most+1 {
		lines = append(lines[:most], fmt.Sprintf("  and %d more lines", n-most))
	}
	p.say("%s", strings.TrimRight(report.CodeBlock("diff", strings.Join(lines, "\n")), "\n"))
}

// unlike returns the differences between two paths after their first from steps, as lines that align the
// events which both have. The number before an event is that of its step in a or, if a does not have it, in
// b.
func unlike(a, b *choose.Path, from int) (lines []string) {
	i, j := from, from
	only := func(toA, toB int) {
		for ; i < toA; i++ {
			lines = append(lines, fmt.Sprintf("- %4d  %s", i+1, a.Steps[i].Event.What))
		}
		for ; j < toB; j++ {
			lines = append(lines, fmt.Sprintf("+ %4d  %s", j+1, b.Steps[j].Event.What))
		}
	}
	for _, same := range choose.Align(a, b).Same {
		for k := range same.N {
			if x, y := same.A+k, same.B+k; x >= i && y >= j {
				only(x, y)
				lines = append(lines, fmt.Sprintf("  %4d  %s", x+1, a.Steps[x].Event.What))
				i, j = x+1, y+1
			}
		}
	}
	only(len(a.Steps), len(b.Steps))
	return lines
}

// apart writes the differences between the states at which the run and the nearest run that recovers part.
func (t *tale) apart(p *page) {
	after, instead, all := t.Parting()
	if len(all) == 0 {
		return
	}
	p.say("Where they part:")
	t.changes(p, t.LiveStates().Read(t.States().Read(all)), fmt.Sprintf("after step %d", after), fmt.Sprintf("after step %d of the live run", instead))
}
