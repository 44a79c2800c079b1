package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"macemc/internal/numerals"
)

const (
	columns                   = 100     // the number of letters of the longest line of prose, if the width of the output is unknown
	columnsLeast, columnsMost = 60, 140 // the least and the largest length of a line of prose on a terminal
	longest                   = 160     // the number of letters of the longest line of a trace
	widest                    = 400     // the largest length of any line, such as a title or a line of a stack
)

// printer writes lines, and keeps the first error of its writer.
type printer struct {
	w   io.Writer
	all bool // show every step and effect of a run
	err error
}

// line writes one line. Line breaks in its arguments are escaped.
func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, logged(oneLine(fmt.Sprintf(format, args...)))+"\n")
	}
}

func (p *printer) blank() { p.line("") }

// row writes a label in a column of this width, and beside it a text, which is wrapped.
func (p *printer) row(indent, width int, label, text string) {
	lines := Wrap(shortened(Plain(text)), p.columns()-indent-width)
	for i, l := range lines {
		if i > 0 {
			label = ""
		}
		p.line("%s", strings.TrimRight(fmt.Sprintf("%*s%-*s%s", indent, "", width, label, l), " "))
	}
}

// columns returns the length of a line of prose. On a terminal it is the terminal's width, within limits. A
// writer may have a method Columns, which returns the width of its terminal, or 0 if it is none.
func (p *printer) columns() int {
	if w, is := p.w.(interface{ Columns() int }); is {
		if n := w.Columns(); n > 0 {
			return max(columnsLeast, min(n-1, columnsMost)) // some terminals wrap a line that fills the last column
		}
	}
	return columns
}

// Wrap breaks a text into lines of at most width characters, at blanks. Line
// breaks of the text are kept; a longer word is not broken.
func Wrap(text string, width int) (lines []string) {
	for one := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(one) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// cut shortens a line to at most longest characters: see cutTo.
func cut(line string) string { return cutTo(longest, line) }

// cutTo shortens a line to at most most characters. If it cuts a value near the end of the
// line, the text after the value stays: it names the sender of a message and the link.
func cutTo(most int, line string) string {
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	const mark = " ..."
	end := ""
	if i := strings.LastIndexByte(line, '}'); i >= 0 {
		if n := utf8.RuneCountInString(line[i:]); n <= tailMost && n+len(mark) < most/3 {
			end = line[i:]
		}
	}
	most -= len(mark) + utf8.RuneCountInString(end)
	return string([]rune(line)[:most]) + mark + end
}

// tailMost is the number of characters that are kept at the end of a line that is cut in its middle.
const tailMost = 40

// percent returns a share as a percentage with two digits. It is rounded up, since the
// share is an upper bound.
func percent(share float64) string {
	if share <= 0 {
		return "0 %"
	}
	unit := math.Pow(10, math.Floor(math.Log10(share*100))-1)
	return strconv.FormatFloat(math.Ceil(share*100/unit-1e-9)*unit, 'g', 3, 64) + " %"
}

// duration returns an elapsed time in seconds.
func duration(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
}

// rate returns n divided by d, a number per second, with two digits.
func rate(n int, d time.Duration) string {
	if d <= 0 || n == 0 {
		return "0"
	}
	r := float64(n) / d.Seconds()
	unit := math.Pow(10, max(0, math.Floor(math.Log10(r))-1))
	return numerals.Count(int(math.Round(r/unit) * unit))
}

// Sentence returns the first sentence of a text, on one line.
func Sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
