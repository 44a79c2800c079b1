package mdb

import (
	"fmt"

	"macemc/eventgraph"
	"macemc/internal/canon"
	"macemc/internal/nearest"
	"macemc/internal/numerals"
)

// Session is a debugger at a step of a run. It is used by one goroutine.
type Session struct {
	stand

	opener *Opener
	others map[string]*run // runs that were compared with, by file
	live   string          // the file of the nearest live path; "": there is none known
	opened string          // the file that was opened; "": a system

	filter   *query // which steps are listed and gone to; nil: all
	filtered filtered
	breaks   []*query
	last     *query // what was looked for last
	history  []string
	ran      ran
	width    int // of what is drawn, in columns; 0: the default
	drawn    drawn
	aligned  aligned
	against  string // what it was last compared with
	ended    bool
}

// stand is where a session is, and tells what can be told of that alone: what a
// session remembers (breaks, filters, what it drew and compared) changes none of it.
type stand struct {
	run  *run
	here *branch
	step int
}

// Do executes one line, or several between semicolons, and returns what they
// answer. The first error ends it: it says what was wrong with the line.
func (s *Session) Do(script string) (Page, error) {
	lines, err := Lines(script)
	if err != nil {
		return nil, err
	}
	var out Page
	for _, line := range lines {
		s.history = append(s.history, line)
		p, err := s.do(line)
		out = append(out, p...)
		if err != nil {
			return out, err
		}
		if s.ended {
			break
		}
	}
	return out, nil
}

func (s *Session) do(line string) (Page, error) {
	words, _, err := cutWords(line)
	if err != nil {
		return nil, err
	}
	name, rest := words[0], words[1:]
	if name.pattern { // a search
		return s.searchFor(words, false)
	}
	c := lookup(name.text)
	if c == nil {
		return nil, unknown("command", name.text, commandNames(), "help lists them")
	}
	return c.run(s, rest)
}

// Look is Do for what only looks: it leaves no trace in the history. The screen
// draws what it answers.
func (s *Session) Look(line string) (Page, error) { return s.do(line) }

// Against is what the session was last compared with: a branch or a file, else
// the nearest live path.
func (s *Session) Against() string { return s.against }

// Draw has what is drawn be of so many columns.
func (s *Session) Draw(width int) { s.width = max(width, eventgraph.WidthLeast) }

// Ended reports whether a line has asked to quit.
func (s *Session) Ended() bool { return s.ended }

// Step is where the session stands; the state is that after the step.
func (s *stand) Step() int { return s.step }

// Len is the number of steps of the branch.
func (s *stand) Len() int { return s.here.len() }

// Place is the line that comes back to where the session stands.
func (s *stand) Place() string { return fmt.Sprintf("branch %s %d", s.here.name, s.step) }

// Node is the node of the step where the session stands; "": none.
func (s *stand) Node() string {
	if s.step == 0 || s.here.at(s.step).Node.IsZero() {
		return ""
	}
	return s.here.at(s.step).Node.String()
}

// Nodes are the names of the nodes.
func (s *stand) Nodes() (names []string) {
	for _, a := range s.run.player.World().Params().Addrs() {
		names = append(names, a.String())
	}
	return names
}

// Title is what is open, and where the session stands in it.
func (s *stand) Title() Line {
	l := Line{strong("%s", s.run.name()), plain("  %s", s.run.title)}
	if s.here != s.run.trunk {
		l = append(l, plain(" / %s", s.here.name))
	}
	return append(l, plain("  step %s of %s", numerals.Count(s.step), numerals.Count(s.Len())))
}

// Prompt is what stands before a line.
func (s *stand) Prompt() string {
	if s.here != s.run.trunk {
		return fmt.Sprintf("(mdb %s %d) ", s.here.name, s.step)
	}
	return fmt.Sprintf("(mdb %d) ", s.step)
}

// Watched has the session tell how far long work has come, and ask whether to
// stop it.
func (s *Session) Watched(b *Busy) {
	s.opener.Busy.Stop, s.opener.Busy.Progress = b.Stop, b.Progress
}

// goTo moves to a step of the branch.
func (s *stand) goTo(i int) error {
	if i < 0 || i > s.Len() {
		return fmt.Errorf("there is no step %s; %s has steps 0 to %s", numerals.Count(i), s.where(), numerals.Count(s.Len()))
	}
	s.step = i
	return nil
}

// where names the branch.
func (s *stand) where() string {
	if s.here == s.run.trunk {
		return s.run.title
	}
	return "the branch " + s.here.name
}

// lines are the state where the session stands.
func (s *stand) lines() ([]canon.Line, error) { return s.run.lines(s.here, s.step) }

// unknown is the sentence about a word that is not known: what was probably
// meant, or else where to look.
func unknown(what, typed string, known []string, otherwise string) error {
	if meant := nearest.Name(typed, known); meant != "" {
		otherwise = "did you mean " + meant + "?"
	}
	return fmt.Errorf("there is no %s %q; %s", what, typed, otherwise)
}
