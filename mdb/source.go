package mdb

import (
	"errors"
	"fmt"
	"strings"

	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/lines"
	"macemc/internal/numerals"
	"macemc/sim"
)

func sourceCommand() *command {
	return &command{
		Name: "source", Meant: "code lines stack backtrace bt handler", Aliases: []string{"src"}, Group: groupLook, Usage: "[STEP]",
		Short:   "show the lines of code of a step: those of the handler and of the functions it called; lines that ran are marked with >",
		Help:    "The marks come from a copy of the program that counts lines: it is built once, and takes the run again.\nWithout the go command or the sources there are no marks, and a line says so.",
		Example: "jump 1; source", args: []completer{},
		run: func(s *Session, args []word) (Page, error) {
			i, err := s.stepOr("source", args, s.step)
			if err != nil {
				return nil, err
			}
			return s.SourcePage(i)
		},
	}
}

// ran has, for each step of a branch, the lines of the service's code that ran in it. It was
// computed when the branch had len steps.
type ran struct {
	of      *branch
	len     int
	code    func(step int, e sim.Event) (code []eventgraph.Code, known bool)
	err     error
	sources *account.Sources
}

// at returns the code of a step, whose event is e. known reports whether it is the code
// that ran; otherwise it is the code of the event's handler, if there is one.
func (r *ran) at(step int, e sim.Event) (code []eventgraph.Code, known bool) {
	if r.code != nil {
		code, known = r.code(step, e)
	}
	if !known && step > 0 {
		code = r.sources.HandlerCode(e)
	}
	return code, known
}

// linesRan returns the lines that ran in the steps of the current branch.
func (s *Session) linesRan() *ran {
	if r := &s.ran; r.of != s.here || r.len != s.Len() {
		r.take(s)
	}
	return &s.ran
}

func (r *ran) take(s *Session) {
	w := s.run.player.World()
	if r.sources == nil {
		r.sources = account.NewSources(w.System(), w.Params())
	}
	*r = ran{sources: r.sources}
	if r.err = s.opener.Busy.tell("taking the run again, to see which lines run", 0, 0); r.err != nil {
		return
	}
	r.of, r.len, r.err = s.here, s.Len(), lines.ErrNone
	if s.opener.Ran != nil {
		r.code, r.err = s.opener.Ran(w.System(), w.Params(), s.here.path(s.run.header, s.Len()))
	}
}

// SourcePage shows the lines of code that ran in a step.
func (s *Session) SourcePage(i int) (p Page, err error) {
	ran := s.linesRan()
	if errors.Is(ran.err, errStopped) {
		return nil, ran.err
	}
	event := sim.Event{}
	p.add(Strong, "the start of the nodes")
	if i > 0 {
		t := s.here.at(i)
		event = t.Event
		p = page("step %s of %s", numerals.Count(i), numerals.Count(s.Len()))
		p[0][0].Style = Strong
		p.add(Plain, "  %s", s.run.shown(t))
		if how := t.CrashedWithin(); how != "" {
			p.add(Bad, "  %s crashed %s: what the marked lines did after that had no effect", t.Node, how)
		}
	}
	all, known := ran.at(i, event)
	for _, one := range all {
		p.add(Strong, "%s, %s", one.Func, one.At)
		for _, l := range one.Lines {
			text := strings.ReplaceAll(l.Text, "\t", "    ")
			switch {
			case l.Number == 0:
				p.add(Dim, "        ...")
			case l.Ran:
				p.line(Span{Dim, fmt.Sprintf("%5d ", l.Number)}, Span{Good, "> "}, Span{Plain, text})
			case known:
				p.add(Dim, "%5d   %s", l.Number, text)
			default:
				p.add(Plain, "%5d   %s", l.Number, text)
			}
		}
	}
	switch {
	case ran.err != nil:
		p.add(Dim, "which lines ran is not known: %s", ran.err)
	case !known:
		p.add(Dim, "which lines ran is not known: the step could not be taken again")
	case len(all) == 0:
		p.add(Dim, "no line of the service ran that can be read")
	}
	return p, nil
}
