package mdb

import "macemc/internal/numerals"

// PropertiesPage describes the value of every property at the step.
func (s Look) PropertiesPage() (p Page, err error) {
	if err := s.run.seek(s.here, s.step); err != nil {
		return nil, err
	}
	for k, j := range s.run.player.World().Judge.Judgements() {
		kind, mark := "always", Span{Good, "+ "}
		if j.Liveness {
			kind = "eventually"
		}
		word := "holds"
		if !j.Holds {
			mark, word = Span{Bad, "- "}, "fails"
		}
		l := Line{mark, plain("%-10s %q %s %s", kind, j.Name, word, s.since(k))}
		if j.Message != "" {
			l = append(l, plain(": %s", j.Message))
		}
		p = append(p, l)
	}
	all, err := s.Watched()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		p = append(p, one.line())
	}
	w := s.run.player.World()
	switch {
	case !w.Judge.CanBeLive():
	case s.run.verdicts[s.here.verdict(s.step)].live:
		p.line(Span{Good, "+ "}, plain("the state is live"))
	case !s.run.anyFails(s.here.verdict(s.step)):
		p.line(Span{Bad, "- "}, plain("the state is not live: it does not count, as a node has yet to restart, or Assume does not hold"))
	default:
		p.line(Span{Bad, "- "}, plain("the state is not live"))
	}
	return append(p, s.failed(s.step)...), nil
}

// line describes a property of runs in one line.
func (w Watched) line() Line {
	mark, word := Span{Good, "+ "}, "holds"
	switch {
	case !w.Holds:
		mark, word = Span{Bad, "- "}, "fails"
	case w.Kind == "cools" && w.Hot:
		mark, word = Span{Bad, "- "}, "is hot"
	case w.Kind == "cools":
		word = "is cold"
	}
	l := Line{mark, plain("%-10s %q %s", w.Kind, w.Name, word)}
	if w.Says != "" {
		l = append(l, plain(": %s", w.Says))
	}
	if w.Memory != "" {
		memory := []rune(w.Memory)
		if len(memory) > memoryMost {
			memory = append(memory[:memoryMost], []rune("... (state has all)")...)
		}
		l = append(l, Span{Dim, "; remembers " + string(memory)})
	}
	return l
}

const memoryMost = 120 // the largest number of letters that are shown of what a monitor remembers

// anyFails reports whether some property is false in the verdict with this number.
func (r *run) anyFails(verdict uint32) bool {
	for _, holds := range r.verdicts[verdict].holds {
		if !holds {
			return true
		}
	}
	return false
}

// since returns the step since which the k-th property has had its present value, as text.
func (s Look) since(k int) string {
	if i := s.sinceStep(k); i > 0 {
		return "since step " + numerals.Count(i)
	}
	return "since the start"
}

func (s Look) sinceStep(k int) int {
	now := s.run.verdicts[s.here.verdict(s.step)].holds[k]
	i := s.step
	for i > 0 && s.run.verdicts[s.here.verdict(i-1)].holds[k] == now {
		i--
	}
	return i
}
