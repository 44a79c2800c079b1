package finding

import (
	"fmt"
	"strings"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/sim"
)

const (
	lacksMost  = 6  // events that are told
	agreeMost  = 12 // lines of the state
	valuesMost = 3  // values of one line
)

// why tells what the dead runs have in common, and lack.
func (t *tale) why(p *page) {
	a := t.Ahead()
	if a == nil {
		return
	}
	facts, rows := facts(a, t.Params.Nodes), agreed(a)
	if len(facts)+len(rows) == 0 {
		return
	}
	p.head("Why it stays so")
	if !a.Quiet {
		p.say("%s of at most %s were taken on from the end of this run. What they have in common:", numerals.Many(a.Dead, "random walk"), numerals.Many(a.Steps, "step"))
	}
	p.list(facts)
	if len(rows) > 0 {
		p.say("From before the critical step, %s became live. In these lines the states where they did so differ from every dead end:", numerals.Many(a.Live, "random walk"))
		p.b.WriteString(report.Table([]string{"state", "at every dead end", "where it recovers"}, rows) + "\n")
	}
}

// facts are what wakes nobody up any more, what is lacking, and who does not know
// whom, among so many nodes.
func facts(a *account.Ahead, nodes int) []string {
	all := stillness(a, nodes)
	for i, d := range a.Lacks {
		if i == lacksMost {
			all = append(all, fmt.Sprintf("And %d more of the kind.", len(a.Lacks)-i))
			break
		}
		all = append(all, lacking(d))
	}
	for _, pair := range a.Strangers {
		one, other := report.Code(pair[0].String()), report.Code(pair[1].String())
		all = append(all, fmt.Sprintf("%s knows of %s, which does not know of %s; where the run recovers, they know of each other.", one, other, one))
	}
	return all
}

// stillness tells what can wake nobody up at the end of any dead walk.
func stillness(a *account.Ahead, nodes int) (facts []string) {
	nobody := len(a.Still) == nodes
	switch {
	case a.Quiet && nobody && !a.UnderWay && !a.Tasks:
		return []string{"Nothing can happen any more: no message is under way, no timer is set, no task waits."}
	case nobody && !a.UnderWay:
		facts = append(facts, "No message is under way and no timer is set.")
	case nobody:
		facts = append(facts, "No timer is set at any node.")
	case len(a.Still) > 0:
		var names []string
		for _, node := range a.Still {
			names = append(names, report.Code(node.String()))
		}
		facts = append(facts, fmt.Sprintf("No timer is set at %s.", report.List(names)))
	}
	if !a.UnderWay && !nobody {
		facts = append(facts, "No message is under way.")
	}
	return facts
}

// lacking says that something never happens any more.
func lacking(d account.Deed) string {
	what := report.Code(d.What)
	does := ""
	switch {
	case d.Sent:
		does = "sends " + some(d.What)
	case d.Kind == sim.KindMessage:
		does = "receives " + some(d.What)
	case d.Kind == sim.KindTimer:
		does = "has its timer " + what + " fire"
	case d.Kind == sim.KindTask:
		does = "does a task " + what
	case d.Kind == sim.KindScript:
		does = "is asked for " + what
	case d.Kind == sim.KindAction:
		does = "takes the action " + what
	default:
		panic("macemc bug: finding: no words for a deed of " + d.Kind.String())
	}
	if d.Node.IsZero() {
		return sentence("no node ever " + does + "; in every run that recovers one does")
	}
	return sentence(report.Code(d.Node.String()) + " never " + does + "; in every run that recovers it does")
}

// some is one of a kind, with its article.
func some(what string) string {
	if what != "" && strings.ContainsRune("aeiouAEIOU", rune(what[0])) {
		return "an " + report.Code(what)
	}
	return "a " + report.Code(what)
}

// agreed are the rows of a table of the lines that all dead ends agree on.
func agreed(a *account.Ahead) (rows [][]string) {
	for i, one := range a.Agreed {
		if i == agreeMost {
			return append(rows, []string{fmt.Sprintf("and %d more", len(a.Agreed)-i), "", ""})
		}
		rows = append(rows, []string{report.Code(one.Path), cells(one.Dead), cells(one.Live)})
	}
	return rows
}

func cells(values []string) string {
	if len(values) == 0 {
		return "–"
	}
	var parts []string
	for i, v := range values {
		if i == valuesMost {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, report.Code(v))
	}
	return strings.Join(parts, " or ")
}
