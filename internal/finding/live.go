package finding

import (
	"fmt"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/sim"
)

const (
	differenceMost = 30 // lines of a difference of two runs that are shown
	survivedMost   = 10 // of one that only goes on, and on
)

// avoidable tells until when what is not dead could be avoided.
func (t *tale) avoidable(p *page) {
	c := t.f.Critical
	if c == nil && t.f.Avoided == nil || t.f.Verdict == sim.VerdictDead || t.f.Step == 0 {
		return
	}
	p.head("Could it be avoided?")
	switch {
	case c == nil && t.f.Avoided.Step == 0:
		p.say("Inconclusive: no step is known before which walks avoid it.")
	case c == nil:
		p.say("Inconclusive: at no step do clearly fewer walks avoid it than before.")
	case c.Step == 0:
		p.say("No run avoids it.")
	case c.Step == t.f.Step:
		p.say("It could be avoided until the last step.")
	case c.Exact:
		p.say("It could be avoided before step %d, and not after.", c.Step)
		t.step(p, c.Step)
	case t.f.Avoided != nil && t.f.Avoided.After == 0:
		p.say("Walks avoid it before step %d, and none does after.", c.Step)
		t.step(p, c.Step)
	default:
		p.say("Clearly fewer walks avoid it after step %d than before.", c.Step)
		t.step(p, c.Step)
	}
	p.say("Evidence: %s.", strings.ReplaceAll(t.told.Evidence, "\n", "; "))
}

// nearest tells how the nearest live run differs.
func (t *tale) nearest(p *page) {
	live := t.f.Live
	if live == nil {
		return
	}
	p.head("The nearest live run")
	end, most := "becomes live", differenceMost
	if t.f.Verdict != sim.VerdictDead {
		end, most = "goes on without it", survivedMost
	}
	healed := ""
	if slices.ContainsFunc(live.Path.Steps[live.From:], func(s choose.Step) bool { return sim.Identify(s.Event.What).Kind == sim.KindHeal }) {
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

// unlike tells the steps of two paths after the first few, by the events
// that both have. Before each event stands its number in the first path, or
// else in the second.
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
