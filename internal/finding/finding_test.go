package finding

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"macemc/internal/account"
	"macemc/internal/canon"
	"macemc/internal/catalog"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// found returns the result of a search of a system with bugs, which must have a finding.
func found(t *testing.T, sys *sim.System, opts search.Options, bugs ...string) *search.Result {
	t.Helper()
	var err error
	if opts.Params, err = sys.Configure(0, nil, bugs); err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(sys, opts)
	if err != nil || r.Finding == nil {
		t.Fatalf("%s %v: %v, and nothing was found", sys.Name, bugs, err)
	}
	return r
}

func system(t *testing.T, name string) *sim.System {
	t.Helper()
	sys, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func commands(file string) []Command {
	return []Command{
		{"take the run again, with every check on", "macemc replay " + file},
		{"what happened before what", "macemc graph " + file},
		{"step by step, forth and back", "macemc mdb " + file},
		{"take steps out, longer than the search did", "macemc shrink " + file},
	}
}

// written writes the folder of a finding, and returns the contents of its files by name.
func written(t *testing.T, r *search.Result) map[string]string {
	t.Helper()
	a := account.Of(r, r.Finding)
	if err := NewShelf(t.TempDir()).Write(a, r, commands); err != nil {
		t.Fatal(err)
	}
	place := a.Place
	if place.Replay != "macemc replay "+place.Path || filepath.Base(place.Path) != "error.path" {
		t.Errorf("it stands in %s and is replayed by %s", place.Path, place.Replay)
	}
	text := map[string]string{}
	for _, name := range all(t, filepath.Dir(place.Path)) {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(place.Path), name))
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(content)
	}
	return text
}

// TestTrace: every line of a trace matches docs/trace.schema.json, and all states of the run can be
// computed from the changes in the lines.
func TestTrace(t *testing.T) {
	schema := traceSchema(t)
	for _, c := range [][2]string{{"handshake", "HS1"}, {"brokentree", "BT1"}, {"brokentree", "BT2"}, {"stopwait", "SW1"}} {
		r := found(t, system(t, c[0]), search.Options{}, c[1])
		validTrace(t, schema, c[1], r, written(t, r)["trace.jsonl"])
	}
}

func traceSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../docs/trace.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	// A member that is not documented is refused.
	closed := strings.NewReplacer(`"properties": {`, `"additionalProperties": false, "properties": {`).Replace(string(text))
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(closed))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("trace.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validLine(t *testing.T, schema *jsonschema.Schema, name, line string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%.1000s", name, err, line)
	}
}

func validTrace(t *testing.T, schema *jsonschema.Schema, name string, r *search.Result, text string) {
	t.Helper()
	f := r.Finding
	last := map[canon.Line]int{} // the state so far
	steps, critical := 0, 0
	for line := range strings.Lines(text) {
		validLine(t, schema, name, line)
		var one struct {
			Step     int
			Event    string
			Critical bool
			Changes  []struct {
				Path          string
				Before, After *string
			}
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		steps = max(steps, one.Step)
		if one.Critical {
			critical = one.Step
		}
		if one.Step > 0 && one.Event != f.Path.Steps[one.Step-1].Event.What {
			t.Errorf("%s: step %d is %s, in the path %s", name, one.Step, one.Event, f.Path.Steps[one.Step-1].Event.What)
		}
		for _, c := range one.Changes {
			if c.Before != nil {
				last[canon.Line{Path: c.Path, Value: *c.Before}]--
			}
			if c.After != nil {
				last[canon.Line{Path: c.Path, Value: *c.After}]++
			}
		}
	}
	if steps != f.Step || f.Critical != nil && critical != f.Critical.Step {
		t.Errorf("%s: %d steps, the critical one is %d; want %d, %+v", name, steps, critical, f.Step, f.Critical)
	}
	var got, want []string
	for l, n := range last {
		got = append(got, fmt.Sprint(n, l))
	}
	ends := map[canon.Line]int{}
	if _, err := search.Replay(r.System, f.Path, search.Options{See: func(w *world.World) {
		clear(ends)
		for _, l := range w.Text.Lines() {
			l.Tag = 0
			ends[l]++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	for l, n := range ends {
		want = append(want, fmt.Sprint(n, l))
	}
	got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "0 ") })
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: the changes lead to\n%s\nand the run to\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// mouth is a node of a service all of whose texts are the same attack on the reader of a report: its
// messages, names, explanations, logs and panics.
type (
	mouth struct {
		peer sim.Addr
		said string
	}
	speech string
	speak  struct{ What string }
)

func (m *mouth) Init(env sim.Env) { env.Logf("%s", m.said) }
func (m *mouth) Handle(env sim.Env, s sim.Signal) {
	if env.Choose(2, m.said) == 0 {
		env.TCP().Send(m.peer, speech(m.said))
	}
	env.Post(speak{m.said})
}
func (m *mouth) Deliver(env sim.Env, _ sim.Addr, words sim.Message) {
	if env.Bug("H2") {
		panic(words)
	}
	m.said += "!"
}

func rude(words string) *sim.System {
	quiet := func(v sim.View[*mouth]) bool {
		for _, m := range v.Nodes() {
			if m.said != words {
				return false
			}
		}
		return true
	}
	say := func(sim.View[*mouth]) string { return words }
	return &sim.System{
		Name: "rude", Doc: words,
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Bugs:  []sim.Bug{{ID: "H1", Story: words}, {ID: "H2", Story: words}},
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return &mouth{p.Addr(map[sim.Addr]int{p.Addr(0): 1}[self]), words}
		},
		Script:     func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{speak{words}} },
		Properties: []sim.Property{sim.Always("never "+words, quiet, say)},
	}
}

// TestHostile: no text of a service becomes a link, HTML or a heading in its report, or controls a
// terminal that shows any of the files.
func TestHostile(t *testing.T) {
	schema := traceSchema(t)
	for name, words := range map[string]string{
		"html":     `<script>alert(1)</script><img src=x onerror="alert(1)">`,
		"markdown": "\n# heading\n\n* [link](javascript:alert(1)) ![x](http://x) `code` ```\n| a | b |\n|---|---|\n@all #1 http://x.example",
		"terminal": "\x1b[2J\x07\r\x9b \u009b \u202e x",
		"command":  "::error::x\n::add-mask::y\n##[error]z",
		"long":     strings.Repeat("a very long text ", 10_000),
	} {
		for _, bug := range []string{"H1", "H2"} {
			r := found(t, rude(words), search.Options{Depth: 6, NoWalks: true}, bug)
			files := written(t, r)
			for file, text := range files {
				for line := range strings.Lines(text) {
					if at := strings.IndexFunc(line, func(r rune) bool {
						return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\ufffd'
					}); at >= 0 {
						t.Errorf("%s, %s: %s has the character %q: %.100q", name, bug, file, line[at:at+1], line)
						break
					}
				}
			}
			if name != "long" { // else it is cut
				validTrace(t, schema, name, r, files["trace.jsonl"])
			}
			for kind, n := range elements(files["report.md"]) {
				if !slices.Contains([]string{"Document", "Heading", "Paragraph", "Text", "String", "CodeSpan", "FencedCodeBlock", "Emphasis", "List", "ListItem", "TextBlock", "Table", "TableHeader", "TableRow", "TableCell"}, kind) {
					t.Errorf("%s, %s: the report has %d of %s:\n%.3000s", name, bug, n, kind, files["report.md"])
				}
			}
			if n := len(files["report.md"]); n > 60_000 {
				t.Errorf("%s, %s: the report has %d bytes", name, bug, n)
			}
			if heads := strings.Count(files["report.md"], "\n## "); heads != map[string]int{"H1": 5, "H2": 6}[bug] {
				t.Errorf("%s, %s: %d headings:\n%s", name, bug, heads, files["report.md"])
			}
		}
	}
}
