package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// blocks are what the README has between lines of three backquotes with this
// word and the next three.
func blocks(t *testing.T, word string) (all []string) {
	t.Helper()
	rest := get(t, "../README.md")
	for {
		_, after, ok := strings.Cut(rest, "\n```"+word+"\n")
		if !ok {
			return all
		}
		block, after, ok := strings.Cut(after, "\n```\n")
		if !ok {
			t.Fatalf("the README has a block of %s that does not end", word)
		}
		all, rest = append(all, block+"\n"), after
	}
}

// shown is the block of the README that begins with a command line, and what
// it says that the command prints.
func shown(t *testing.T, line string) string {
	t.Helper()
	for _, block := range blocks(t, "console") {
		for _, program := range []string{"./cmd/macemc", "./check"} {
			if text, ok := strings.CutPrefix(block, "$ go run "+program+" "+line+"\n"); ok {
				return text
			}
		}
	}
	t.Fatalf("the README does not show %s", line)
	return ""
}

// unmeasured leaves out the one block that differs from run to run.
func unmeasured(text string) string { return measuredText.ReplaceAllString(text, "measured: ...\n") }

// The first finding is printed as the README shows it.
func TestReadmeFinding(t *testing.T) {
	const line = "search brokentree --bug BT1"
	want := unmeasured(shown(t, line))
	t.Chdir(t.TempDir())
	out, _, _ := execute(words(line)...)
	out = unmeasured(strings.Replace(out, "replay: macemc", "replay: go run ./cmd/macemc", 1))
	if out != want {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s", want, out)
	}
}

// A known bug is told as the README shows it.
func TestReadmeBug(t *testing.T) {
	const line = "bugs show HS1"
	want := shown(t, line)
	out, _, _ := execute(words(line)...)
	if out = strings.Replace(out, "macemc search", "go run ./cmd/macemc search", 1); out != want {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s", want, out)
	}
}

// The debugger answers what the README shows.
func TestReadmeDebug(t *testing.T) {
	const line = "mdb macemc-findings/handshake-HS1-1 -x 'jump critical; diff live; recovers; prev; alternatives; watch back n1.state'"
	want := shown(t, line)
	t.Chdir(t.TempDir())
	execute(words("search handshake --bug HS1 --quiet")...)
	if out, errs, _ := execute(words(line)...); out != want {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s%s", want, out, errs)
	}
}

// The annotation is the one that the README shows.
func TestReadmeAnnotation(t *testing.T) {
	const line = "search handshake --bug HS1 --github"
	want := shown(t, line+" >/dev/null")
	t.Chdir(t.TempDir())
	_, got, _ := execute(words(line)...)
	got = strings.Replace(got, "replay: macemc", "replay: go run ./cmd/macemc", 1)
	if sourceLines.ReplaceAllString(got, "$1") != sourceLines.ReplaceAllString(want, "$1") {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s", want, got)
	}
}

// The graph is that of the finding of the section before.
func TestReadmeGraph(t *testing.T) {
	const line = "graph macemc-findings/handshake-HS1-1"
	want := shown(t, line)
	t.Chdir(t.TempDir())
	execute(words("search handshake --bug HS1 --quiet")...)
	if out, _, _ := execute(words(line)...); out != want {
		t.Errorf("the README shows\n%s\n---- but the command prints\n%s", want, out)
	}
}

// The service in the README is the one in examples/lock, file by file, and is
// searched as it says: the searches print what it shows, up to "...".
func TestReadmeService(t *testing.T) {
	const module = "../examples/lock/"
	code := blocks(t, "go")
	files := []string{"lock.go", "check/main.go", "lock_test.go"}
	if len(code) != len(files) {
		t.Fatalf("the README has %d blocks of Go, not %s", len(code), files)
	}
	for i, name := range files {
		want := strings.ReplaceAll(get(t, module+name), "macemc/examples/lock", "example.com/lock")
		if code[i] != want {
			t.Errorf("%s is in the README\n%s\n---- but in examples/lock\n%s", name, code[i], want)
		}
	}
	check := filepath.Join(t.TempDir(), "check")
	if out, err := exec.Command("go", "build", "-C", module, "-o", check, "./check").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		line   string
		status int
	}{{"search lock", exitNothing}, {"search lock --bug LK1", exitFound}} {
		want, ok := strings.CutSuffix(shown(t, c.line), "...\n")
		search := exec.Command(check, words(c.line)...)
		search.Dir = t.TempDir()
		out, _ := search.Output()
		if status := search.ProcessState.ExitCode(); !ok || status != c.status || !strings.HasPrefix(string(out), want) {
			t.Errorf("the README shows of %s\n%s...\n---- but it prints, with status %d\n%s", c.line, want, status, out)
		}
	}
}
