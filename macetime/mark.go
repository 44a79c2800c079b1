package macetime

import (
	"regexp"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// mark is the beginning of the text of every reading, which is a Time or a Monotone. It makes
// readings easy to find in longer texts.
const mark = "\u29d6"

// texts counts the readings that were written as text in this process. While it does not change, no
// new text can contain one.
var texts atomic.Uint64

func marked(text string) string {
	texts.Add(1)
	return mark + text
}

// Texts returns a number that grows with every reading that is written as text.
func Texts() uint64 { return texts.Load() }

// Written returns the text of a reading that is part of another text, without the mark. is
// reports whether there is one.
func Written(in string) (text string, is bool) {
	_, after, is := strings.Cut(in, mark)
	return reading.FindString(after), is
}

// reading matches, at the beginning of a text, what Time.Text returns.
var reading = regexp.MustCompile(`^(last|none|[tr][0-9]+)([+-]([0-9.]+(h|m|s|ms|µs|ns))+)?`)

// Plain returns a text without the marks of readings, for people. It puts a blank between a reading
// and a word: Go's Sprint writes none where one of two neighbors is a string.
func Plain(text string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	parts := strings.Split(text, mark)
	var b strings.Builder
	b.WriteString(parts[0])
	for k, part := range parts[1:] {
		if before, _ := utf8.DecodeLastRuneInString(parts[k]); wordy(before) {
			b.WriteByte(' ')
		}
		end := len(reading.FindString(part))
		b.WriteString(part[:end])
		if after, _ := utf8.DecodeRuneInString(part[end:]); end > 0 && wordy(after) {
			b.WriteByte(' ')
		}
		b.WriteString(part[end:])
	}
	return b.String()
}

func wordy(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
