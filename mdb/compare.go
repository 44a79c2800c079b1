package mdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/numerals"
	"macemc/internal/observe"
)

func comparing() []*command {
	return []*command{
		{
			Name: "diff", Meant: "changes delta compare", Aliases: []string{"d"}, Group: groupCompare, Usage: "[STEP [STEP] | live [STEP] | BRANCH [STEP] | FILE [STEP]] [FIELD ...]",
			Short: "show the differences between two states: of this step and the one before, of two steps, or of two runs",
			Help: `Between two runs the states of aligned steps are compared: the steps that are the same event
are paired, and steps between two pairs are compared in their order. A STEP, such as end, names the step of
the other run instead. The nearest live path is the branch live, which critical makes, or else the live.path beside
the error.path. With fields, only these are compared.
-, + and ~ mark lines of the first state only, of the second only, and of both that differ.`,
			Example: "jump 10; diff; diff 2 n1; diff 8 9 n0; diff n1.papa; jump end; diff live", args: []completer{ofDiff},
			run: (*Session).diff,
		},
		{
			Name: "filediff", Aliases: []string{"m"}, Group: groupCompare, Usage: "FILE [FIELD ...]",
			Short:   "show the differences between this step's state and that of the step with the same number in another path",
			Example: "jump 14; filediff live.path", args: []completer{ofFiles},
			run: (*Session).fileDiff,
		},
		{
			Name: "aligned", Group: groupCompare, Usage: "live | BRANCH | FILE",
			Short:   "show which steps of two runs are the same event",
			Example: "aligned live", args: []completer{ofDiff},
			run: (*Session).alignedWith,
		},
	}
}

func ofDiff(s *Session, before []string) []string {
	return slices.Concat([]string{"live"}, s.run.branches.names(), ofFiles(s, before), ofFields(s, before))
}

// differences returns a page of the lines that differ between the states a and b, in the order of a. If fields
// are given, or only is not empty, it shows only the lines of these fields. The function told writes a value
// for people. For a line that is in both states it shows both values, separated by the text between.
func differences(told func(path, value string) string, a, b []canon.Line, only field, between string, fields ...field) (p Page) {
	if only.text != "" {
		fields = append(fields, only)
	}
	if len(fields) > 0 {
		keep := func(lines []canon.Line) (out []canon.Line) {
			for _, l := range lines {
				if matchesAny(fields, l.Path) {
					out = append(out, l)
				}
			}
			return out
		}
		a, b = keep(a), keep(b)
	}
	all := changed(a, b)
	for _, d := range all {
		switch {
		case d.A == "":
			p.line(Span{Added, "  + "}, plain("%s: ", d.Path), Span{Added, told(d.Path, d.B)})
		case d.B == "":
			p.line(Span{Removed, "  - "}, plain("%s: ", d.Path), Span{Removed, told(d.Path, d.A)})
		default:
			l := Line{{Changed, "  ~ "}, plain("%s: ", d.Path)}
			p = append(p, append(l, contrast(told(d.Path, d.A), told(d.Path, d.B), between)...))
		}
	}
	return p
}

// changed returns the lines that differ between two states, in the order of the first state.
func changed(a, b []canon.Line) []observe.Difference {
	place := places(a, b)
	a, b, all := queues(a, b)
	all = append(all, observe.Diff(a, b)...)
	slices.SortStableFunc(all, func(x, y observe.Difference) int { return place[x.Path] - place[y.Path] })
	return all
}

// places returns the position of each path in the merged order of the lines of two states.
func places(a, b []canon.Line) map[string]int {
	place := map[string]int{}
	const room = 1 << 20 // the number of lines of b that can follow one line of a
	for i, l := range a {
		if _, known := place[l.Path]; !known {
			place[l.Path] = (i + 1) * room
		}
	}
	at := 0
	for _, l := range b {
		if there, known := place[l.Path]; known {
			at = max(at, there)
			continue
		}
		at++
		place[l.Path] = at
	}
	return place
}

// contrast shows two values with their differences marked.
func contrast(a, b, between string) Line {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	for pre > 0 && isLetter(a[pre-1]) { // so that whole words are marked, and no part of a rune
		pre--
	}
	for post > 0 && isLetter(a[len(a)-post]) {
		post--
	}
	return Line{
		plain("%s", a[:pre]), {Removed, a[pre : len(a)-post]}, plain("%s", a[len(a)-post:]),
		dim("%s", between),
		plain("%s", b[:pre]), {Added, b[pre : len(b)-post]}, plain("%s", b[len(b)-post:]),
	}
}

func isLetter(c byte) bool {
	return c >= 0x80 || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (s *Session) diff(args []word) (Page, error) {
	here := s.Cursor
	if len(args) == 0 || s.isField(args[0]) {
		if s.step == 0 {
			return nil, fmt.Errorf("there is no state before the start; name a step, or another run")
		}
		return s.look().compare(Cursor{s.run, s.here, s.step - 1}, here, args)
	}
	if n, err := strconv.Atoi(args[0].text); err == nil {
		if err := s.inside(n); err != nil {
			return nil, err
		}
		a := Cursor{s.run, s.here, n}
		if len(args) > 1 {
			if m, err := strconv.Atoi(args[1].text); err == nil {
				if err := s.inside(m); err != nil {
					return nil, err
				}
				return s.look().compare(a, Cursor{s.run, s.here, m}, args[2:])
			}
		}
		return s.look().compare(a, here, args[1:])
	}
	other, err := s.otherSide(args[0].file())
	if err != nil {
		return nil, err
	}
	s.against = quoted(args[:1])
	if len(args) > 1 {
		if n, err := strconv.Atoi(args[1].text); err == nil || args[1].text == "end" {
			if args[1].text == "end" {
				n = other.here.len()
			}
			if n < 0 || n > other.here.len() {
				return nil, fmt.Errorf("there is no step %s; %s has steps 0 to %s", numerals.Count(n), args[0].file(), numerals.Count(other.here.len()))
			}
			other.step = n
			return s.look().compare(here, other, args[2:])
		}
	}
	other.step = s.alignedStep(s.alignment(here, other), s.step, other.here.len())
	return s.look().compare(here, other, args[1:])
}

// isField reports whether w, an argument of a comparison, names a field; otherwise it names
// a run.
func (s *Cursor) isField(w word) bool {
	if w.pattern || w.text == "live" || strings.HasSuffix(w.text, ".path") || slices.Contains(s.run.branches.names(), w.text) {
		return false
	}
	if _, err := strconv.Atoi(w.text); err == nil {
		return false
	}
	lines, err := s.lines()
	if err != nil {
		return false
	}
	f, err := s.run.parseField(w.text)
	return err == nil && (f.node >= 0 || len(f.of(lines)) > 0)
}

// otherSide returns a cursor in the run that a word names: the nearest live run, a branch,
// or the run in a file.
func (s *Session) otherSide(name string) (Cursor, error) {
	if name == liveBranch && s.run.branches.named(name) == nil {
		if s.live == "" {
			return Cursor{}, fmt.Errorf("no live path is known: there is no live.path beside %s; critical finds one, or name a file or a branch", s.run.title)
		}
		name = s.live
	}
	if b := s.run.branches.named(name); b != nil {
		return Cursor{run: s.run, here: b}, nil
	}
	if !exists(name) && !strings.Contains(name, ".path") {
		return Cursor{}, fmt.Errorf("%q is no step, branch, file or field; branches lists the branches", name)
	}
	r, err := s.other(name)
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{run: r, here: r.trunk}, nil
}

func (s *Session) fileDiff(args []word) (Page, error) {
	if len(args) == 0 {
		return nil, usageOf("filediff")
	}
	r, err := s.other(args[0].file())
	if err != nil {
		return nil, err
	}
	if s.step > r.trunk.len() {
		return nil, fmt.Errorf("%s has no step %s; it ends with step %s", r.title, numerals.Count(s.step), numerals.Count(r.trunk.len()))
	}
	return s.look().compare(Cursor{s.run, s.here, s.step}, Cursor{r, r.trunk, s.step}, args[1:])
}

// compare returns the differences between the states at a and at b. The arguments select
// fields.
func (s Look) compare(a, b Cursor, args []word) (Page, error) {
	var fields []field
	for _, w := range args {
		f, err := s.run.parseField(w.text)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	left, err := a.run.lines(a.here, a.step)
	if err != nil {
		return nil, err
	}
	right, err := b.run.lines(b.here, b.step)
	if err != nil {
		return nil, err
	}
	told := func(path, value string) string { return b.run.reading(path, a.run.reading(path, value)) }
	between := " | "
	var p Page
	if a.run == b.run && a.here == b.here {
		between = " -> "
		p.line(Span{Removed, fmt.Sprintf("- step %s", numerals.Count(a.step))}, plain("  "), Span{Added, fmt.Sprintf("+ step %s", numerals.Count(b.step))})
	} else {
		p.line(Span{Removed, "- " + a.String()}, plain(": %s", a.event()))
		p.line(Span{Added, "+ " + b.String()}, plain(": %s", b.event()))
	}
	all := differences(told, left, right, field{}, between, fields...)
	if len(all) == 0 {
		all.add(Plain, "  nothing differs")
	}
	return append(p, all...), nil
}

// aligned is an alignment of the branches a and b, made when they had lenA and lenB steps.
// It is out of date if one has grown.
type aligned struct {
	a, b       *branch
	lenA, lenB int
	pairs      choose.Alignment
}

// alignment pairs the steps of the runs of a and b that are the same event.
func (s *Session) alignment(a, b Cursor) choose.Alignment {
	if c := &s.aligned; c.a != a.here || c.b != b.here || c.lenA != a.here.len() || c.lenB != b.here.len() {
		s.aligned = aligned{a.here, b.here, a.here.len(), b.here.len(), choose.Align(a.here.path(nil, a.here.len()), b.here.path(nil, b.here.len()))}
	}
	return s.aligned.pairs
}

// alignedStep returns the step of the other run with which to compare a step. It is the step with which the
// alignment al pairs it. A step without a partner is compared with the step at the same distance after the last
// pair before it, but not with one beyond the next pair, or beyond most, the last step of the other run.
func (s *Cursor) alignedStep(al choose.Alignment, step, most int) int {
	a, b := 0, 0 // the last pair before
	for k, m := range al.Same {
		if step <= m.A {
			return min(b+step-a, m.B)
		}
		if step <= m.A+m.N {
			return m.B + step - m.A
		}
		a, b = m.A+m.N, m.B+m.N
		if k == len(al.Same)-1 {
			break
		}
	}
	return min(b+step-a, most)
}

func (s *Session) alignedWith(args []word) (Page, error) {
	if len(args) != 1 {
		return nil, usageOf("aligned")
	}
	other, err := s.otherSide(args[0].file())
	if err != nil {
		return nil, err
	}
	here := Cursor{s.run, s.here, 0}
	al := s.alignment(here, other)
	p := page("%s of %s and %s of %s are the same event; the first %s are the same run", numerals.Count(al.Paired()), numerals.Many(s.Len(), "step"), numerals.Count(al.Paired()), numerals.Count(other.here.len()), numerals.Count(al.Prefix))
	width := len(strconv.Itoa(max(s.Len(), other.here.len())))
	row := func(mark Span, a, b int, text string) {
		number := func(n int) string {
			if n == 0 {
				return strings.Repeat(" ", width)
			}
			return fmt.Sprintf("%*d", width, n)
		}
		p.line(mark, plain("%s  %s  %s", number(a), number(b), text))
	}
	i, j := 0, 0
	gap := func(toA, toB int) {
		for i++; i <= toA; i++ {
			row(Span{Removed, "  - "}, i, 0, s.run.shown(s.here.at(i)))
		}
		for j++; j <= toB; j++ {
			row(Span{Added, "  + "}, 0, j, s.run.shown(other.here.at(j)))
		}
	}
	for _, m := range al.Same {
		gap(m.A, m.B)
		for k := 1; k <= m.N; k++ {
			row(plain("    "), m.A+k, m.B+k, s.run.shown(s.here.at(m.A+k)))
		}
		i, j = m.A+m.N, m.B+m.N
	}
	gap(s.Len(), other.here.len())
	return p, nil
}
