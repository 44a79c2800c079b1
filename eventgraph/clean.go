package eventgraph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes one line of a text that a service may have written. Characters that do not show (line
// breaks, escapes of a terminal, marks that turn the direction of writing) are escaped as in Go.
func clean(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && !unicode.IsGraphic(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// cut shortens a text to at most n characters.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(0, n-1)]) + "…"
}

// wide returns how many columns of a terminal a character takes.
func wide(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	default:
		return 1
	}
}

// folded breaks a text into lines of at most width columns, at blanks or within a longer word. It cuts off
// the text beyond most lines. Lines after the first are indent columns shorter. A no-break space never breaks
// a line, and becomes a plain blank in the result. A service's text contains none, since clean escapes them.
func folded(s string, width, indent, most int) (lines []string) {
	defer func() {
		for i := range lines {
			lines[i] = strings.TrimRight(strings.ReplaceAll(lines[i], "\u00a0", " "), " ")
		}
	}()
	room := width
	for s != "" {
		if len(lines) == most-1 {
			n := fit(s, room)
			if n < len(s) {
				n = fit(s, room-1)
				s = s[:n] + "…"
			}
			return append(lines, s)
		}
		n := fit(s, room)
		if n < len(s) {
			if at := strings.LastIndexByte(s[:n+1], ' '); at > n/3 {
				n = at
			} else if at := strings.LastIndex(s[:n], "\u00a0"); at > n/3 {
				n = at
			}
		}
		lines = append(lines, strings.TrimRight(s[:n], " "))
		s = strings.TrimLeft(s[n:], " \u00a0")
		room = width - indent
	}
	return lines
}

// fit returns how many bytes at the beginning of s can be written in room columns. The first
// character counts as if it could always be written.
func fit(s string, room int) int {
	for i, r := range s {
		room -= wide(r)
		if room < 0 && i > 0 {
			return i
		}
	}
	return len(s)
}
