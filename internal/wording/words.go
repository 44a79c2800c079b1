package wording

import (
	"regexp"
	"strconv"
	"strings"
)

// Quoted returns names in quotes, separated by commas.
func Quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, strconv.Quote(n))
	}
	return strings.Join(out, ", ")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// Typed returns words as they must be typed in a shell, separated by blanks.
func Typed(words ...string) string {
	var out []string
	for _, w := range words {
		if !plain.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
