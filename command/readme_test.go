package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages returns the documents whose examples show the output of the command, or code.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(all, "../README.md")
}

// blocks returns the blocks of a page that begin with three backquotes and this word.
func blocks(t *testing.T, page, word string) (all []string) {
	t.Helper()
	rest := get(t, page)
	for {
		_, after, ok := strings.Cut(rest, "\n```"+word+"\n")
		if !ok {
			return all
		}
		block, after, ok := strings.Cut(after, "\n```\n")
		if !ok {
			t.Fatalf("%s has a block of %s that does not end", page, word)
		}
		all, rest = append(all, block+"\n"), after
	}
}

// The command prints what the documents show, up to "...". It must understand the lines
// of a block that show no output.
func TestDocuments(t *testing.T) {
	lock, err := filepath.Abs("../examples/lock")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, page := range pages(t) {
		for _, block := range blocks(t, page, "console") {
			line, want, _ := strings.Cut(block, "\n")
			if strings.HasPrefix(want, "$ ") {
				for line := range strings.Lines(block) {
					understood(t, page, strings.TrimSpace(line))
				}
				continue
			}
			shown++
			t.Run(filepath.Base(page)+"/"+line, func(t *testing.T) {
				t.Chdir(t.TempDir())
				got := printed(t, lock, line)
				want, begins := strings.CutSuffix(want, "...\n")
				want, got = steady(want), steady(got)
				if got != want && !(begins && strings.HasPrefix(got, want)) {
					t.Errorf("%s shows\n%s\n---- but the command prints\n%s", page, want, got)
				}
			})
		}
	}
	if shown < 12 {
		t.Errorf("the documents show the command %d times; want 12", shown)
	}
}

// theCommand returns the arguments in a line that runs this program by go run. ok is false for another line.
func theCommand(t *testing.T, line, program string) ([]string, bool) {
	t.Helper()
	rest, ok := strings.CutPrefix(line, "$ go run "+program+" ")
	return words(strings.TrimSuffix(rest, " >/dev/null")), ok
}

// understood checks that the command accepts a line, by a search that is cut short.
func understood(t *testing.T, page, line string) {
	t.Helper()
	args, ok := theCommand(t, line, "./cmd/macemc")
	if !ok {
		t.Errorf("%s has a line that no test takes: %s", page, line)
		return
	}
	out := t.TempDir()
	if _, errs, status := execute(append(args, "--depth", "1", "--no-walks", "--quiet", "--out", out)...); status != exitNothing && status != exitFound {
		t.Errorf("%s: %s: status %d\n%s", page, line, status, errs)
	}
}

var findingOf = regexp.MustCompile(`macemc-findings/(\w+)-(\w+)-1`)

// printed returns what a line prints. If the line needs a finding, it first takes the search that makes it.
func printed(t *testing.T, lock, line string) string {
	t.Helper()
	if args, ok := theCommand(t, line, "./check"); ok {
		return ranThere(t, lock, args)
	}
	if rest, ok := strings.CutPrefix(line, "$ macemc "); ok { // of a package of the ladder
		out, _, _ := inFolder(t, ladder, append(words(rest), "--quiet", "--out", t.TempDir())...)
		return out
	}
	args, ok := theCommand(t, line, "./cmd/macemc")
	if !ok {
		t.Fatalf("no test takes %s", line)
	}
	if of := findingOf.FindStringSubmatch(line); of != nil {
		execute("search", of[1], "--bug", of[2], "--quiet")
	}
	out, errs, _ := execute(args...)
	if strings.HasSuffix(line, " >/dev/null") {
		return errs
	}
	return out
}

// startIn is the environment variable that makes the test's program start another program in a folder: see
// TestMain.
const startIn = "MACEMC_TEST_START_IN"

// ranThere returns what the program of a module prints in the current folder of the test. The go command links
// that program only if it has changed since the last time.
func ranThere(t *testing.T, module string, args []string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", append([]string{"run", "-exec", self, "./check"}, args...)...)
	var out, errs bytes.Buffer
	run.Dir, run.Stdout, run.Stderr = module, &out, &errs
	run.Env = append(os.Environ(), "GOWORK=off", startIn+"="+here)
	if err := run.Run(); err != nil && !strings.HasSuffix(errs.String(), fmt.Sprintf("exit status %d\n", exitFound)) {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String()
}

// steady removes from a text the parts that differ from run to run, the numbers of lines of the
// source, and the name of the command.
func steady(text string) string {
	for _, c := range []string{"replay: ", "find        "} {
		text = strings.ReplaceAll(text, c+"macemc ", c+"go run ./cmd/macemc ")
	}
	return sourceLines.ReplaceAllString(measuredText.ReplaceAllString(text, "measured: ...\n"), "$1")
}

// The service of the documents is the one in examples/lock: file by file in the
// guide, and in parts in the README.
func TestDocumentedService(t *testing.T) {
	const module = "../examples/lock/"
	files := []string{"lock.go", "check/main.go", "lock_test.go"}
	code := blocks(t, "../docs/service.md", "go")
	if len(code) != len(files) {
		t.Fatalf("the guide has %d blocks of Go, not %s", len(code), files)
	}
	whole := ""
	for _, folder := range []string{"../examples/ladder", "../examples/lock", "../examples", "../systems"} { // other pages show parts of these
		others, err := filepath.Glob(folder + "/*/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range others {
			whole += get(t, name)
		}
	}
	for i, name := range files {
		want := strings.ReplaceAll(get(t, module+name), "macemc/examples/lock", "example.com/lock")
		if whole += want; code[i] != want {
			t.Errorf("%s is in the guide\n%s\n---- but in examples/lock\n%s", name, code[i], want)
		}
	}
	whole += get(t, module+"serve/main.go") + get(t, "../cluster/cmd/macemc/main.go")
	whole += strings.ReplaceAll(whole, "\n\t", "\n") // a page may show a part of a declaration
	for _, page := range pages(t) {
		for _, part := range blocks(t, page, "go") {
			if !strings.Contains(whole, part) {
				t.Errorf("%s shows Go that examples/lock does not have:\n%s", page, part)
			}
		}
	}
}

// ladder is the folder of the module examples/ladder, as an absolute path, since tests change the current
// folder.
var ladder, _ = filepath.Abs("../examples/ladder")

// Each block of a document is in one of these languages. Blocks of console and go are tested, and those of sh
// and yaml are not.
func TestDocumentedBlocks(t *testing.T) {
	fence := regexp.MustCompile("(?m)^```(.+)$")
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range fence.FindAllSubmatch(text, -1) {
			switch w := string(word[1]); w {
			case "console", "go", "sh", "yaml":
			default:
				t.Errorf("%s has a block of %q; console and go are tested, sh and yaml are not", page, w)
			}
		}
	}
}
