package mdb

import (
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/numerals"
	"macemc/internal/observe"
	"macemc/sim"
	"macemc/trace"
)

func looking() []*command {
	return []*command{
		{
			Name: "show", Meant: "print event effects what explain", Aliases: []string{"s"}, Group: groupLook, Usage: "[STEP]",
			Short:   "show a step: its event, the handler's questions and effects, and the changes of the state",
			Example: "jump 10; show; show 12; show 0", args: []completer{},
			run: func(s *Session, args []word) (Page, error) {
				i, err := s.stepOr("show", args, s.step)
				if err != nil {
					return nil, err
				}
				return s.look().StepPage(i)
			},
		},
		sourceCommand(),
		{
			Name: "list", Meant: "ls steps trace events", Aliases: []string{"l"}, Group: groupLook, Usage: "[N | all | QUERY]",
			Short:   "list the steps around here (N on each side, by default 5), all steps, or those that fulfil a query",
			Example: "list 2; list type join; list field n1.papa; list all", args: []completer{ofQuery},
			run: (*Session).list,
		},
		{
			Name: "state", Meant: "node nodes vars locals inspect dump print", Aliases: []string{"st"}, Group: groupLook, Usage: "[NODE | FIELD ...]",
			Short:   "show the state: all of it, of one node, or some fields",
			Help:    "Lines that the step changed are marked with ~, new ones with +.",
			Example: `jump 10; state n1; state n1.papa "n0 timer"; state`, args: []completer{ofFields},
			run: func(s *Session, args []word) (Page, error) { return s.look().state(args) },
		},
		{
			Name: "field", Meant: "values", Aliases: []string{"fields"}, Group: groupLook, Usage: "FIELD",
			Short:   "show one field of all nodes, side by side",
			Example: "jump end; field papa; field kids; field timer", args: []completer{ofFields},
			run: func(s *Session, args []word) (Page, error) { return s.look().fieldOfAll(args) },
		},
		{
			Name: "exact", Group: groupLook, Usage: "COMMAND ...",
			Short: "execute a command, and show values in the form in which states are compared",
			Help: "Other commands show a message before the envelope that a layer has put around it, and a value " +
				"with a method String by that method.",
			Example: "jump 10; exact state; exact pending; exact show",
			run:     (*Session).exactly,
		},
		{
			Name: "pending", Meant: "messages message timers timer network queue inflight", Aliases: []string{"pe"}, Group: groupLook,
			Short:   "show what is pending: messages, timers, tasks, requests of scripts, remaining faults",
			Example: "jump 10; pending",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("pending")
				}
				return s.look().PendingPage()
			},
		},
		{
			Name: "properties", Meant: "monitors monitor property invariants invariant check violated", Aliases: []string{"props"}, Group: groupLook,
			Short: "show every property: whether it holds, since which step, and its description of the state",
			Help: "Properties of steps and monitors fail in a step, which ends the run. Of a monitor it shows what it " +
				"remembers, and of one that cools whether it is hot now.",
			Example: "properties; jump end; properties",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("properties")
				}
				return s.look().PropertiesPage()
			},
		},
		{
			Name: "log", Meant: "logs output", Group: groupLook, Usage: "[NODE]",
			Short:   "show the log lines of the run up to here, of one node or of all",
			Example: "jump end; log; log n1", args: []completer{ofNodes},
			run: func(s *Session, args []word) (Page, error) { return s.look().log(args) },
		},
		{
			Name: "alternatives", Meant: "options choices enabled possible else otherwise", Aliases: []string{"a"}, Group: groupLook, Usage: "[STEP]",
			Short:   "show the events that are possible after a step, and the effects of each",
			Help:    "A handler that tosses coins has an outcome for each of their answers: take N COIN ... takes one.\nFor the alternatives to a step, use it at the step before.",
			Example: "jump 11; alternatives; alternatives 0",
			run: func(s *Session, args []word) (Page, error) {
				i, err := s.stepOr("alternatives", args, s.step)
				if err != nil {
					return nil, err
				}
				return s.look().AlternativesPage(i)
			},
		},
		{
			Name: "summary", Meant: "status about verdict", Aliases: []string{"info"}, Group: groupLook,
			Short:   "describe the open run: its system, its conditions, its end",
			Example: "summary",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("summary")
				}
				return s.SummaryPage(), nil
			},
		},
	}
}

// exactly executes the command in args. While it runs, values are shown in the form in
// which states are compared.
func (s *Session) exactly(args []word) (Page, error) {
	if len(args) == 0 {
		return nil, usageOf("exact")
	}
	return s.run.exactly(func() (Page, error) { return s.execute(args) })
}

// Look describes the step and the state at the place of a cursor. It does not move the
// cursor.
type Look struct{ Cursor }

// look returns a Look at the cursor's place.
func (s *Cursor) look() Look { return Look{*s} }

// StepPage describes step i of the branch: its event, its causes and its effects.
func (s Look) StepPage(i int) (p Page, err error) {
	b := s.here
	if i == 0 {
		p.add(Strong, "the start of the nodes")
		for _, t := range b.trunk().start {
			if len(t.Effects)+len(t.Coins) > 0 {
				p.add(Plain, "  %s", t.Identity)
				p = append(p, s.run.did(&t.Step)...)
			}
		}
		return append(p, s.failed(0)...), nil
	}
	t := b.at(i)
	head := fmt.Sprintf("step %s of %s", numerals.Count(i), numerals.Count(b.len()))
	if s.mark(i) == MarkCritical {
		head += ", the critical step"
	}
	p.add(Strong, "%s", head)
	p.add(Plain, "  %s", s.run.shown(t))
	before, err := s.run.lines(b, i-1)
	if err != nil {
		return nil, err
	}
	p = append(p, s.run.did(&t.Step, before...)...)
	p.add(Dim, "  %s", s.circumstances(t))
	p = append(p, s.failed(i)...)
	changes, err := s.ChangesPage(i)
	if err != nil {
		return p, err
	}
	if len(changes) == 0 {
		p.add(Plain, "nothing of the state changed")
		return p, nil
	}
	p.add(Strong, "changed:")
	return append(p, changes...), nil
}

// shown returns the text of a step's event in the form for people.
func (r *run) shown(t *took) string {
	if r.exact {
		return t.Identity
	}
	return t.Shown(r.player.World().Walker().Text)
}

// did describes the coins, facts and effects of a step. If the lines of the state before it
// are given, it also describes which times were compared.
func (r *run) did(step *trace.Step, before ...canon.Line) (p Page) {
	walker := r.player.World().Walker()
	add := func(style Style, asked, text string) {
		l := Line{Span{style, "      " + text}}
		if times := observe.Compared(asked, step.Event.Node, before); times != "" && before != nil {
			l = append(l, Span{Dim, "  (" + times + ")"})
		}
		p = append(p, l)
	}
	for _, f := range step.Facts {
		about, is := f.About.(string)
		if !is {
			about = walker.Text(f.About)
		}
		add(Dim, about, fmt.Sprintf("asked %s %s: %v", f.Asked, about, f.Answer))
	}
	for _, c := range step.Coins {
		add(Plain, c.What, "choose "+c.What)
	}
	for _, e := range step.Effects {
		style := Plain
		if e.Kind == trace.EffectLog {
			style = Dim
		}
		text := e.Shown(walker.Text)
		if r.exact {
			text = e.Text(walker.Text)
		}
		p.add(style, "      %s", text)
	}
	return p
}

// circumstances describes the causes of a step, and how many other events were possible.
func (s Look) circumstances(t *took) string {
	var parts []string
	switch row := contract.Row(&t.Event); {
	case t.Event.Kind == sim.KindQuorum:
		for k, cause := range t.Causes {
			parts = append(parts, fmt.Sprintf("#%d %s", k+1, caused("sent", cause)))
		}
	case row.Travels():
		parts = append(parts, caused("sent", t.Cause()))
	case row.Class == "timer":
		parts = append(parts, caused("scheduled", t.Cause()))
	case row.Class == "task":
		parts = append(parts, caused("posted", t.Cause()))
	}
	switch {
	case t.Possible == 1:
		parts = append(parts, "nothing else was possible")
	case t.Possible > 1:
		parts = append(parts, fmt.Sprintf("one of %s that were possible", numerals.Many(t.Possible, "event")))
	}
	return strings.Join(parts, "; ")
}

func caused(verb string, step int) string {
	if step < 0 {
		return verb + " before the run"
	}
	if step == 0 {
		return verb + " at the start"
	}
	return fmt.Sprintf("%s in step %s", verb, numerals.Count(step))
}

// failed describes how the service failed in step i, if it did.
func (s Look) failed(i int) (p Page) {
	f := s.here.failure
	if f == nil || i != s.here.len() {
		return nil
	}
	text := f.Verdict.String()
	if f.Property != "" {
		text += fmt.Sprintf(" %q", f.Property)
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	p.add(Bad, "  ! %s", text)
	for call, rest := range frames(f.Stack) {
		p.add(Dim, "      in %s (%s)", call, rest)
	}
	return p
}

// frames returns the calls in the text of a stack, each with its file and line.
func frames(stack string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		lines := strings.Split(stack, "\n")
		for i := 0; i+1 < len(lines); i += 2 {
			if !yield(lines[i], filepath.Base(strings.TrimSpace(lines[i+1]))) {
				return
			}
		}
	}
}

// ChangesPage describes how step i changes the state, or some fields of it.
func (s Look) ChangesPage(i int, fields ...field) (Page, error) {
	if i == 0 {
		return nil, nil
	}
	before, err := s.run.lines(s.here, i-1)
	if err != nil {
		return nil, err
	}
	after, err := s.run.lines(s.here, i)
	if err != nil {
		return nil, err
	}
	var p Page
	_, down := observe.Went(observe.Diff(before, after))
	if len(down) > 0 {
		before, after = observe.Without(before, down), observe.Without(after, down)
		for _, node := range down {
			p.add(Plain, "    %s went down: what it kept in memory is gone", node)
		}
	}
	return append(p, differences(s.run.reading, before, after, field{}, " -> ", fields...)...), nil
}

func (s *Session) list(args []word) (Page, error) {
	reach := 5
	if len(args) == 1 && args[0].text == "all" {
		reach = s.Len()
	} else if len(args) > 0 {
		n, err := strconv.Atoi(args[0].text)
		if err != nil || args[0].pattern {
			return s.listQuery(args)
		}
		if reach = n; n < 1 || len(args) > 1 {
			return nil, usageOf("list")
		}
	}
	var p Page
	width := len(strconv.Itoa(s.Len()))
	for _, r := range s.Rows(s.step, reach, reach) {
		p = append(p, r.line(width))
	}
	return p, nil
}

func (s *Session) listQuery(args []word) (Page, error) {
	q, err := s.run.parseQuery(args)
	if err != nil {
		return nil, err
	}
	var steps []int
	if err := s.run.matches(q, s.here, 0, s.Len(), func(i int) bool {
		steps = append(steps, i)
		return true
	}); err != nil {
		return nil, err
	}
	s.last = q
	p := page("%s of %s: %s", numerals.Many(len(steps), "step"), numerals.Count(s.Len()), q.text)
	return append(p, s.look().rowPage(steps)...), nil
}

func (s Look) log(args []word) (Page, error) {
	var only sim.Addr
	switch len(args) {
	case 0:
	case 1:
		a, err := s.run.addr(args[0].text)
		if err != nil {
			return nil, err
		}
		only = a
	default:
		return nil, usageOf("log")
	}
	var p Page
	add := func(i int, t *took) {
		for _, e := range t.Effects {
			if e.Kind == trace.EffectLog && (only.IsZero() || t.Node == only) {
				p.add(Plain, "%5d  %s  %s", i, t.Node, e.Value)
			}
		}
	}
	start := s.here.trunk().start
	for k := range start {
		add(0, &start[k])
	}
	for i := 1; i <= s.step; i++ {
		add(i, s.here.at(i))
	}
	if len(p) == 0 {
		p.add(Plain, "nothing was logged up to here")
	}
	return p, nil
}

// SummaryPage describes the open run.
func (s *Session) SummaryPage() (p Page) {
	r := s.run
	p.add(Strong, "%s: %s", r.title, r.name())
	for _, f := range r.header {
		if f.Key != "system" && f.Key != "bug" && f.Key != "state" {
			p.add(Plain, "  %-10s %s", f.Key, f.Value)
		}
	}
	p.add(Plain, "  %-10s %s, of %s", "steps", numerals.Count(s.here.len()), numerals.Many(r.nodes(), "node"))
	if r.recorded != nil && r.trunk.stopped != "" && s.here == r.trunk {
		p.add(Bad, "  the path is followed to step %s of %s: %s", numerals.Count(r.trunk.len()), numerals.Count(len(r.recorded.Steps)), r.trunk.stopped)
		if r.was != "" {
			p.add(Bad, "  %s", r.was)
		}
	}
	if text := s.otherwise(); text != "" {
		p.add(Bad, "  %s", text)
	}
	p = append(p, s.look().failed(s.here.len())...)
	if s.live != "" {
		p.add(Plain, "  %-10s %s", "live path", s.live)
	}
	return p
}
