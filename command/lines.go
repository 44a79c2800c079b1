package command

import (
	"macemc/internal/account"
	"macemc/internal/lines"
)

// copied is the program that tells which lines run in each step, by a copy of this
// one; nil: this is no program of its own. Its building is told.
func (t *tool) copied(building func()) *lines.Program {
	if t.args == nil {
		return nil
	}
	p := &lines.Program{Not: module, Flags: t.built.Flags, Overlay: t.built.Overlay, Building: building}
	for _, sys := range t.Systems {
		if params, err := sys.Configure(0, nil, nil); err == nil {
			p.Packages = append(p.Packages, account.NewSources(sys, params).Packages()...)
		}
	}
	return p
}
