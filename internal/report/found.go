package report

import (
	"fmt"
	"strings"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/trace"
)

// prefixes lists the recorded runs at whose ends further searches can begin.
func (p *printer) prefixes(s subject, r *search.Result) {
	p.line("%s: %s of %s in steady state", s.Name(), numerals.Count(len(r.Prefixes)), numerals.Many(r.Options.Prefixes, "run"))
	p.blank()
	for _, one := range r.Prefixes {
		file := one.File
		if file == "" {
			file = "not written"
		}
		p.line("  %6s steps  %s", numerals.Count(len(one.Steps)), file)
	}
	if len(r.Prefixes) > 0 {
		p.blank()
	}
}

// finding writes the block about the failure and the evidence for it.
func (p *printer) finding(s subject) {
	f := s.Finding
	p.row(2, labels, "verdict", s.verdict())
	if f.Manner != "" {
		p.row(2, labels, "met by", "a walk of the manner "+f.Manner)
	}
	switch {
	case f.Verdict == trace.VerdictDead:
		p.row(2, labels, "live", "when "+wording.Quoted(s.Liveness())+hold(len(s.Liveness())))
		p.row(2, labels, "at the end", "not "+wording.Quoted(s.Finding.Failing))
	case f.Property != "":
		p.row(2, labels, "property", fmt.Sprintf("%q", f.Property))
	}
	if f.Message != "" {
		p.row(2, labels, "because", f.Message)
	}
	if s.Hot() {
		p.row(2, labels, "lasso", s.lasso())
	}
	if text := s.Beyond(); text != "" {
		p.row(2, labels, "beyond", "what the system promises to survive: "+text)
	}
	if f.Identity != "" && f.Verdict != trace.VerdictDead && !s.Hot() {
		p.row(2, labels, "event", strings.TrimSpace(step(f.Step)+"  "+cut(s.shown(f.Step, f.Identity))))
	}
	if f.Verdict == trace.VerdictNondeterminism {
		if at := s.Sources().Of(f); at.Line > 0 {
			p.row(2, labels, "handler", fmt.Sprintf("%s:%d", at.File, at.Line))
		}
		p.orders(s.Orders())
	}
	if f.Verdict == trace.VerdictDead || s.Hot() || f.Critical != nil || f.Avoided != nil {
		p.row(2, labels, "critical", s.critical())
		for i, fact := range s.amiss() {
			p.row(2, labels, map[bool]string{true: "there"}[i == 0], fact)
		}
		p.row(2, labels, "evidence", s.evidence())
	}
	if f.Deviates != nil {
		p.row(2, labels, "deviates", s.deviates())
	}
	if f.Found != nil {
		p.row(2, labels, "shrunk", "from "+numerals.Many(len(f.Found.Steps), "step"))
	}
	if f.EndedAt > 0 {
		p.row(2, labels, "ended", s.ended())
	}
	p.blank()
	p.outcomes(f.Outcomes)
	p.stack(f.Stack)
}

// orders writes the statements of the service that range over a map. One of them may be the
// reason why a step differs each time.
func (p *printer) orders(all []account.Order) {
	for i, o := range all {
		label, why := "", ""
		if i == 0 {
			label, why = "order", ": the order of a map is not the same each time; range over sim.Keys"
		}
		p.row(2, labels, label, fmt.Sprintf("%s:%d %s%s", o.File, o.Line, Plain(o.Text), why))
	}
}

func hold(n int) string {
	if n == 1 {
		return " holds"
	}
	return " hold in one state"
}

func step(n int) string {
	if n == 0 {
		return ""
	}
	return "step " + numerals.Count(n)
}

func (p *printer) outcomes(outcomes []search.Outcome) {
	if len(outcomes) == 0 {
		return
	}
	p.line("outcomes:")
	total := 0
	for _, o := range outcomes {
		total += o.Times
	}
	for _, o := range outcomes {
		told := strings.TrimSuffix(strings.TrimSpace(o.Told), ";")
		if told == "" {
			told = "nothing was done"
		}
		p.line("%s", cut(fmt.Sprintf("  %s of %s  %s", numerals.Count(o.Times), numerals.Count(total), told)))
	}
	p.blank()
}

func (p *printer) stack(stack string) {
	if stack == "" {
		return
	}
	p.line("stack:")
	lines := strings.Split(strings.TrimRight(stack, "\n"), "\n")
	for i, line := range lines {
		if i == stackMost {
			p.line("  ... and %s more", numerals.Many(len(lines)-i, "line"))
			break
		}
		p.line("%s", cutTo(widest, "  "+strings.ReplaceAll(line, "\t", "    ")))
	}
	p.blank()
}

// place writes the end of a finding's report: its files, and the command that replays it.
func (p *printer) place(place account.Place) {
	if place.Path == "" {
		p.line("path: not written")
		return
	}
	p.line("path:   %s", place.Path)
	if place.Live != "" {
		p.line("live:   %s", place.Live)
	}
	if place.Report != "" {
		p.line("report: %s", place.Report)
	}
	p.line("replay: %s", place.Replay)
}
