package choose

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Open reads a path file. Its errors name the file; they are those of the file system and
// of Parse.
func Open(name string) (*Path, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	path, err := Parse(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

// Parse reads the text form of a path. Every error is one line that says what the problem
// is: not a path, another version, truncated, changed, or malformed in line n.
func Parse(r io.Reader) (*Path, error) { return parseUpTo(r, bytesMost) }

// parseUpTo reads a path of at most most bytes. If the text does not begin as a path, it
// reads only the first bytes, since the input may never end.
func parseUpTo(r io.Reader, most int) (*Path, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(len(magic)); string(head) != magic {
		r = io.LimitReader(b, beginning)
	} else {
		r = io.LimitReader(b, int64(most)+1)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("path file cannot be read: %w", err)
	}
	if len(text) > most {
		return nil, fmt.Errorf("path file has more than %d bytes, and macemc writes none of that size; is it another file?", most)
	}
	return parse(string(text))
}

// beginning is the number of bytes read of a file that is not a path, for the error message.
const beginning = 4096

func parse(text string) (*Path, error) {
	first, rest, _ := strings.Cut(text, "\n")
	if err := checkVersion(first); err != nil {
		return nil, err
	}
	body, end, ok := cutEnd(text)
	if !ok {
		return nil, fmt.Errorf("path file %s", whyNoEnd(rest))
	}
	sum := xxhash.Sum64String(body)
	if written := end[strings.LastIndexByte(end, ' ')+1:]; written != fmt.Sprintf("%016x", sum) {
		return nil, fmt.Errorf("path file was changed after it was written: its end line has checksum %s, its text has %016x; "+
			"if you changed it on purpose, write the latter, or search again", written, sum)
	}
	p, err := parseBody(body)
	if err != nil {
		return nil, err
	}
	if want := strings.TrimSuffix(p.endLine(sum), "\n"); end != want {
		return nil, fmt.Errorf("path file has the end line %q, but its steps make it %q", end, want)
	}
	return p, nil
}

func checkVersion(first string) error {
	number, ok := strings.CutPrefix(first, magic)
	if !ok {
		return fmt.Errorf("not a path file: the first line is %s, not %q",
			quoteShort(first), magic+strconv.Itoa(version))
	}
	if strings.HasSuffix(number, "\r") {
		return fmt.Errorf("path file has lines that end in CR LF; convert it to LF")
	}
	if number != strconv.Itoa(version) {
		return fmt.Errorf("this path file has version %s; this macemc reads version %d: use the macemc that wrote it, or record it again",
			number, version)
	}
	return nil
}

// cutEnd separates the end line of a path from the rest. ok is false if the last line is
// not a complete end line.
func cutEnd(text string) (body, end string, ok bool) {
	text = strings.TrimSuffix(text, "\n")
	at := strings.LastIndexByte(text, '\n') + 1
	return text[:at], text[at:], isEnd(text[at:])
}

// isEnd reports whether line is an end line. No other line looks like one, since keys have
// no spaces and steps begin with numbers.
func isEnd(line string) bool {
	w := strings.Split(line, " ")
	return len(w) == 6 && w[0] == "end" && w[2] == "steps" && w[4] == "choices" && len(w[5]) == 16
}

// whyNoEnd says why the last line is no end line. rest is the text after the first line.
func whyNoEnd(rest string) string {
	steps := 0
	for line := range strings.Lines(rest) {
		line, complete := strings.CutSuffix(line, "\n")
		switch {
		case isEnd(line):
			return "has text after its end line; it may be two files in one"
		case complete && strings.HasPrefix(line, strconv.Itoa(steps+1)+" "):
			steps++
		}
	}
	return fmt.Sprintf("is truncated: it has no end line (complete steps: %d)", steps)
}

// parseBody parses all lines but the last.
func parseBody(body string) (*Path, error) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	blank := slices.Index(lines, "")
	if blank < 0 {
		return nil, malformed(len(lines)+1, "a blank line is missing between header and steps")
	}
	p := new(Path)
	for i, line := range lines[:blank] {
		if i == 0 {
			continue // the version
		}
		f, problem := parseField(line)
		if problem != "" {
			return nil, malformed(i+1, problem)
		}
		p.Header = append(p.Header, f)
	}
	for i := blank + 1; i < len(lines); i++ {
		if problem := p.parseLine(lines[i]); problem != "" {
			return nil, malformed(i+1, problem)
		}
	}
	return p, nil
}

func malformed(line int, problem string) error {
	return fmt.Errorf("path file is malformed in line %d: %s", line, problem)
}

// The functions below return a description of the problem, or "" if there is none.

func parseField(line string) (f Field, problem string) {
	key, value, ok := strings.Cut(line, ":")
	if !ok || !isKey(key) {
		return f, fmt.Sprintf("%s is not a header line like \"key: value\"", quoteShort(line))
	}
	f.Key = key
	if value == "" {
		return f, ""
	}
	value, ok = strings.CutPrefix(value, " ")
	if !ok {
		return f, fmt.Sprintf("a space is missing after %q", key+":")
	}
	f.Value, problem = parseText(value)
	return f, problem
}

// parseText returns the text that appendText has written. It also accepts a text in quotes that
// isPlain would write without: the program that has written it may have had an older table of
// printable characters.
func parseText(text string) (_, problem string) {
	if isPlain(text) {
		return text, ""
	}
	s, err := strconv.Unquote(text)
	if err != nil || text[0] != '"' {
		return "", fmt.Sprintf("%s must be quoted as in Go", quoteShort(text))
	}
	return s, ""
}

// parseLine parses the start or the next step.
func (p *Path) parseLine(line string) (problem string) {
	label, rest, _ := strings.Cut(line, " ")
	choices, problem := parseChoices(rest)
	switch next := strconv.Itoa(len(p.Steps) + 1); {
	case label == "start" && len(p.Steps) == 0 && p.Start == nil:
		p.Start = choices
	case label != next:
		return fmt.Sprintf("step %s is expected, not %s", next, quoteShort(line))
	case problem == "":
		step := Step{Event: choices[0], Coins: slices.Clip(choices[1:])}
		step.Event.Kind = Event
		if len(step.Coins) == 0 {
			step.Coins = nil
		}
		p.Steps = append(p.Steps, step)
	}
	return problem
}

// parseChoices parses choices with separators between them. All get kind Coin; the caller
// sets the first of a step to Event.
func parseChoices(text string) (choices []Choice, problem string) {
	for {
		part := text[:choiceEnd(text)]
		c, problem := parseChoice(part)
		if problem != "" {
			return nil, problem
		}
		choices = append(choices, c)
		if text = text[len(part):]; text == "" {
			return choices, ""
		}
		text = text[len(separator):]
	}
}

// choiceEnd returns where the first choice ends: at a separator outside of quotes, or at
// the end of text.
func choiceEnd(text string) int {
	from := 0
	if quoted, err := strconv.QuotedPrefix(text); err == nil && quoted[0] == '"' {
		from = len(quoted)
	}
	if i := strings.Index(text[from:], separator); i >= 0 {
		return from + i
	}
	return len(text)
}

// parseChoice parses an identity and [pick/of].
func parseChoice(text string) (c Choice, problem string) {
	at := strings.LastIndex(text, " [")
	if at < 0 || !strings.HasSuffix(text, "]") {
		return c, fmt.Sprintf("%s is not a choice like \"identity [pick/of]\"", quoteShort(text))
	}
	numbers := text[at+2 : len(text)-1]
	pick, of, _ := strings.Cut(numbers, "/")
	c.Kind = Coin
	var ok1, ok2 bool
	c.Pick, ok1 = parseNumber(pick)
	c.Of, ok2 = parseNumber(of)
	if !ok1 || !ok2 || c.Pick >= c.Of {
		return c, fmt.Sprintf("[%s] is not [pick/of] with 0 <= pick < of", numbers)
	}
	c.What, problem = parseText(text[:at])
	return c, problem
}

// parseNumber parses a decimal number without sign or leading zeros.
func parseNumber(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, strconv.IntSize-1)
	return int(n), err == nil && strconv.FormatUint(n, 10) == text
}

// quoteShort quotes the beginning of an arbitrary text.
func quoteShort(text string) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
