package tui

import (
	"github.com/gdamore/tcell/v2"

	"macemc/mdb"
)

// named maps the names of keys that are not characters, as in mdb's table, to tcell's keys.
var named = map[string]tcell.Key{
	"Down": tcell.KeyDown, "Up": tcell.KeyUp, "Left": tcell.KeyLeft, "Right": tcell.KeyRight,
	"Home": tcell.KeyHome, "End": tcell.KeyEnd, "PgDn": tcell.KeyPgDn, "PgUp": tcell.KeyPgUp,
	"Tab": tcell.KeyTab, "Backtab": tcell.KeyBacktab, "F1": tcell.KeyF1,
	"Ctrl-B": tcell.KeyCtrlB, "Ctrl-D": tcell.KeyCtrlD, "Ctrl-F": tcell.KeyCtrlF,
	"Ctrl-L": tcell.KeyCtrlL, "Ctrl-U": tcell.KeyCtrlU,
}

// is reports whether the key that was pressed has this name.
func is(ev *tcell.EventKey, name string) bool {
	if name == "Space" {
		name = " "
	}
	if key, ok := named[name]; ok {
		return ev.Key() == key
	}
	return ev.Key() == tcell.KeyRune && string(ev.Rune()) == name && ev.Modifiers()&^tcell.ModShift == 0
}

// keyOf returns the row of the table for a key and the name that matched, or nil.
func keyOf(ev *tcell.EventKey) (*mdb.Key, string) {
	for _, k := range mdb.Keys() {
		for _, name := range k.Names {
			if is(ev, name) {
				return &k, name
			}
		}
	}
	return nil, ""
}

// mouse handles a click or a turn of the wheel.
func (m *Model) mouse(ev *tcell.EventMouse) {
	x, y := ev.Position()
	f := &m.frame
	onSteps := f.steps.holds(x, y)
	switch ev.Buttons() {
	case tcell.Button1:
		switch {
		case m.help:
			m.help = false
			m.work("")
		case onSteps && y > f.steps.y:
			if k := y - f.steps.y - 1; k < len(f.rows) {
				m.prompt = nil
				m.work("jump " + itoa(f.rows[k].Step))
			}
		case y == f.main.y && f.main.holds(x, y):
			for k, t := range f.tabs {
				if x >= t.x && x < t.x+t.width {
					m.show(k)
					return
				}
			}
		}
	case tcell.WheelDown:
		if onSteps {
			m.work("next")
		} else {
			m.scrollBy(3)
		}
	case tcell.WheelUp:
		if onSteps {
			m.work("prev")
		} else {
			m.scrollBy(-3)
		}
	}
}
