package mdb

import (
	"fmt"
	"slices"
	"strconv"

	"macemc/internal/numerals"
)

func moving() []*command {
	toStep := ofWords("start", "end", "critical", "failure")
	return []*command{
		{
			Name: "next", Meant: "step forward on down find search", Aliases: []string{"n"}, Group: groupMove, Usage: "[N | QUERY]",
			Short:   "go to the next step, N steps on, or to the next step that fulfils a query",
			Help:    "With a filter, next goes to the next listed step. help queries explains QUERY.",
			Example: "next; next 2; next type joinReply", args: []completer{ofQuery},
			run: func(s *Session, args []word) (Page, error) { return s.advance(args, false) },
		},
		{
			Name: "prev", Meant: "previous backward undo up", Aliases: []string{"p", "back"}, Group: groupMove, Usage: "[N | QUERY]",
			Short:   "go to the step before, N steps back, or to the last step that fulfils a query",
			Help:    "prev is next in the other direction.",
			Example: "jump end; prev; prev 2; prev kind script", args: []completer{ofQuery},
			run: func(s *Session, args []word) (Page, error) { return s.advance(args, true) },
		},
		{
			Name: "jump", Meant: "go end start first last failure begin step", Aliases: []string{"j", "goto"}, Group: groupMove, Usage: "STEP | +N | -N | start | end | critical | failure",
			Short:   "go to a step by its number or its role",
			Help:    "The critical step is the one in the path's header, or the one that the command critical has found.",
			Example: "jump 3; jump end; jump -2; jump failure; jump start", args: []completer{toStep},
			run: (*Session).jump,
		},
		{
			Name: "watch", Meant: "changed blame who when", Aliases: []string{"w"}, Group: groupMove, Usage: "[back] FIELD",
			Short:   "go to the next step in which a field changes, or back to the last that changed it",
			Help:    "Without arguments it goes on with the last watched field. help fields explains FIELD.",
			Example: `watch n1.papa; jump end; watch back n1.papa; watch back "n0 timer"`, args: []completer{ofFields},
			run: (*Session).watch,
		},
		{
			Name: "again", Group: groupMove, Usage: "[back]",
			Short:   "repeat the last search, forward or back",
			Example: "next type Reorg; again; again back", args: []completer{ofWords("back")},
			run: (*Session).again,
		},
		{
			Name: "break", Meant: "breakpoint bp until", Aliases: []string{"b"}, Group: groupMove, Usage: "[QUERY]",
			Short:   "set a breakpoint for continue and reverse; without a query, list them",
			Example: "break sends joinReply; break field n1.papa; break; continue; continue", args: []completer{ofQuery},
			run: (*Session).breakAt,
		},
		{
			Name: "delete", Group: groupMove, Usage: "N | all",
			Short:   "delete a breakpoint by its number, or all of them",
			Example: "break fault; break n1; delete 1; break; delete all", args: []completer{ofWords("all")},
			run: (*Session).deleteBreak,
		},
		{
			Name: "continue", Meant: "run", Aliases: []string{"c"}, Group: groupMove,
			Short:   "go on to the next breakpoint, or to the end",
			Example: "break type Reorg; break kind timer; continue; continue; continue",
			run:     func(s *Session, args []word) (Page, error) { return s.proceed("continue", args, false) },
		},
		{
			Name: "reverse", Aliases: []string{"rc"}, Group: groupMove,
			Short:   "go back to the last breakpoint, or to the start",
			Example: "break kind script; jump end; reverse; reverse",
			run:     func(s *Session, args []word) (Page, error) { return s.proceed("reverse", args, true) },
		},
		{
			Name: "filter", Aliases: []string{"f"}, Group: groupMove, Usage: "[QUERY | off]",
			Short:   "list only the steps that fulfil a query, and let next and prev go only to these",
			Help:    "Without a query it shows the filter. A filter cannot have fields; use list or watch for them.",
			Example: "filter n1; list; next; next; filter off", args: []completer{ofQuery},
			run: (*Session).setFilter,
		},
	}
}

// advance executes the commands next and, if back is set, prev.
func (s *Session) advance(args []word, back bool) (Page, error) {
	name := "next"
	if back {
		name = "prev"
	}
	n := 1
	if len(args) > 0 {
		number, err := strconv.Atoi(args[0].text)
		if err != nil || args[0].pattern {
			return s.searchFor(args, back)
		}
		if n = number; len(args) > 1 || n < 1 {
			return nil, usageOf(name)
		}
	}
	to := s.step
	for range n {
		at := s.neighbour(to, back)
		if at < 0 {
			break
		}
		to = at
	}
	if to == s.step {
		return nil, s.nowhere(back)
	}
	s.step = to
	return s.look().here1(), nil
}

// neighbour returns the step after step i, or the one before it if back is set, among the
// steps that the filter lets through. It returns -1 if there is none.
func (s *Session) neighbour(i int, back bool) int {
	if s.filter == nil {
		if i--; !back {
			i += 2
		}
		if i > s.Len() {
			return -1
		}
		return i
	}
	all := s.listed()
	at, there := slices.BinarySearch(all, i)
	switch {
	case back:
		at--
	case there:
		at++
	}
	if at < 0 || at >= len(all) {
		return -1
	}
	return all[at]
}

// nowhere returns the error for a move beyond the first or last step that the filter lets
// through.
func (s *Session) nowhere(back bool) error {
	filter := ""
	if s.filter != nil {
		filter = " that the filter " + s.filter.text + " lets through"
	}
	if back {
		return fmt.Errorf("there is no step before this one%s", filter)
	}
	return fmt.Errorf("there is no step after this one%s; %s", filter, s.ending())
}

// here1 returns the row of the cursor's step.
func (s Look) here1() Page { return s.rowPage([]int{s.step}) }

// searchFor moves to the next step that fulfils the query in words, or to the nearest one
// before if back is set.
func (s *Session) searchFor(words []word, back bool) (Page, error) {
	q, err := s.run.parseQuery(words)
	if err != nil {
		return nil, err
	}
	return s.lookFor(q, back)
}

func (s *Session) lookFor(q *query, back bool) (Page, error) {
	s.last = q
	at, err := s.run.find(q, s.here, s.step, back)
	switch {
	case err != nil:
		return nil, err
	case at == 0 && back:
		return nil, fmt.Errorf("there is no step before step %s with %s", numerals.Count(s.step), q.text)
	case at == 0:
		return nil, fmt.Errorf("there is no step after step %s with %s", numerals.Count(s.step), q.text)
	}
	s.step = at
	p := s.look().here1()
	return append(p, s.look().changesOf(q)...), nil
}

// changesOf describes how the step changed the fields of a query.
func (s Look) changesOf(q *query) (p Page) {
	for _, t := range q.fields() {
		before, err := s.run.lines(s.here, s.step-1)
		if err != nil {
			return p
		}
		after, err := s.lines()
		if err != nil {
			return p
		}
		p = append(p, differences(s.run.reading, before, after, *t.field, " -> ")...)
	}
	return p
}

func (s *Cursor) jump(args []word) (Page, error) {
	if len(args) != 1 {
		return nil, usageOf("jump")
	}
	to, err := s.stepNamed(args[0].text)
	if err == nil {
		err = s.goTo(to)
	}
	if err != nil {
		return nil, err
	}
	return s.look().here1(), nil
}

func (s *Session) watch(args []word) (Page, error) {
	back := len(args) > 0 && args[0].text == "back"
	if back {
		args = args[1:]
	}
	if len(args) == 0 {
		if s.last == nil || len(s.last.fields()) == 0 {
			return nil, usageOf("watch")
		}
		return s.lookFor(s.last, back)
	}
	f, err := s.run.parseField(texts(args))
	if err != nil {
		return nil, err
	}
	q := &query{text: "a change of " + texts(args), terms: []term{{field: &f}}}
	p, err := s.lookFor(q, back)
	if err == nil {
		return p, nil
	}
	if lines, e := s.lines(); e == nil && f.node >= 0 && len(f.of(lines)) == 0 {
		return nil, f.unknown(lines)
	}
	return nil, err
}

func (s *Session) again(args []word) (Page, error) {
	back := len(args) == 1 && args[0].text == "back"
	if len(args) > 0 && !back {
		return nil, usageOf("again")
	}
	if s.last == nil {
		return nil, fmt.Errorf("there is no query to repeat; next QUERY, prev QUERY, list QUERY and watch set one")
	}
	return s.lookFor(s.last, back)
}

func (s *Session) breakAt(args []word) (Page, error) {
	var p Page
	if len(args) == 0 {
		for i, q := range s.breaks {
			p.add(Plain, "  %d  %s", i+1, q.text)
		}
		if len(p) == 0 {
			p.add(Plain, "no breakpoint is set")
		}
		return p, nil
	}
	q, err := s.run.parseQuery(args)
	if err != nil {
		return nil, err
	}
	s.breaks = append(s.breaks, q)
	return page("breakpoint %d: %s", len(s.breaks), q.text), nil
}

func (s *Session) deleteBreak(args []word) (Page, error) {
	if len(args) != 1 {
		return nil, usageOf("delete")
	}
	if args[0].text == "all" {
		s.breaks = nil
		return page("no breakpoint is set"), nil
	}
	n, err := strconv.Atoi(args[0].text)
	if err != nil || n < 1 || n > len(s.breaks) {
		return nil, fmt.Errorf("there is no breakpoint %s; break lists them", args[0].text)
	}
	gone := s.breaks[n-1]
	s.breaks = append(s.breaks[:n-1:n-1], s.breaks[n:]...)
	return page("deleted: %s", gone.text), nil
}

// proceed executes the command name, which moves to the nearest breakpoint, or else to the
// end of the branch or, if back is set, to its start.
func (s *Session) proceed(name string, args []word, back bool) (Page, error) {
	if len(args) > 0 {
		return nil, usageOf(name)
	}
	best, hit := 0, 0
	for k, q := range s.breaks {
		at, err := s.run.find(q, s.here, s.step, back)
		if err != nil {
			return nil, err
		}
		if at > 0 && (best == 0 || !back && at < best || back && at > best) {
			best, hit = at, k
		}
	}
	var p Page
	switch {
	case best > 0:
		p.add(Plain, "breakpoint %d: %s", hit+1, s.breaks[hit].text)
	case back:
		best = 0
		p.add(Plain, "the start; no breakpoint was met")
	default:
		best = s.Len()
		p.add(Plain, "the end; no breakpoint was met")
	}
	s.step = best
	return append(p, s.look().here1()...), nil
}

func (s *Session) setFilter(args []word) (Page, error) {
	switch {
	case len(args) == 0 && s.filter == nil:
		return page("no filter is set"), nil
	case len(args) == 0:
		return page("filter: %s", s.filter.text), nil
	case args[0].text == "off" && len(args) == 1:
		s.filter = nil
		return page("all steps are listed"), nil
	}
	q, err := s.run.parseQuery(args)
	if err != nil {
		return nil, err
	}
	if len(q.fields()) > 0 {
		return nil, fmt.Errorf("a filter cannot ask about fields; to see the steps that match, type list %s", q.text)
	}
	s.filter = q
	return page("filter: %s: %s of %s", q.text, numerals.Many(len(s.listed()), "step"), numerals.Count(s.Len())), nil
}
