package eventgraph

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// style is the set of characters that draw a graph as text.
type style struct {
	dot, crash, restart, self      rune
	lane, away, gap, mend          rune
	cut, side, paused              rune
	critical, failed               string
	message, overtaking, losing    arrow
	copying, hearing, breaking     arrow
	sending, lostSending, refusing arrow
	colored, ascii                 bool
}

// arrow has the characters of an arrow. Where there are two, the first is for an arrow to the right, and the
// second for one to the left.
type arrow struct {
	tail, head   [2]rune
	shaft, cross rune
	short        bool
}

var unicodeStyle = style{
	dot: '●', crash: '✗', restart: '○', self: '↺', lane: '│', away: '┊', gap: '⋮', cut: '╳', side: '━', mend: '═', paused: '╎',
	critical: "◆", failed: "!",
	message:     arrow{[2]rune{'┝', '┥'}, [2]rune{'▶', '◀'}, '━', '┿', false},
	overtaking:  arrow{[2]rune{'├', '┤'}, [2]rune{'▶', '◀'}, '~', '~', false},
	losing:      arrow{[2]rune{'├', '┤'}, [2]rune{'✗', '✗'}, '╌', '┼', false},
	copying:     arrow{[2]rune{'╞', '╡'}, [2]rune{'▷', '◁'}, '═', '╪', false},
	hearing:     arrow{[2]rune{'├', '┤'}, [2]rune{'▷', '◁'}, '╌', '┼', false},
	breaking:    arrow{[2]rune{'├', '┤'}, [2]rune{'✗', '✗'}, '╌', '┼', false},
	sending:     arrow{[2]rune{'├', '┤'}, [2]rune{'▷', '◁'}, '─', '┼', false},
	lostSending: arrow{[2]rune{'├', '┤'}, [2]rune{'✗', '✗'}, '─', '┼', false},
	refusing:    arrow{[2]rune{'├', '┤'}, [2]rune{'✗', '✗'}, '─', '│', true},
}

var asciiStyle = style{
	dot: '*', crash: 'X', restart: 'o', self: '@', lane: '|', away: ':', gap: ':', cut: '#', side: '-', mend: '=', paused: ';',
	critical: ">", failed: "!",
	message:     arrow{[2]rune{'|', '|'}, [2]rune{'>', '<'}, '=', '=', false},
	overtaking:  arrow{[2]rune{'|', '|'}, [2]rune{'>', '<'}, '~', '~', false},
	losing:      arrow{[2]rune{'|', '|'}, [2]rune{'x', 'x'}, '.', '.', false},
	copying:     arrow{[2]rune{'|', '|'}, [2]rune{'>', '<'}, '+', '+', false},
	hearing:     arrow{[2]rune{'|', '|'}, [2]rune{'>', '<'}, '.', '.', false},
	breaking:    arrow{[2]rune{'|', '|'}, [2]rune{'x', 'x'}, '.', '.', false},
	sending:     arrow{[2]rune{'|', '|'}, [2]rune{'>', '<'}, '-', '-', false},
	lostSending: arrow{[2]rune{'|', '|'}, [2]rune{'x', 'x'}, '-', '-', false},
	refusing:    arrow{[2]rune{'|', '|'}, [2]rune{'x', 'x'}, '-', '|', true},
}

func styleOf(o TextOptions) *style {
	s := unicodeStyle
	if o.ASCII {
		s = asciiStyle
		s.ascii = true
	}
	s.colored = o.Color
	return &s
}

// sign is a sign of a drawing, with its meaning for the legend.
type sign struct{ sign, what string }

// signs returns the signs that the legend can explain, in its order.
func (s *style) signs() []sign {
	pic := func(a arrow) string {
		return string([]rune{a.head[1], a.shaft, a.shaft, a.tail[1]})
	}
	return []sign{
		{string(s.dot), "step"},
		{pic(s.sending), "sent"},
		{pic(s.message), "delivered"},
		{pic(s.losing), "lost"},
		{string([]rune{s.refusing.head[1], s.refusing.tail[1]}), "not sent"},
		{pic(s.copying), "duplicated"},
		{pic(s.overtaking), "reordered"},
		{string([]rune{s.breaking.tail[0], s.breaking.shaft, s.breaking.head[0], s.breaking.shaft, s.breaking.tail[1]}), "broken"},
		{string(s.crash), "crash"},
		{string(s.restart), "restart"},
		{string(s.paused), "paused"},
		{"A" + strings.Repeat(string(s.cut), 2) + "B", "partition"},
		{strings.Repeat(string(s.mend), 3), "mended"},
		{s.critical, "critical"},
		{s.failed, "failed"},
	}
}

// color is the colour of a part of a row on a terminal.
type color uint8

const (
	plain color = iota
	dim
	bold
	red
	green
	yellow
)

var escapes = [...]string{dim: "\x1b[2m", bold: "\x1b[1m", red: "\x1b[31m", green: "\x1b[32m", yellow: "\x1b[1;33m"}

// folded breaks a text into lines of this width, as the function folded does.
func (s *style) folded(text string, width, indent int) []string {
	if !s.ascii {
		return folded(text, width, indent, linesMost)
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "…", "~") {
		if r < utf8.RuneSelf || r == '\u00a0' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	lines := folded(b.String(), width, indent, linesMost)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "…", "~")
	}
	return lines
}

func (s *style) paint(b *strings.Builder, text string, c color) {
	if !s.colored || c == plain || text == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(escapes[c] + text + "\x1b[0m")
}

// cells writes the characters of a row with their colours. Neighbours of one colour share
// an escape sequence.
func (s *style) cells(b *strings.Builder, cells []rune, colors []color) {
	for i := 0; i < len(cells); {
		k := i
		for k < len(cells) && colors[k] == colors[i] {
			k++
		}
		s.paint(b, string(cells[i:k]), colors[i])
		i = k
	}
}
