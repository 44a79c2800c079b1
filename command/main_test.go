package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/catalog"
	"macemc/internal/critical"
	"macemc/internal/finding"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/transcript"
	"macemc/sim"
	"macemc/trace"
)

// TestTranscripts runs testdata, each file in an empty folder. Its commands:
//
//	macemc                       run a command line, quoted where it has blanks
//	header from= to= key= value= copy a path file with another value in its header
//	cut from= to= lines=         copy the first lines of a file
//	change from= to=             copy a file with the first line of the input
//	                             replaced by the second
//	show file=                   print a file, without what was measured
func TestTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of a search; the long run does it")
	}
	transcript.RunInFolders(t, "testdata", func() transcript.Handler { return handle })
}

func handle(t *testing.T, d *transcript.Data) string {
	word := func(key string) string { return transcript.Word(d, key, "") }
	switch d.Cmd {
	case "macemc":
		transcript.Allow(t, d)
		return invoke(words(d.Input)...)
	case "header":
		transcript.Allow(t, d, "from", "to", "key", "value")
		path, err := load(word("from"))
		if err != nil {
			return err.Error()
		}
		path.Set(word("key"), word("value"))
		var b bytes.Buffer
		if _, err := path.WriteTo(&b); err != nil {
			return err.Error()
		}
		return put(word("to"), b.String())
	case "cut":
		transcript.Allow(t, d, "from", "to", "lines")
		lines := strings.SplitAfter(get(t, word("from")), "\n")
		return put(word("to"), strings.Join(lines[:transcript.Int(t, d, "lines", 0)], ""))
	case "change":
		transcript.Allow(t, d, "from", "to")
		old, replacement, _ := strings.Cut(d.Input, "\n")
		text := get(t, word("from"))
		if !strings.Contains(text, old) {
			return "there is no " + old
		}
		return put(word("to"), strings.Replace(text, old, replacement, 1))
	case "show":
		transcript.Allow(t, d, "file")
		return masked(get(t, word("file")))
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func get(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(name, text string) string {
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return err.Error()
	}
	return ""
}

// words splits a command line at blanks and line breaks outside of quotes.
func words(line string) (out []string) {
	for _, w := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(w, "'"))
	}
	return out
}

// invoke executes a command line and returns what it has printed, and its exit status. Measurements are left
// out, and so is the row effort, which changes with the engine.
func invoke(args ...string) string {
	stdout, stderr, status := execute(args...)
	var b strings.Builder
	b.WriteString(masked(stdout))
	for line := range strings.Lines(stderr) {
		b.WriteString("stderr: " + masked(strings.NewReplacer(allSystems(), "ALL SYSTEMS", allBugs(), "ALL BUGS").Replace(line)))
	}
	fmt.Fprintf(&b, "exit %d\n", status)
	return b.String()
}

// whole returns the program that cmd/macemc runs: the systems and the known bugs of the catalogue.
func whole() Program { return Program{Systems: catalog.Systems(), Parts: []Part{catalog.Bugs()}} }

func execute(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	t := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, exit: func(int) { panic("exit") }, getenv: func(string) string { return "" }}
	status = t.run(args)
	return out.String(), errs.String(), status
}

var (
	effortText   = regexp.MustCompile(`(?m)^  effort  .*\n( {14}.*\n)*`)
	measuredText = regexp.MustCompile(`(?m)^measured:\n(  .*\n)+`)
	measuredXML  = regexp.MustCompile(`( timestamp| time)="[^"]+"`)
	sourceLines  = regexp.MustCompile(`("startLine": |\.go,line=)\d+`) // they move with every edit above them
	versionJSON  = regexp.MustCompile(`"version": "[^"]* \(go[^"]*"`)
	measuredJSON = regexp.MustCompile(`"measured": \{[^}]*\}`)
	verifiedText = regexp.MustCompile(`(?m)^([A-Z]+\d+ .*?)\d+\.\d\d s +`)
	secondsJSON  = regexp.MustCompile(`"seconds": [0-9.e-]+`)
)

// allSystems stands for the names of all systems, so that another one is no
// reason to change a transcript.
func allSystems() string {
	var names []string
	for _, sys := range catalog.Systems() {
		names = append(names, sys.Name)
	}
	return strings.Join(names, ", ")
}

// allBugs stands for the ids of all known bugs.
func allBugs() string {
	var ids []string
	for _, b := range catalog.Bugs() {
		ids = append(ids, string(b.ID))
	}
	return strings.Join(ids, ", ")
}

func masked(text string) string {
	text = effortText.ReplaceAllString(text, "  effort      ...\n")
	text = measuredText.ReplaceAllString(text, "measured: ...\n")
	text = measuredXML.ReplaceAllString(text, `$1="..."`)
	text = sourceLines.ReplaceAllString(text, "$1...")
	text = versionJSON.ReplaceAllString(text, `"version": "..."`)
	text = measuredJSON.ReplaceAllString(text, `"measured": {...}`)
	text = verifiedText.ReplaceAllString(text, "${1}...     ")
	return secondsJSON.ReplaceAllString(text, `"seconds": ...`)
}

// The same seed gives the same output, apart from measurements, and the same path file.
func TestSameSeedSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of a search; the long run does it")
	}
	for _, line := range []string{
		"search brokentree --bug BT2 --json",
		"search brokentree --nodes 2 --depth 4 --paths 300",
		"search brokentree --bug BT1",
		"search brokentree --bug BT2 --depth 3 --seed 7",
	}[:long.Of(2, 4)] {
		first, second := inFreshFolder(t, line), inFreshFolder(t, line)
		if first != second {
			t.Errorf("%s: two runs differ:\n%s\n---- and\n%s", line, first, second)
		}
	}
}

func inFreshFolder(t *testing.T, line string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	stdout, stderr, status := execute(words(line)...)
	stdout = measuredText.ReplaceAllString(measuredJSON.ReplaceAllString(stdout, ""), "")
	said := fmt.Sprint(stdout, stderr, status)
	found, err := filepath.Glob("macemc-findings/*/error.path")
	if err != nil || len(found) > 1 {
		t.Fatal(found, err)
	}
	for _, name := range found {
		said += name + "\n" + get(t, name)
	}
	return said
}

// list has all systems, each as list NAME has it, but shorter.
func TestListIsComplete(t *testing.T) {
	all, stderr, status := execute("list")
	var want []string
	for _, sys := range catalog.Systems() {
		one, _, _ := execute("list", sys.Name)
		first, _, _ := strings.Cut(one, "\n")
		want = append(want, first)
	}
	if got := regexp.MustCompile(`(?m)^\S.*$`).FindAllString(all, -1); !slices.Equal(got, want) || stderr != "" || status != exitNothing {
		t.Errorf("exit %d, stderr %q, systems %q, want %q", status, stderr, got, want)
	}
}

// A second finding of the same kind goes into a folder of its own.
func TestNothingIsOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := 1; n <= 3; n++ {
		out, _, status := execute("search", "brokentree", "--bug", "BT1", "--out", "my findings")
		name := fmt.Sprintf("my findings/brokentree-BT1-%d/error.path", n)
		if status != exitFound || !strings.HasSuffix(out, "replay: macemc replay '"+name+"'\n") {
			t.Errorf("exit %d and\n%s", status, out)
		}
		if said := invoke("replay", name, "--quiet"); !strings.HasPrefix(said, "reproduced: ") {
			t.Error(said)
		}
	}
}

// The output of --json is one object, with exactly these members.
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ line, members string }{
		{"search brokentree --bug BT1 --json", "alike avoided bugs choices crashes critical cut disk faults findings first_held liveness measured message never params path prefix prefixes property replay report safety space stats steps stop system timers verdict version"},
		{"search twophase --no-walks --json", "alike avoided bugs choices crashes critical cut disk faults findings first_held liveness measured message never params path prefix prefixes property repeated replay report safety space stats steps stop system timers verdict version"},
		{"replay macemc-findings/brokentree-BT1-1/error.path --json", "message property recorded reproduced run steps system verdict version"},
		{"critical macemc-findings/brokentree-BT1-1 --json", "avoided bugs choices critical findings found_steps message outcome params path property recorded replay report steps system verdict version"},
		{"shrink macemc-findings/brokentree-BT1-1 --json", "avoided bugs choices critical findings found_steps message outcome params path property recorded replay report steps system verdict version"},
		{"list --json", "systems version"},
	} {
		out, stderr, _ := execute(words(c.line)...)
		decoder := json.NewDecoder(strings.NewReader(out))
		var object map[string]any
		if err := decoder.Decode(&object); err != nil || decoder.More() || stderr != "" {
			t.Errorf("%s: %v, stderr %q:\n%s", c.line, err, stderr, out)
		}
		members := map[string]bool{}
		for name := range strings.FieldsSeq(c.members) {
			members[name] = true
			if _, ok := object[name]; !ok {
				t.Errorf("%s: no member %s", c.line, name)
			}
		}
		for name := range maps.Keys(object) {
			if !members[name] {
				t.Errorf("%s: a member %s", c.line, name)
			}
		}
		if object["version"] != 1.0 {
			t.Errorf("%s: version %v", c.line, object["version"])
		}
	}
}

// An error with --json is a line on standard error, and nothing else.
func TestJSONErrors(t *testing.T) {
	for _, line := range []string{"search nosuch --json", "replay nosuch --json", "list nosuch --json", "critical nosuch --json", "shrink nosuch --json", "search brokentree --json --depth 0"} {
		out, stderr, status := execute(words(line)...)
		if out != "" || strings.Count(stderr, "\n") != 1 || status != exitInput {
			t.Errorf("%s: stdout %q, stderr %q, exit %d", line, out, stderr, status)
		}
	}
}

// sleeper returns a system for a result that says that a handler does not return. It is never run.
func sleeper() *sim.System {
	return &sim.System{Name: "sleeper", Doc: "A node that sleeps.", New: func(sim.Params, sim.Addr) sim.Node { return nil }}
}

// stuckFinding returns the result of a search in which a handler did not return.
func stuckFinding(t *testing.T) (*choose.Path, *search.Result) {
	t.Helper()
	sys := sleeper()
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := &choose.Path{Header: search.Describe(sys, params)}
	path.Add("verdict", "divergence")
	r := &search.Result{
		System: sys, Params: params, Stop: search.StopFound,
		Safety: search.Safety{State: search.StateIncomplete}, Liveness: search.Liveness{State: search.StateFound},
		Finding: &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictDivergence, Message: "it did not return"}, Path: path},
	}
	r.Findings = []*search.Finding{r.Finding}
	return path, r
}

// Suspects that were not decided are reported, each with the file of its path, and the status is that
// of a search that was stopped.
func TestUndecidedIsStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	out, errs, status := execute(words("search pastry --bug PA1 --depth 1 --paths 1 --walk-steps 500 --max-walk-steps 500 --explain-effort 2000 --quiet --workers 1")...)
	if file := "macemc-findings/pastry-undecided-1/1.path"; status != exitStopped || !strings.Contains(out, "suspected runs were not decided") || !strings.Contains(out, file) || get(t, file) == "" {
		t.Errorf("status %d, %q, %s", status, errs, out)
	}
}

// A search with a handler that never returns writes its finding and reports it before the process ends.
func TestStuck(t *testing.T) {
	t.Chdir(t.TempDir())
	path, r := stuckFinding(t)
	var out, errs bytes.Buffer
	tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, shelf: finding.NewShelf("found")}
	tool.conclude(r, searchFlags{}, nil)
	if tool.status != exitFound || !strings.HasSuffix(out.String(), "replay: macemc replay found/sleeper-divergence-1/error.path\n") || errs.Len() > 0 {
		t.Errorf("exit %d, stderr %q and\n%s", tool.status, errs.String(), out.String())
	}
	again := stuckReplay(path, r)
	if !again.Reproduced {
		t.Error("a replay that is stuck in the same place is not called reproduced")
	}
	if err := tool.concludeReplay(path, again, replayFlags{quiet: true}); err != nil || tool.status != exitNothing {
		t.Errorf("exit %d, %v", tool.status, err)
	}
	out.Reset()
	if status, err := (&lookRun{tool, lookFlags{json: true}}).concludeStuck(path, r); err != nil || status != exitNothing || !strings.Contains(out.String(), `"outcome": "stuck"`) {
		t.Errorf("exit %d, %v and\n%s", status, err, out.String())
	}
}

// A file that cannot be written is reported, and does not hide the finding.
func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	put("file", "")
	if said := invoke("search", "brokentree", "--bug", "BT1", "--out", "file"); said != "stderr: macemc: --out is file, which is a file; name a folder\nexit 2\n" {
		t.Error(said)
	}
	for _, line := range []string{"search brokentree --bug BT1 --out file/below", "critical nothing --out file/below", "shrink nothing --out file/below"} {
		if said := invoke(words(line)...); said != "stderr: macemc: --out is file/below, but file is a file, so the folder cannot be made; name another folder\nexit 2\n" {
			t.Errorf("%s: %s", line, said)
		}
	}
	if err := os.Symlink("nowhere", "link"); err != nil {
		t.Fatal(err)
	}
	if said := invoke("search", "brokentree", "--out", "link/below"); said != "stderr: macemc: --out is link/below, but link is a link that leads nowhere; make the folder to which it points, or name another folder\nexit 2\n" {
		t.Error(said)
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left is %s", left)
	}
	// It was writable when the work began, and is not when it is done.
	t.Chdir(t.TempDir())
	path, r := stuckFinding(t)
	put("found", "")
	var out, errs bytes.Buffer
	tool := &tool{Program: whole(), calling: calling{Name: "macemc"}, stdout: &out, stderr: &errs, shelf: finding.NewShelf("found/below")}
	tool.conclude(r, searchFlags{}, nil)
	if tool.status != exitFound || !strings.HasSuffix(out.String(), "path: not written\n") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("exit %d, stderr %q and\n%s", tool.status, errs.String(), out.String())
	}
	errs.Reset()
	if status, err := (&lookRun{tool, lookFlags{}}).conclude(path, r, &critical.Result{}, nil, &ending{}); err != nil || status != exitInput || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("critical: %v, exit %d, stderr %q", err, status, errs.String())
	}
}

// asCommand makes the test's program the command: see TestMain.
const asCommand = "MACEMC_TEST_AS_COMMAND"

// inFolder runs the command in a folder.
func inFolder(t *testing.T, folder string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOWORK=off")
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
