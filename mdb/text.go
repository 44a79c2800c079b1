package mdb

import (
	"fmt"
	"strings"
)

// Style is the meaning of a piece of text, for which the screen has a colour. Nothing is lost
// without colours, since marks in the text have the same meaning.
type Style uint8

// The styles.
const (
	Plain   Style = iota
	Dim           // less important than the rest
	Strong        // a heading, or the current place
	Removed       // only on the first side of a comparison
	Added         // only on the second side
	Changed       // the part of a line that differs
	Bad           // violated
	Good          // holds
)

// Span is text of one style.
type Span struct {
	Style Style
	Text  string
}

// Line is one line of text.
type Line []Span

// Page is the answer of a command, as lines.
type Page []Line

// String returns the text without styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

// String returns the text without styles. Every line ends with a line break.
func (p Page) String() string {
	var b strings.Builder
	for _, l := range p {
		b.WriteString(l.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// add appends text of one style, as several lines if it has line breaks.
func (p *Page) add(style Style, format string, args ...any) {
	for l := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		*p = append(*p, Line{{style, l}})
	}
}

// line appends a line of several spans.
func (p *Page) line(spans ...Span) { *p = append(*p, spans) }

func plain(format string, args ...any) Span  { return Span{Plain, fmt.Sprintf(format, args...)} }
func dim(format string, args ...any) Span    { return Span{Dim, fmt.Sprintf(format, args...)} }
func strong(format string, args ...any) Span { return Span{Strong, fmt.Sprintf(format, args...)} }

// page returns a page of one line.
func page(format string, args ...any) Page {
	var p Page
	p.add(Plain, format, args...)
	return p
}

// plural returns one if n is 1, and more otherwise.
func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
