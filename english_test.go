package macemc_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const (
	dialectFile = "testdata/english.txt"
	// A package that the file does not name may have this many lines.
	dialectUsual = 4
)

// The habits of the dialect in which the comments were once written. Each pattern is
// matched against the text of a comment, line by line, so a phrase that is broken over
// two lines is missed. They find habits and not bad sentences: a sentence without any of
// them can be as unclear, and CONTRIBUTING.md says how to write a good one.
var habits = []struct {
	name    string
	pattern *regexp.Regexp
	instead string
}{
	{"who without a subject", regexp.MustCompile(`(?i)\b(for|to|of|by|from|than|as|tells?|asks?|and|but|nobody) who(m|ever)?\b|(^|[.;:] )Who(ever)? `), "name the subject: the caller, the search, the user"},
	{"told", regexp.MustCompile(`(?i)\btold\b|\btells?\b`), "returns, reports, records, describes"},
	{"an inverted sentence", regexp.MustCompile(`(^|[.;] )(Of|What|Whatever|Whom|Where) [a-z]+[^?]*$`), "begin with the subject: subject, verb, object"},
	{"a clause for a noun", regexp.MustCompile(`(?i)\bwhat (is|was) (wrong|known|there|left|said|asked|to come|done|seen|open)\b|\bhow far (it|they|that|this)\b|\bwhat (it|they|he) (has|have|had|is|are|came)\b`), "a noun: the error, the progress, the contents"},
	{"a value and a colon", regexp.MustCompile(`(^|[;,.(] ?)(nil|Nil|""|0|-1|false|False|true): `), `"If x is nil, ..." or "0 means ..."`},
	{"so many", regexp.MustCompile(`(?i)\b(so|as) many\b`), "the number, or a name for it"},
}

// verbs matches the beginning of a doc comment whose subject is a name that would be one of
// the habits: "Of returns ..." is plain if Of is a function.
var verbs = regexp.MustCompile(`^(Of|Where|What|[Tt]old|[Tt]ells?) (returns|reports|describes|appends|writes|sends|follows|is the|names)\b`)

// TestDialect counts the lines of comments with one of the habits in each package, and
// compares them with the ceilings in testdata/english.txt, which may only sink.
// go test . -run TestDialect -lower writes the present counts there.
func TestDialect(t *testing.T) {
	found := dialect(repository(t))
	hold(t, dialectFile, dialectText(found), func(text string) []string { return holdDialect(text, found) })
}

// hold compares with a file of ceilings, or writes the present ones there if -lower is given.
func hold(t *testing.T, file, present string, problems func(text string) []string) {
	t.Helper()
	if *lower {
		if err := os.WriteFile(file, []byte(present), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Logf("wrote %s", file)
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report(t, problems(string(text)))
}

// ceilingsOf reads lines of a package and a number. Lines that begin with # are comments.
func ceilingsOf(text string) map[string]int {
	ceiling := map[string]int{}
	for line := range strings.Lines(text) {
		var pkg string
		var n int
		if read, _ := fmt.Sscan(line, &pkg, &n); read == 2 && !strings.HasPrefix(line, "#") {
			ceiling[pkg] = n
		}
	}
	return ceiling
}

// dialect returns the lines with a habit by package, each with its place and the habit.
func dialect(sources []source) map[string][]string {
	found := map[string][]string{}
	for _, s := range sources {
		for _, group := range s.file.Comments {
			for _, comment := range group.List {
				text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
				for _, h := range habits {
					if h.pattern.MatchString(verbs.ReplaceAllString(text, "$2")) {
						found[s.pkg] = append(found[s.pkg], fmt.Sprintf("%s: %s (%s): %s", s.at(comment.Pos()), h.name, h.instead, text))
						break
					}
				}
			}
		}
	}
	return found
}

// dialectText writes the file of ceilings, which are rounded up to multiples of five: one
// line more is no reason to stop somebody's work.
func dialectText(found map[string][]string) string {
	text := "# Ceilings of lines of comments that have a habit of the old dialect, by package: see TestDialect.\n" +
		"# A ceiling may only sink; go test . -run TestDialect -lower lowers it.\n"
	for _, pkg := range sortedKeys(found) {
		if n := len(found[pkg]); n > dialectUsual {
			text += fmt.Sprintln(pkg, (n+4)/5*5)
		}
	}
	return text
}

// holdDialect reports packages with more lines than their ceiling, and ceilings that are
// twice as high as they need to be.
func holdDialect(text string, found map[string][]string) (problems []string) {
	ceiling := ceilingsOf(text)
	for _, pkg := range sortedKeys(ceiling) {
		if n, has := ceiling[pkg], len(found[pkg]); n > 2*has+10 {
			problems = append(problems, fmt.Sprintf("%s has %d lines of comments in the dialect, and its ceiling is %d: lower it with go test . -run TestDialect -lower", pkg, has, n))
		}
	}
	for _, pkg := range sortedKeys(found) {
		most := max(ceiling[pkg], dialectUsual)
		if lines := found[pkg]; len(lines) > most {
			problems = append(problems, fmt.Sprintf("%s has %d lines of comments in the dialect, and may have %d; say it plainly:\n\t%s",
				pkg, len(lines), most, strings.Join(lines[max(0, len(lines)-10):], "\n\t")))
		}
	}
	return problems
}

func TestDialectIsFound(t *testing.T) {
	tree := func(comments ...string) []source {
		text := "package sim\n"
		for _, c := range comments {
			text += "\n// " + c + "\nvar _ = 1\n"
		}
		return mustParse(house(map[string]string{"sim/a.go": text}))
	}
	bad := []string{
		"x is for who asks.", "Who asks gets it.", "x is told what happened.", "Of these there are none.",
		"x is what is known of it.", "next is the next one; nil: there is none.", "x takes so many steps.",
	}
	if found := dialect(tree(bad...)); len(found["sim"]) != len(bad) {
		t.Errorf("%d of %d lines are found: %q", len(found["sim"]), len(bad), found["sim"])
	}
	good := []string{
		"x returns the next step, or nil if there is none.", "The caller who asks for it.", "Where is it decided?", "Of returns the row.", "told returns the text.", "key: value", "x takes 3 steps.",
	}
	if found := dialect(tree(good...)); len(found) != 0 {
		t.Errorf("plain lines are found: %q", found)
	}
	found := map[string][]string{"sim": make([]string, 6), "netsim": make([]string, 4)}
	for text, want := range map[string]int{"sim 6\n": 0, "sim 5\n": 1, "": 1, "# sim 6\n": 1, "sim 23\n": 1, "sim 22\n": 0} {
		if problems := holdDialect(text, found); len(problems) != want {
			t.Errorf("%q: %d problems, want %d: %q", text, len(problems), want, problems)
		}
	}
	if text := dialectText(found); !strings.HasSuffix(text, "\nsim 10\n") {
		t.Errorf("the ceilings are %q", text)
	}
}
