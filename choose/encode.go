package choose

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// The text form of a path, version 1:
//
//	macemc path 1
//	system: randtree
//	seed: 7
//
//	start which root: n2 [2/3]
//	1 n0 timer join{} [0/4]
//	2 n1 message join{n0} from n0 [1/2] | which child: n2 [0/2] | drop: no [0/2]
//	end 2 steps 5 choices d78c80f5a23ac37e
//
// It has a header, a blank line, the coins of the start if there are any, and a line for
// each step with its number, its event and its coins. A choice is an identity and
// [pick/of]; picks count from 0. An identity or header value that could be misread, or that
// is not printable, is written as a Go string literal. The end line counts steps and
// choices (picks among several alternatives), and has the xxhash64 of all bytes before it.
const (
	version   = 1
	magic     = "macemc path "
	separator = " | "
	bytesMost = 1 << 30 // the size of the largest path that is read: about ten million steps
)

// WriteTo writes the text form in one Write. It writes nothing and returns an error if
// Parse would refuse the text.
func (p *Path) WriteTo(w io.Writer) (int64, error) {
	text, err := p.encode()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

func (p *Path) encode() ([]byte, error) {
	b := fmt.Appendf(nil, "%s%d\n", magic, version)
	b, err := appendHeader(b, p.Header)
	if err != nil {
		return nil, err
	}
	b = append(b, '\n')
	if len(p.Start) > 0 {
		if b, err = appendLine(b, "start", p.Start); err != nil {
			return nil, err
		}
	}
	var line []Choice
	for i := range p.Steps {
		line = append(append(line[:0], p.Steps[i].Event), p.Steps[i].Coins...)
		if b, err = appendLine(b, strconv.Itoa(i+1), line); err != nil {
			return nil, err
		}
	}
	if b = append(b, p.endLine(xxhash.Sum64(b))...); len(b) > bytesMost {
		return nil, fmt.Errorf("path of %d steps has %d bytes; a path file has at most %d", len(p.Steps), len(b), bytesMost)
	}
	return b, nil
}

// endLine returns the last line of a path whose other lines have this checksum.
func (p *Path) endLine(sum uint64) string {
	return fmt.Sprintf("end %d steps %d choices %016x\n", len(p.Steps), p.Choices(), sum)
}

func appendHeader(b []byte, header []Field) ([]byte, error) {
	for _, f := range header {
		if !isKey(f.Key) {
			return nil, fmt.Errorf("path header has the key %q; a key has only printable characters, no space and no colon", f.Key)
		}
		b = append(append(b, f.Key...), ':')
		if f.Value != "" {
			b = appendText(append(b, ' '), f.Value)
		}
		b = append(b, '\n')
	}
	return b, nil
}

// appendLine appends a line: the label, then the choices with separators between them.
func appendLine(b []byte, label string, choices []Choice) ([]byte, error) {
	b = append(append(b, label...), ' ')
	for i, c := range choices {
		if c.Pick < 0 || c.Pick >= c.Of {
			return nil, fmt.Errorf("path line %q has pick %d of %d for %q; picks are from 0 and below the number of alternatives",
				label, c.Pick, c.Of, c.What)
		}
		if i > 0 {
			b = append(b, separator...)
		}
		b = appendText(b, c.What)
		b = fmt.Appendf(b, " [%d/%d]", c.Pick, c.Of)
	}
	return append(b, '\n'), nil
}

// appendText appends text as it is, or quoted if necessary.
func appendText(b []byte, text string) []byte {
	if isPlain(text) {
		return append(b, text...)
	}
	return strconv.AppendQuote(b, text)
}

// isPlain reports whether text can be written without quotes: it is printable and on one line, does
// not begin with a quotation mark, has no blank at its beginning or end, and could not be taken for
// two texts with a separator between them. So "a|b" is plain, and "a | b" and "| b" are not.
func isPlain(text string) bool {
	return text != "" && text[0] != '"' &&
		text[0] != ' ' && text[len(text)-1] != ' ' &&
		!strings.Contains(" "+text+" ", separator) &&
		isPrintable(text)
}

func isPrintable(text string) bool {
	for _, r := range text {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(text)
}

func isKey(key string) bool {
	return key != "" && isPrintable(key) && !strings.ContainsAny(key, " :")
}
