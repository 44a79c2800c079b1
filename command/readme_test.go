package command

import (
	"encoding/json"
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
		if text, ok := strings.CutPrefix(block, "$ go run ./cmd/macemc "+line+"\n"); ok {
			return text
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

// The service in the README is complete, builds at the place that it names, and
// is searched as it says: the searches print what it shows, up to "...".
func TestReadmeService(t *testing.T) {
	macemc := readmeBuild(t)
	for _, c := range []struct {
		line   string
		status int
	}{{"search lock", exitNothing}, {"search lock --bug LK1", exitFound}} {
		want, ok := strings.CutSuffix(shown(t, c.line), "...\n")
		search := exec.Command(macemc, words(c.line)...)
		search.Dir = t.TempDir()
		out, _ := search.Output()
		if status := search.ProcessState.ExitCode(); !ok || status != c.status || !strings.HasPrefix(string(out), want) {
			t.Errorf("the README shows of %s\n%s...\n---- but it prints, with status %d\n%s", c.line, want, status, out)
		}
	}
}

// readmeBuild builds the command with the service of the README, added as the
// README says.
func readmeBuild(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	code := blocks(t, "go")
	if len(code) != 2 {
		t.Fatalf("the README has %d blocks of Go, not doc.go and lock.go", len(code))
	}
	if strings.Count(code[0], ". ")+strings.Count(code[0], ".\n") < 2 {
		t.Error("the README's doc.go has a comment of less than two sentences, which the tests of the whole refuse")
	}
	catalog := get(t, "../internal/catalog/catalog.go")
	if !strings.Contains(catalog, "lock.System,") { // else somebody has followed the README
		catalog = strings.Replace(catalog, "\t\"macemc/sim\"\n", "\t\"macemc/sim\"\n\t\"macemc/systems/lock\"\n", 1)
		catalog = strings.Replace(catalog, "return []*sim.System{\n", "return []*sim.System{\nlock.System,\n", 1)
	}
	folder := t.TempDir()
	replace := map[string]string{}
	for name, text := range map[string]string{
		"systems/lock/doc.go": code[0], "systems/lock/lock.go": code[1], "internal/catalog/catalog.go": catalog,
	} {
		instead := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		put(instead, text)
		replace[filepath.Join(root, name)] = instead
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, macemc := filepath.Join(folder, "overlay.json"), filepath.Join(folder, "macemc")
	put(overlay, string(list))
	build := exec.Command("go", "build", "-overlay", overlay, "-o", macemc, "./cmd/macemc")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return macemc
}
