package finding

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/lines"
	"macemc/internal/search"
	_ "macemc/internal/transcript" // the flag -rewrite
	"macemc/sim"
	"macemc/trace"
)

const examplesFolder = "../../docs/examples"

// examples are the findings whose folders are committed: one that is small enough to be solved
// by eye, and one of each further kind. If a search takes long to find one, it is taken again
// from the path in its folder.
var examples = []struct {
	folder, system, bug string
	recorded            bool
}{
	{"handshake-HS1", "handshake", "HS1", false},
	{"brokentree-BT1", "brokentree", "BT1", false},
	{"brokentree-BT2", "brokentree", "BT2", false},
	{"overcast-OV1", "overcast", "OV1", false},
	{"randtree-RT13", "randtree", "RT13", true},
	{"randtree-RT15", "randtree", "RT15", true},
	{"transport-MT3", "transport", "MT3", true}, // as the paper has it: a search finds one with a step less
}

var (
	effort     = regexp.MustCompile(`(?m)^  (effort|counted)  .*\n( {14}.*\n)*`)
	sourceLine = regexp.MustCompile(`\.go:\d+`) // it moves with every edit above it
	measured   = regexp.MustCompile(`(?m)\n^measured:\n(  .*\n)+`)
)

// TestExamples: the committed examples are equal to the folders that a search writes now. It ignores
// measurements, and also the counts and the effort, which change with the engine. The paths of the
// examples are replayed.
func TestExamples(t *testing.T) {
	rewrite := flag.Lookup("rewrite").Value.String() == "true"
	counting := &lines.Program{Main: "macemc/cmd/macemc", Not: "macemc"}
	for _, c := range examples {
		counting.Packages = append(counting.Packages, "macemc/systems/"+c.system)
	}
	for _, c := range examples {
		sys := system(t, c.system)
		var r *search.Result
		if c.recorded {
			r = replayed(t, sys, filepath.Join(examplesFolder, c.folder, "error.path"))
		} else {
			r = found(t, sys, search.Options{}, c.bug)
		}
		explained, err := critical.Explain(sys, r.Finding, critical.Options{}, !c.recorded)
		if err != nil || explained.Stopped || explained.Alive {
			t.Fatalf("%s: %v, %+v", c.folder, err, explained)
		}
		r.Finding, r.Findings = explained.Finding, []*search.Finding{explained.Finding}
		a := account.Of(r, r.Finding)
		a.Copy = counting
		err = NewShelf(t.TempDir()).Write(a, r, func(string) []Command {
			file := "docs/examples/" + c.folder + "/error.path"
			all := commands(file)
			for i := range all {
				all[i].Line = strings.Replace(all[i].Line, "macemc ", "go run ./cmd/macemc ", 1)
			}
			return all
		})
		if err != nil {
			t.Fatal(err)
		}
		from, to := filepath.Dir(a.Place.Path), filepath.Join(examplesFolder, c.folder)
		now := map[string]string{}
		for _, name := range all(t, from) {
			if name == "graph.html" {
				continue // a page of scripts, which macemc graph --format html writes as well
			}
			now[name] = effort.ReplaceAllString(measured.ReplaceAllString(read(t, filepath.Join(from, name)), ""), "")
		}
		if rewrite {
			store(t, to, now)
		}
		if names := all(t, to); len(names) != len(now) {
			t.Errorf("%s has the files %v, and a search writes %d", c.folder, names, len(now))
		}
		for name, text := range now {
			old := read(t, filepath.Join(to, name))
			if old, text := lineless(old), lineless(text); old != text {
				t.Errorf("docs/examples/%s/%s is stale; run make examples and read the diff. It now begins to differ at\n%s", c.folder, name, difference(old, text))
			}
		}
		path, err := choose.Parse(strings.NewReader(now["error.path"]))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := search.Replay(sys, path, search.Options{}); err != nil || !again.Reproduced {
			t.Errorf("%s is not reproduced: %v", c.folder, err)
		}
	}
	for _, folder := range all(t, examplesFolder) {
		name, below, _ := strings.Cut(folder, "/")
		if below == "" && filepath.Ext(name) != ".md" && !isExample(name) {
			t.Errorf("docs/examples/%s is not made by this test", name)
		}
	}
}

// lineless removes the numbers of source lines from a text, since they change with every edit above the
// line.
func lineless(text string) string {
	return codeLine.ReplaceAllString(sourceLine.ReplaceAllString(text, ".go:N"), "N $1 ")
}

var codeLine = regexp.MustCompile(`(?m)^ {0,4}\d{1,5} ([ >]) `)

func isExample(folder string) bool {
	for _, c := range examples {
		if c.folder == folder {
			return true
		}
	}
	return false
}

// replayed returns a result whose finding is that of a recorded path. It does not search.
func replayed(t *testing.T, sys *sim.System, file string) *search.Result {
	t.Helper()
	path, err := choose.Parse(strings.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := search.Replay(sys, path, search.Options{})
	if err != nil || again.Finding.Verdict == trace.VerdictNone {
		t.Fatalf("%s: %v, and nothing is found", file, err)
	}
	r := &search.Result{System: sys, Params: again.Params, Finding: again.Finding, Findings: []*search.Finding{again.Finding}}
	r.Options.Properties = path.All("property")
	return r
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func store(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	err := os.RemoveAll(folder)
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// difference returns the first line in which two texts differ, as it is in each of them.
func difference(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return "- " + strings.Join(a[min(i, len(a)):min(i+1, len(a))], "") + "\n+ " + strings.Join(b[min(i, len(b)):min(i+1, len(b))], "")
		}
	}
	return ""
}
