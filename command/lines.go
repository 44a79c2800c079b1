package command

import (
	"macemc/internal/account"
	"macemc/internal/lines"
	"macemc/internal/search"
	"macemc/sim"
)

// copiedOnce returns a copy of this program that reports which lines run, and makes it at the first
// call.
func (t *tool) copiedOnce() *lines.Program {
	if t.copies == nil {
		t.copies = t.copied()
	}
	return t.copies
}

// linesRan counts the lines of a system's code, and those that have run in this process so far. The
// process must run an instrumented copy of the program.
func linesRan(sys *sim.System, params sim.Params) (*search.Lines, error) {
	sources := account.NewSources(sys, params)
	ran, err := lines.Counted(sources.Packages())
	if err != nil {
		return nil, err
	}
	return sources.Unran(ran), nil
}

// copied makes a copy of this program that reports which lines run in each step. It returns nil if
// this process has no program file to copy, as in tests.
func (t *tool) copied() *lines.Program {
	if t.args == nil {
		return nil
	}
	p := &lines.Program{Not: module, Flags: t.Flags, Dir: t.Dir, Overlay: t.Overlay}
	for _, sys := range t.Systems {
		if params, err := sys.Configure(0, nil, nil); err == nil {
			p.Packages = append(p.Packages, account.NewSources(sys, params).Packages()...)
		}
	}
	return p
}
