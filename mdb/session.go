package mdb

import (
	"fmt"

	"macemc/eventgraph"
	"macemc/internal/nearest"
)

// Session is a debugger at a step of a run. Only one goroutine may use it.
type Session struct {
	Cursor

	opener *Opener
	others map[string]*run // runs of other files that were opened for comparisons, by file
	live   string          // the file of the nearest live path, or "" if none is known
	opened string          // the file that was opened, or "" if a system was opened

	filter    *query // selects the steps that are listed and visited; nil means all
	filtered  filtered
	breaks    []*query
	last      *query // the query of the last search
	history   []string
	ran       ran
	width     int // the width of drawings in columns; 0 means the default
	drawings  drawings
	aligned   aligned
	prospects prospects
	against   string // the other side of the last comparison: a branch or a file
	ended     bool
}

// Do executes one or several lines, separated by semicolons, and returns their answers. It
// ends at the first line that fails and returns the error of that line.
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
	return s.execute(words)
}

func (s *Session) execute(words []word) (Page, error) {
	name, rest := words[0], words[1:]
	if name.pattern { // the line is a pattern, such as /join/
		return s.searchFor(words, false)
	}
	c := lookup(name.text)
	if c == nil {
		return nil, unknownCommand(name.text)
	}
	return c.run(s, rest)
}

// Peek does what Do does, but makes no entry in the history. The screen uses it for the
// views.
func (s *Session) Peek(line string) (Page, error) { return s.do(line) }

// Against returns the other side of the last comparison: a branch or a file. Before the first
// comparison it is the nearest live path.
func (s *Session) Against() string { return s.against }

// Draw sets the number of columns that drawings, such as event graphs, may take.
func (s *Session) Draw(width int) { s.width = max(width, eventgraph.WidthLeast) }

// Ended reports whether a line has asked to quit.
func (s *Session) Ended() bool { return s.ended }

// Watch makes the session call these functions, as in [Busy], during long work.
func (s *Session) Watch(stop func() bool, progress func(what string, done, total int)) {
	s.opener.Busy.watch(stop, progress)
}

// unknown returns the error that the word typed is not known. what says what kind of word it is,
// such as "node". The error suggests the nearest of the known words, or, if none is near, ends
// with the text otherwise.
func unknown(what, typed string, known []string, otherwise string) error {
	if meant := nearest.Name(typed, known); meant != "" {
		otherwise = "did you mean " + meant + "?"
	}
	return fmt.Errorf("there is no %s %q; %s", what, typed, otherwise)
}
