package mdb

import (
	"fmt"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/numerals"
	"macemc/internal/setting"
	"macemc/trace"
)

// Cursor is a place in a run: a step of a branch, and the state after that step.
type Cursor struct {
	run  *run
	here *branch
	step int
}

// Step returns the number of the cursor's step. The cursor's state is the one after that step.
func (s *Cursor) Step() int { return s.step }

// Len returns the number of steps of the branch.
func (s *Cursor) Len() int { return s.here.len() }

// Place returns the line that brings a session back to this place.
func (s *Cursor) Place() string { return fmt.Sprintf("branch %s %d", s.here.name, s.step) }

// Node returns the node of the cursor's step, or "" if it has none.
func (s *Cursor) Node() string {
	if s.step == 0 || s.here.at(s.step).Node.IsZero() {
		return ""
	}
	return s.here.at(s.step).Node.String()
}

// Nodes returns the names of the nodes.
func (s *Cursor) Nodes() (names []string) {
	for _, a := range s.run.player.World().Params().Addrs() {
		names = append(names, a.String())
	}
	return names
}

// Title returns the title: the open run, and the position in it.
func (s *Cursor) Title() Line {
	l := Line{strong("%s", s.run.name()), plain("  %s", s.run.title)}
	if s.here != s.run.trunk {
		l = append(l, plain(" / %s", s.here.name))
	}
	return append(l, plain("  step %s of %s", numerals.Count(s.step), numerals.Count(s.Len())))
}

// Prompt returns the text before an input line.
func (s *Cursor) Prompt() string {
	if s.here != s.run.trunk {
		return fmt.Sprintf("(mdb %s %d) ", s.here.name, s.step)
	}
	return fmt.Sprintf("(mdb %d) ", s.step)
}

// goTo moves the cursor to step i of its branch.
func (s *Cursor) goTo(i int) error {
	if i < 0 || i > s.Len() {
		return fmt.Errorf("there is no step %s; %s has steps 0 to %s", numerals.Count(i), s.where(), numerals.Count(s.Len()))
	}
	s.step = i
	return nil
}

// where returns the name of the cursor's branch, as titles show it.
func (s *Cursor) where() string {
	if s.here == s.run.trunk {
		return s.run.title
	}
	return "the branch " + s.here.name
}

// lines returns the state at the cursor.
func (s *Cursor) lines() ([]canon.Line, error) { return s.run.lines(s.here, s.step) }

// stepNamed returns the number of the step that a word names. The branch may be shorter than that.
func (s *Cursor) stepNamed(text string) (int, error) {
	switch text {
	case "start", "first":
		return 0, nil
	case "end", "last":
		return s.Len(), nil
	case "critical":
		n, known := s.critical()
		if !known {
			return 0, fmt.Errorf("no critical step of %s is known; critical looks for it", s.where())
		}
		return n, nil
	case "failure":
		if s.here.failure == nil {
			return 0, fmt.Errorf("the service does not fail in %s", s.where())
		}
		return s.Len(), nil
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		return 0, fmt.Errorf("%q is no step; write a number, +N, -N, start, end, critical or failure", text)
	}
	if text[0] == '+' || text[0] == '-' {
		n += s.step
	}
	return n, nil
}

// ending returns in words how the branch ends.
func (s *Cursor) ending() string {
	b := s.here
	switch {
	case b.failure != nil:
		return fmt.Sprintf("the run ended in a %s", b.failure.Verdict)
	case b.stopped != "":
		return b.stopped
	}
	if err := s.run.seek(b, b.len()); err == nil && s.run.player.World().Events.Count() == 0 {
		return "no event is possible any more"
	}
	return "take or walk go on from here"
}

// stepOr returns the step whose number is the only argument of a command, or the step otherwise if
// the command has no argument. name is the name of the command, for errors.
func (s *Cursor) stepOr(name string, args []word, otherwise int) (int, error) {
	switch len(args) {
	case 0:
		return otherwise, nil
	case 1:
		n, err := strconv.Atoi(args[0].text)
		if err != nil {
			return 0, usageOf(name)
		}
		if n < 0 || n > s.Len() {
			return 0, fmt.Errorf("there is no step %s; %s has steps 0 to %s", numerals.Count(n), s.where(), numerals.Count(s.Len()))
		}
		return n, nil
	default:
		return 0, usageOf(name)
	}
}

// mark returns the mark of step i in a list, such as MarkCritical, or ' ' if the step has
// none.
func (s *Cursor) mark(i int) rune {
	b := s.here
	if c, known := s.critical(); known && c == i && c > 0 {
		return MarkCritical
	}
	if again := s.again(); again > 0 && i == again {
		return MarkAgain
	}
	if b.failure != nil && i == b.len() {
		return MarkFailed
	}
	for _, other := range s.run.branches.all {
		if other.parent != nil && other.from == i && other.parent.owner(i) == b.owner(i) {
			return MarkBranch
		}
	}
	if s.run.verdicts[b.verdict(i)].live {
		return MarkLive
	}
	return ' '
}

// critical returns the critical step of the branch, and whether it is known: the command
// critical finds it, or the header of the path has it.
func (s *Cursor) critical() (step int, known bool) {
	if c := s.here.critical; c != nil {
		return c.Step, true
	}
	if s.here != s.run.trunk {
		return 0, false
	}
	for _, f := range s.run.header {
		if f.Key == "critical" {
			text, _, _ := strings.Cut(f.Value, " ")
			n, err := strconv.Atoi(text)
			return n, err == nil
		}
	}
	return 0, false
}

// again returns the first step of the cycle that the run repeats for ever, or 0 if its path records
// no cycle. A path records one if the run violates a property made by sim.Cools: while the cycle
// repeats, a monitor waits in vain.
func (s *Cursor) again() int {
	if s.here != s.run.trunk {
		return 0
	}
	for _, f := range s.run.header {
		if f.Key == "repeats" {
			if n, err := strconv.Atoi(f.Value); err == nil && n < s.Len() {
				return n + 1
			}
		}
	}
	return 0
}

// trunkStep returns the last step, at or before the cursor, that the branch shares with the
// trunk.
func (s *Cursor) trunkStep() int {
	step := s.step
	for b := s.here; b.parent != nil; b = b.parent {
		step = min(step, b.from)
	}
	return step
}

func (s Cursor) String() string {
	name := s.run.title
	if s.here != s.run.trunk {
		name += " / " + s.here.name
	}
	return fmt.Sprintf("%s step %s", name, numerals.Count(s.step))
}

// event returns the event of the step at a cursor.
func (s Cursor) event() string {
	if s.step == 0 {
		return "start"
	}
	return s.run.shown(s.here.at(s.step))
}

func (s *Cursor) inside(n int) error {
	_, err := s.stepOr("diff", []word{{text: strconv.Itoa(n)}}, 0)
	return err
}

// settings returns the conditions of the run, as fields of a path's header.
func (s *Cursor) settings() (header []choose.Field) {
	for _, f := range s.run.header {
		if setting.Describes(f.Key) || f.Key == "seed" {
			header = append(header, f)
		}
	}
	return header
}

// outcomeHere returns the fields of a path's header that record how the run ends if it ends
// at the cursor: with a failure of the service, or dead, and in which state.
func (s *Cursor) outcomeHere() (header []choose.Field, err error) {
	add := func(key, value string) { header = append(header, choose.Field{Key: key, Value: value}) }
	atEnd := s.step == s.Len()
	if f := s.here.failure; f != nil && atEnd {
		add("verdict", f.Verdict.String())
		if f.Property != "" {
			add("violates", f.Property)
		}
		return header, nil
	}
	if err := s.run.seek(s.here, s.step); err != nil {
		return nil, err
	}
	w := s.run.player.World()
	if c := s.here.critical; c != nil && atEnd {
		names, _ := w.Judge.NotLive()
		add("verdict", trace.VerdictDead.String())
		add("violates", strings.Join(names, ", "))
		add("critical", c.Header())
	}
	add("state", w.State.Recorded().String())
	return header, nil
}

// looked returns the path of the branch up to step upTo, with a header that says the run
// ends there with this verdict.
func (s *Cursor) looked(upTo int, verdict trace.Verdict) *choose.Path {
	header := append(s.settings(), choose.Field{Key: "verdict", Value: verdict.String()})
	return s.here.path(header, upTo)
}
