package mdb

import (
	"fmt"
	"strings"
)

// word is one argument of a command. A pattern is a word that began with a slash, and may also be
// the name of a file. A quoted word is never a keyword.
type word struct {
	text    string
	raw     string // a pattern as it was typed, with its slashes
	pattern bool
	quoted  bool
}

// file returns the word as the name of a file.
func (w word) file() string {
	if w.pattern {
		return w.raw
	}
	return w.text
}

// Lines cuts a script into lines, at semicolons and ends of lines outside of quotes and
// patterns.
func Lines(script string) (lines []string, err error) {
	rest := script
	for {
		_, end, err := cutWords(rest)
		if err != nil {
			return nil, err
		}
		if line := strings.TrimSpace(rest[:end]); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
		if end == len(rest) {
			return lines, nil
		}
		rest = rest[end+1:]
	}
}

// cutWords returns the words up to the end of a command, and the position of that end.
func cutWords(text string) (words []word, end int, err error) {
	i := 0
	for {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
			i++
		}
		switch {
		case i == len(text) || text[i] == ';' || text[i] == '\n':
			return words, i, nil
		case text[i] == '#' && len(words) == 0: // a comment, to the end of the line
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				return nil, i + n, nil
			}
			return nil, len(text), nil
		case text[i] == '"' || text[i] == '\'':
			quote := text[i : i+1]
			n := strings.Index(text[i+1:], quote)
			if n < 0 {
				return nil, 0, fmt.Errorf("a quote is not closed: %s", text[i:])
			}
			words = append(words, word{text: text[i+1 : i+1+n], quoted: true})
			i += n + 2
		case text[i] == '/':
			w, n := pattern(text[i:])
			words = append(words, w)
			i += n
		default:
			n := i
			for n < len(text) && !strings.ContainsRune(" \t\r\n;", rune(text[n])) {
				n++
			}
			words = append(words, word{text: text[i:n]})
			i = n
		}
	}
}

// pattern returns the pattern at the beginning of a text, and its length. The pattern ends at a
// slash that precedes a blank, or else at a blank.
func pattern(text string) (w word, n int) {
	blank := func(i int) bool { return i >= len(text) || strings.IndexByte(" \t\r\n;", text[i]) >= 0 }
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '/' && blank(i+1):
			return word{text: strings.ReplaceAll(text[1:i], `\/`, "/"), raw: text[:i+1], pattern: true}, i + 1
		}
	}
	for n = 1; !blank(n); n++ {
	}
	return word{text: strings.ReplaceAll(text[1:n], `\/`, "/"), raw: text[:n], pattern: true}, n
}

// texts returns the words, without their quotes, joined by blanks.
func texts(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}
