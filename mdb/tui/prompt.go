package tui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"macemc/mdb"
)

// prompt is a line that is being typed.
type prompt struct {
	lead  string // the character before the line: ":" for a command, "/" for a pattern
	text  []rune
	at    int // position of the cursor
	place int // index in the history, counted from its end; 0 means the line being typed
	kept  []rune
}

func newPrompt(lead, text string) *prompt {
	return &prompt{lead: lead, text: []rune(text), at: len([]rune(text))}
}

func (p *prompt) insert(text string) {
	r := []rune(text)
	p.text = append(p.text[:p.at:p.at], append(r, p.text[p.at:]...)...)
	p.at += len(r)
}

func (p *prompt) delete(from, to int) {
	from, to = max(0, from), min(to, len(p.text))
	if from < to {
		p.text = append(p.text[:from:from], p.text[to:]...)
		p.at = from
	}
}

// word returns the index at which the word before the cursor begins.
func (p *prompt) word() int {
	i := p.at
	for i > 0 && p.text[i-1] == ' ' {
		i--
	}
	for i > 0 && p.text[i-1] != ' ' {
		i--
	}
	return i
}

// typed handles a key while a line is being typed.
func (m *Model) typed(ev *tcell.EventKey) {
	p := m.prompt
	switch ev.Key() {
	case tcell.KeyEnter:
		line := string(p.text)
		m.prompt = nil
		if p.lead == "/" && line != "" {
			line = "/" + strings.ReplaceAll(line, "/", `\/`) + "/"
		}
		m.enter(line)
	case tcell.KeyEscape, tcell.KeyCtrlC:
		m.prompt = nil
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if len(p.text) == 0 {
			m.prompt = nil
			return
		}
		p.delete(p.at-1, p.at)
	case tcell.KeyDelete, tcell.KeyCtrlD:
		p.delete(p.at, p.at+1)
	case tcell.KeyCtrlW:
		p.delete(p.word(), p.at)
	case tcell.KeyCtrlU:
		p.delete(0, p.at)
	case tcell.KeyCtrlK:
		p.delete(p.at, len(p.text))
	case tcell.KeyLeft, tcell.KeyCtrlB:
		p.at = max(0, p.at-1)
	case tcell.KeyRight, tcell.KeyCtrlF:
		p.at = min(len(p.text), p.at+1)
	case tcell.KeyHome, tcell.KeyCtrlA:
		p.at = 0
	case tcell.KeyEnd, tcell.KeyCtrlE:
		p.at = len(p.text)
	case tcell.KeyUp, tcell.KeyCtrlP:
		m.recall(p.place + 1)
	case tcell.KeyDown, tcell.KeyCtrlN:
		m.recall(p.place - 1)
	case tcell.KeyTab:
		m.complete()
	case tcell.KeyRune:
		p.insert(string(ev.Rune()))
	}
}

// recall puts the line at a place of the history into the prompt.
func (m *Model) recall(place int) {
	p := m.prompt
	if place < 0 || place > len(m.history) {
		return
	}
	if p.place == 0 {
		p.kept = p.text
	}
	if p.place = place; place == 0 {
		p.text = p.kept
	} else {
		p.text = []rune(m.history[len(m.history)-place])
	}
	p.at = len(p.text)
}

// complete completes the word before the cursor as far as it is unambiguous, and lists the
// choices.
func (m *Model) complete() {
	p := m.prompt
	if p.lead != ":" {
		return
	}
	words := m.session.Complete(string(p.text[:p.at]))
	if len(words) == 0 {
		return
	}
	common := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	from := p.at
	for from > 0 && p.text[from-1] != ' ' && p.text[from-1] != ';' {
		from--
	}
	if len(words) == 1 && !strings.HasSuffix(common, "/") {
		common += " "
	}
	p.delete(from, p.at)
	p.insert(common)
	if len(words) > 1 {
		m.message = mdb.Line{{Style: mdb.Dim, Text: strings.Join(words, "  ")}}
	}
}
