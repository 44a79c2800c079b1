package macetime

import (
	"strings"
	"sync/atomic"
)

// mark begins the text of every reading, so that it is found in other texts.
const mark = "\u29d6"

// texts counts the readings that were written as text by anybody in this process. Whoever
// looks for their texts need not, as long as it stays the same.
var texts atomic.Uint64

func marked(text string) string {
	texts.Add(1)
	return mark + text
}

// Texts returns a number that grows with every reading that is written as text.
func Texts() uint64 { return texts.Load() }

// Written returns the text of a reading that is part of another text, without the mark.
func Written(in string) (text string, is bool) {
	_, after, is := strings.Cut(in, mark)
	end := strings.IndexFunc(after, func(r rune) bool {
		return !strings.ContainsRune("+-.\u00b5", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	if end >= 0 {
		after = after[:end]
	}
	return after, is
}

// Plain returns a text without the marks of readings, for people.
func Plain(text string) string { return strings.ReplaceAll(text, mark, "") }
