package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"macemc/internal/numerals"
)

// Texts of the service under check (explanations, panics, names, logs, values) are shown by
// terminals, browsers and CI servers, which interpret some characters. Such characters are
// escaped.

const (
	textMost  = 2000 // the largest number of characters that are shown of one text of the service
	linesMost = 40   // the largest number of lines of such a text
	stackMost = 60   // the largest number of lines of a stack
)

// Plain returns a text in which characters that control a terminal or mislead a reader are escaped as in Go:
// control characters except line breaks and tabs, changes of the writing direction, and bytes that are not
// UTF-8.
func Plain(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case harmless(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

func isPlain(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !harmless(r) {
			return false
		}
	}
	return true
}

// harmless reports whether a character is only drawn, and controls nothing. That includes
// format characters that join emoji, or letters of some scripts.
func harmless(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return true
	case r == '\u2028', r == '\u2029', r&0xfffe == 0xfffe: // line breaks to some; no characters
		return false
	case unicode.Is(unicode.Cf, r):
		return r == '\u00ad' || r == '\u200c' || r == '\u200d'
	default:
		return !unicode.IsControl(r)
	}
}

// oneLine returns plain text without line breaks.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", " ").Replace(Plain(text))
}

// Line returns text as one line: line breaks become blanks, and nothing in it has an effect on the
// terminal or log that shows it.
func Line(text string) string {
	return logged(Plain(strings.Join(strings.Fields(text), " ")))
}

// Printed returns a text of several lines, changed so that no part of it acts as a command of a
// terminal or of a workflow's log.
func Printed(text string) string {
	lines := strings.Split(Plain(text), "\n")
	for i := range lines {
		lines[i] = logged(lines[i])
	}
	return strings.Join(lines, "\n")
}

// short returns a text as one line of limited length.
func short(text string) string { return logged(cutTo(widest, oneLine(text))) }

// logged returns a line that the log of a workflow does not take for a command. Commands of
// GitHub begin with two colons, after blanks; older ones have "##[" anywhere in the line.
func logged(line string) string {
	if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\x3a` + rest[1:]
	}
	return strings.ReplaceAll(line, "##[", `#\x23[`)
}

// shortened returns a text of readable length, with a note about the rest.
func shortened(text string) string {
	kept := text
	if runes := []rune(kept); len(runes) > textMost {
		kept = string(runes[:textMost])
	}
	if lines := strings.SplitN(kept, "\n", linesMost+1); len(lines) > linesMost {
		kept = strings.Join(lines[:linesMost], "\n")
	}
	if left := utf8.RuneCountInString(text) - utf8.RuneCountInString(kept); left > 0 {
		kept += fmt.Sprintf("\n... and %s more, which --json has", numerals.Many(left, "character"))
	}
	return kept
}
