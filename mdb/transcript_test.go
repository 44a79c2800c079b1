package mdb

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/transcript"
	"macemc/sim"
	"macemc/systems/brokentree"
	adds "macemc/systems/counter"
	"macemc/systems/dispatcher"
	"macemc/systems/handshake"
	"macemc/systems/jointree"
	"macemc/systems/lease"
	"macemc/systems/overcast"
	"macemc/systems/randtree"
	"macemc/systems/stopwait"
)

// systems returns the system with a name that transcripts use.
func systems(name string) (*sim.System, error) {
	for _, sys := range []*sim.System{brokentree.System, adds.System, dispatcher.System, handshake.System, jointree.System, lease.System, overcast.System, randtree.System, stopwait.System} {
		if sys.Name == name {
			return sys, nil
		}
	}
	for _, sys := range odd {
		if sys.Name == name {
			return sys, nil
		}
	}
	return nil, fmt.Errorf("there is no system %q", name)
}

// TestTranscripts runs testdata. Its commands:
//
//	find SYSTEM [bug=] [file=error.path] [depth=]
//	    search the system, and write the path of the finding
//	edit file= [from to ...]
//	    replace text in a path file, as if somebody had
//	open NAME [nodes=] [bug=] [faults=]
//	    open a session on a file, a folder or a system
//	do  execute the lines of the input, each after its prompt
//	examples
//	    run the example of every command, each in a session of its own on the
//	    path that the input names; a second line names another, and the commands
//	    for which it is meant
//	complete
//	    complete each line of the input
func TestTranscripts(t *testing.T) {
	transcript.RunInFolders(t, "testdata", func() transcript.Handler { return (&bench{}).handle })
}

// bench has the session of a transcript.
type bench struct{ session *Session }

func (k *bench) handle(t *testing.T, d *transcript.Data) string {
	switch d.Cmd {
	case "find":
		transcript.Allow(t, d, d.CmdArgs[0].Key, "bug", "file", "depth")
		return find(t, d)
	case "edit":
		transcript.Allow(t, d, "file", "end")
		return edit(t, d)
	case "open":
		transcript.Allow(t, d, d.CmdArgs[0].Key, "nodes", "bug", "faults")
		set := Settings{Nodes: transcript.Int(t, d, "nodes", 0)}
		if b := transcript.Word(d, "bug", ""); b != "" {
			set.Bugs = strings.Split(b, ",")
		}
		if text := transcript.Word(d, "faults", ""); text != "" {
			faults, err := sim.ParseFaults(text)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			set.Faults = &faults
		}
		s, err := Opener{Find: systems, Tool: "macemc"}.Open(d.CmdArgs[0].Key, set)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		k.session = s
		return placeless(s.SummaryPage().String())
	case "do":
		return executed(k.session, strings.Split(strings.TrimSuffix(d.Input, "\n"), "\n"))
	case "examples":
		transcript.Allow(t, d)
		return examples(t, d)
	case "complete":
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSuffix(line, "\n")
			fmt.Fprintf(&b, "%s: %s\n", line, strings.Join(k.session.Complete(line), " "))
		}
		return b.String()
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func find(t *testing.T, d *transcript.Data) string {
	sys, err := systems(d.CmdArgs[0].Key)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	var bugs []string
	if b := transcript.Word(d, "bug", ""); b != "" {
		bugs = strings.Split(b, ",")
	}
	params, err := sys.Configure(0, nil, bugs)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	res, err := search.Search(sys, search.Options{Params: params, Depth: transcript.Int(t, d, "depth", 0)})
	if err != nil || res.Finding == nil {
		d.Fatalf(t, "nothing was found: %v", err)
	}
	name := transcript.Word(d, "file", "error.path")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		d.Fatalf(t, "%v", err)
	}
	writePath(t, name, res.Finding.Path)
	return fmt.Sprintf("%s: %s\n", name, res.Finding.Verdict)
}

func writePath(t *testing.T, name string, p *choose.Path) {
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteTo(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// edit replaces texts in the events of a path: each line of the input is
// "STEP what it says now".
func edit(t *testing.T, d *transcript.Data) string {
	name := transcript.Word(d, "file", "error.path")
	path, err := choose.Open(name)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	for line := range strings.Lines(d.Input) {
		n, what := 0, ""
		if _, err := fmt.Sscanf(line, "%d", &n); err != nil {
			d.Fatalf(t, "%v", err)
		}
		_, what, _ = strings.Cut(strings.TrimSpace(line), " ")
		path.Steps[n-1].Event.What = what
	}
	writePath(t, name, path)
	return ""
}

// executed executes lines and returns them with their answers.
func executed(s *Session, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%s%s\n", s.Prompt(), line)
		p, err := s.Do(line)
		b.WriteString(p.String())
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
		}
	}
	return placeless(b.String())
}

var sourcePlace = regexp.MustCompile(`init\.func\d+ \(odd_test\.go:\d+\)|odd_test\.go:\d+`)

// placeless leaves the numbers of lines of the test files out of a text.
func placeless(text string) string { return sourcePlace.ReplaceAllString(text, "odd_test.go") }

func examples(t *testing.T, d *transcript.Data) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(d.Input), "\n")
	for _, c := range commands() {
		file := lines[0]
		for _, l := range lines[1:] {
			if words := strings.Fields(l); slices.Contains(words[1:], c.Name) {
				file = words[0]
			}
		}
		s, err := Opener{Find: systems, Tool: "macemc"}.Open(file, Settings{})
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		lines, err := Lines(c.Example)
		if err != nil || len(lines) == 0 {
			d.Fatalf(t, "the example of %s cannot be read: %v", c.Name, err)
		}
		told := executed(s, lines)
		if strings.Contains(told, "\nerror: ") {
			t.Errorf("the example of %s fails:\n%s", c.Name, told)
		}
		fmt.Fprintf(&b, "# %s\n%s", c.Heading(), told)
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\n\n", "\n"), "\n") + "\n"
}
