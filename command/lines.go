package command

import (
	"macemc/internal/account"
	"macemc/internal/lines"
)

// copiedOnce is the copy of this program that all of a command asks.
func (t *tool) copiedOnce() *lines.Program {
	if t.copies == nil {
		t.copies = t.copied()
	}
	return t.copies
}

// copied is the program that tells which lines run in each step, by a copy of this
// one; nil: this is no program of its own.
func (t *tool) copied() *lines.Program {
	if t.args == nil {
		return nil
	}
	p := &lines.Program{Not: module, Flags: t.built.Flags, Overlay: t.built.Overlay}
	for _, sys := range t.Systems {
		if params, err := sys.Configure(0, nil, nil); err == nil {
			p.Packages = append(p.Packages, account.NewSources(sys, params).Packages()...)
		}
	}
	return p
}
