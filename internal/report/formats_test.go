package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/twophase"
	"macemc/trace"
)

var junitSchema = flag.String("junit-schema", "", "validate JUnit's XML against this `XSD`, by xmllint")

// searched returns the results of searches: with a dead run, with a violation of safety, and without a
// finding.
func searched(t *testing.T) map[string]*search.Result {
	t.Helper()
	all := map[string]*search.Result{}
	for _, c := range []struct {
		sys  *sim.System
		bugs []string
		opts search.Options
	}{
		{handshake.System, []string{"HS1"}, search.Options{}},
		{brokentree.System, []string{"BT1"}, search.Options{}},
		{brokentree.System, []string{"BT2"}, search.Options{ProfileSpace: true}},
		{twophase.System, nil, search.Options{Depth: 3, NoWalks: true}},
		{handshake.System, nil, search.Options{Engine: search.EngineReference, Depth: 5, Paths: 300}},
	} {
		params, err := c.sys.Configure(0, nil, c.bugs)
		if err != nil {
			t.Fatal(err)
		}
		c.opts.Params = params
		r, err := search.Search(c.sys, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(c.sys.Name, c.bugs)] = r
	}
	return all
}

// every calls do with results of all kinds: made by hand, returned by a search, and with texts that try
// to control the reader's terminal or tools.
func every(t *testing.T, do func(name string, r *search.Result)) {
	t.Helper()
	for name, make := range results {
		if r := make(); r.Finding == nil || r.Finding.Verdict != trace.VerdictNone { // of a replay
			do(name, r)
		}
	}
	for name, r := range searched(t) {
		do(name, r)
	}
	for name, text := range hostile {
		for _, verdict := range verdictsFor(name) {
			do(name+" "+verdict.String(), poisoned(verdict, text))
		}
	}
}

// schema compiles a schema file. A closed one allows no member that it does not
// name, so that a new one is documented.
func schema(t *testing.T, file string, closed bool) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(file, err)
	}
	if closed {
		closeObjects(value)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", value); err != nil {
		t.Fatal(file, err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(file, err)
	}
	return compiled
}

func closeObjects(value any) {
	switch value := value.(type) {
	case map[string]any:
		_, open := value["additionalProperties"]
		if _, ok := value["properties"]; ok && !open {
			value["additionalProperties"] = false
		}
		for _, inside := range value {
			closeObjects(inside)
		}
	case []any:
		for _, inside := range value {
			closeObjects(inside)
		}
	}
}

func validate(t *testing.T, s *jsonschema.Schema, name, text string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = s.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%.3000s", name, err, text)
	}
}

// TestSearchSchema: the output of search --json matches docs/search.schema.json, which documents every
// member of it.
func TestSearchSchema(t *testing.T) {
	s := schema(t, "../../docs/search.schema.json", true)
	every(t, func(name string, r *search.Result) {
		var b strings.Builder
		if err := ResultJSON(&b, r, placed(r)...); err != nil {
			t.Fatal(err)
		}
		validate(t, s, name, b.String())
	})
	refused(t, s, `{"version": 2}`)
}

// refused fails the test if a schema allows text, since it might then allow anything.
func refused(t *testing.T, s *jsonschema.Schema, text string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if s.Validate(value) == nil {
		t.Errorf("the schema allows %s", text)
	}
}

// TestGitHubWithoutFinding: a search without a finding prints a warning if it ended before its bounds, and
// otherwise nothing.
func TestGitHubWithoutFinding(t *testing.T) {
	for name, want := range map[string]string{
		"timed":       "::warning title=macemc%3A lamp::nothing found before its time was over; stopped: ",
		"interrupted": "::warning title=macemc%3A lamp::nothing found before it was interrupted; stopped: ",
		"never":       "",
	} {
		var b strings.Builder
		if err := GitHub(&b, results[name](), ""); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestGitHubCut: if a search ended before its bounds, each of its findings is an error, and the early end
// is a warning.
func TestGitHubCut(t *testing.T) {
	var b strings.Builder
	if err := GitHub(&b, results["several_cut"](), ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	if want := "::warning title=macemc%3A lamp::2 findings before its time was over; stopped: "; len(lines) != 4 || !strings.HasPrefix(lines[0], want) ||
		!strings.HasPrefix(lines[1], "::error ") || !strings.HasPrefix(lines[2], "::error ") {
		t.Errorf("%q", lines)
	}
}

// TestStepsAroundTheCritical: of a long dead run the steps around the critical step are shown, and of any
// other long run the last steps.
func TestStepsAroundTheCritical(t *testing.T) {
	for _, c := range []struct {
		verdict      trace.Verdict
		n, critical  int
		first, last  string
		before, more string
	}{
		{trace.VerdictDead, 40, 20, "  13  n0 a", "  24  n0 a", "  ... 12 steps before", "  ... 16 steps after"},
		{trace.VerdictDead, 40, 2, "   1  n0 a", "  12  n0 a", "steps 1 to 12 of 40, around the critical one:", "  ... 28 steps after"},
		{trace.VerdictDead, 40, 39, "  29  n0 a", "  40  n0 a", "the last 12 steps of 40:", ""},
		{trace.VerdictDead, 12, 3, "   1  n0 a", "  12  n0 a", "the run, of 12 steps:", ""},
		{trace.VerdictSafety, 40, 20, "  29  n0 a", "  40  n0 a", "the last 12 steps of 40:", ""},
	} {
		f := &search.Finding{Failure: trace.Failure{Verdict: c.verdict, Step: c.n}, Path: &choose.Path{}, Critical: &search.Critical{Step: c.critical}}
		for range c.n {
			f.Path.Steps = append(f.Path.Steps, choose.Step{Event: choose.Choice{What: "n0 a"}})
		}
		r := &search.Result{System: brokentree.System, Params: sim.Params{Nodes: 3}, Finding: f, Findings: []*search.Finding{f}}
		var b strings.Builder
		(&printer{w: &b}).steps(about(r))
		lines := strings.Split(b.String(), "\n")
		for _, want := range []string{c.first, c.last, c.before, c.more} {
			if want != "" && !slices.Contains(lines, want) {
				t.Errorf("%+v: no line %q:\n%s", c, want, b.String())
			}
		}
		if n := strings.Count(b.String(), "n0 a"); n != min(c.n, 12) {
			t.Errorf("%+v: %d steps are shown:\n%s", c, n, b.String())
		}
	}
}

// TestSpeedIsOfTheSearch: the reported speed does not count the time in which findings were analyzed.
func TestSpeedIsOfTheSearch(t *testing.T) {
	r := &search.Result{System: brokentree.System, Stats: search.Stats{Steps: 1_000, States: 500}, Measured: search.Measured{Elapsed: 10 * time.Second, Looked: 9 * time.Second}}
	var b strings.Builder
	if err := Measured(&b, r); err != nil || !strings.Contains(b.String(), "speed       1,000 steps/s") || !strings.Contains(b.String(), "10.00 s, 9.00 s of them") {
		t.Error(err, b.String())
	}
	if m := measured(r); m.get("states_per_second") != 500.0 || m.get("seconds") != 10.0 {
		t.Errorf("%+v", m)
	}
}

// TestDepthOfTheExplored: if steps were left out, the report says that the depth is about states that were not left
// out, whether there is a finding or not.
func TestDepthOfTheExplored(t *testing.T) {
	for state, text := range map[search.State]string{search.StateFound: "found; ", search.StateBounded: "bounded: "} {
		for reduced, of := range map[bool]string{false: "", true: " that is not left out"} {
			r := &search.Result{Safety: search.Safety{State: state, Depth: 5}, Stats: search.Stats{Reduced: reduced}}
			if got, want := safety(r), text+"every state"+of+" to depth 5 was visited"; got != want {
				t.Errorf("it says %q, and should say %q", got, want)
			}
		}
	}
}

// TestCutWalks: the report does not count walks that ended in an ignored failure as walks that became live.
func TestCutWalks(t *testing.T) {
	r := &search.Result{System: brokentree.System, Liveness: search.Liveness{State: search.StateSampled, Walks: 9, WalkSteps: 50}}
	for n, want := range []string{
		"sampled: 9 walks, each became live within 50 steps",
		"sampled: 9 walks, 1 ended in a failure that is ignored; of the others, each became live within 50 steps",
		9: "sampled: 9 walks, each ended in a failure that is ignored, and none became live",
	} {
		if r.Stats.Walks, r.Stats.WalksCut = 9, n; want != "" {
			if got := liveness(about(r), r); got != want {
				t.Errorf("%d of 9: %s, want %s", n, got, want)
			}
		}
	}
}

// TestIgnoredElsewhere: --ignore cause=EVENT leaves out nothing if EVENT is the critical event of a
// violation, since a violation is ignored by the event that failed. The report says so.
func TestIgnoredElsewhere(t *testing.T) {
	r := &search.Result{Finding: &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictSafety, Identity: "n1 message ok{Seq: 1} from n3 by udp"}}}
	r.Finding.Critical = &search.Critical{Event: "n0 crash"}
	for text, want := range map[string]string{
		"cause=n0 crash": `cause=crash: no run ended so, since the cause of a violated property is the event that failed, here "message ok{} from n* by udp", and not its critical event`,
		"cause=heal":     "cause=heal: no run ended so",
	} {
		one, err := search.ParseIgnore(text)
		if err != nil {
			t.Fatal(err)
		}
		if r.Options.Ignore = []search.Ignore{one}; ignored(r) != want {
			t.Errorf("%s: %q, want %q", text, ignored(r), want)
		}
	}
}

// TestUndecided: every format of a report has a suspected run that was not decided, neither as a finding
// nor as the absence of one.
func TestUndecided(t *testing.T) {
	r := &search.Result{
		System: brokentree.System, Params: sim.Params{Nodes: 3}, Stop: search.StopTime, Cut: search.StopTime,
		Safety: search.Safety{State: search.StateBounded, Depth: 5}, Liveness: search.Liveness{State: search.StateSampled, Walks: 7},
		Undecided: []search.Suspect{{Path: &choose.Path{Steps: make([]choose.Step, 12)}, File: "found/brokentree-undecided-1/1.path"}},
	}
	for _, c := range []struct {
		print func(io.Writer) error
		want  []string
	}{
		{func(w io.Writer) error { return Result(w, r) }, []string{
			"brokentree: nothing found before its time was over, but one suspected run was not decided\n", "12 steps  found/brokentree-undecided-1/1.path\n",
		}},
		{func(w io.Writer) error { return ResultJSON(w, r) }, []string{`"file": "found/brokentree-undecided-1/1.path"`}},
		{func(w io.Writer) error { return JUnit(w, r, time.Now()) }, []string{"not decided: one suspected run was not decided"}},
		{func(w io.Writer) error { return GitHub(w, r, "") }, []string{"but one suspected run was not decided"}},
	} {
		var b strings.Builder
		if err := c.print(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("it does not say %q:\n%s", want, b.String())
			}
		}
	}
}

// TestEndedEarly: if the analysis of a finding ended early, the report says so, as text and as JSON.
func TestEndedEarly(t *testing.T) {
	p, err := brokentree.System.Configure(3, nil, []string{"BT1"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(brokentree.System, search.Options{Params: p})
	if err != nil {
		t.Fatal(err)
	}
	r.Finding.EndedAt = 1_234
	var text, object strings.Builder
	if err := Result(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := ResultJSON(&object, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "  ended       the analysis, after 1,234 steps and states") || !strings.Contains(object.String(), `"explaining_ended_after": 1234`) {
		t.Errorf("%s%s", text.String(), object.String())
	}
}

// The outputs of replay --json, list --json, critical --json and shrink --json match
// their schemas.
func TestOtherSchemas(t *testing.T) {
	replay, list := schema(t, "../../docs/replay.schema.json", true), schema(t, "../../docs/list.schema.json", true)
	look := schema(t, "../../docs/critical.schema.json", true)
	every(t, func(name string, r *search.Result) {
		var b strings.Builder
		if err := SystemsJSON(&b, []*sim.System{r.System, switches}); err != nil {
			t.Fatal(err)
		}
		validate(t, list, name, b.String())
		if r.Finding == nil {
			return
		}
		b.Reset()
		again := &search.Replayed{System: r.System, Params: r.Params, Finding: r.Finding, Reproduced: true}
		if err := ReplayedJSON(&b, r.Finding.Path, again); err != nil {
			t.Fatal(err)
		}
		validate(t, replay, name, b.String())
		for _, how := range []Look{LookDone, LookStopped, LookAlive, LookHarmless, LookStuck} {
			b.Reset()
			if err := LookedJSON(&b, r.Finding.Path, r, how, placed(r)...); err != nil {
				t.Fatal(err)
			}
			validate(t, look, name+", "+string(how), b.String())
		}
	})
	refused(t, look, `{"version": 2}`)
	refused(t, replay, `{"version": 2}`)
	refused(t, list, `{"version": 2}`)
}

// TestSARIFSchema: the SARIF output matches the schema of the standard.
func TestSARIFSchema(t *testing.T) {
	s := schema(t, "testdata/schemas/sarif-schema-2.1.0.json", false)
	every(t, func(name string, r *search.Result) {
		var b strings.Builder
		if err := SARIF(&b, r, "devel", "", placed(r)[:min(1, len(r.Findings))]...); err != nil {
			t.Fatal(err)
		}
		harmlessLog(t, name, b.String())
		validate(t, s, name, b.String())
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Locations []any
				}
			}
		}
		if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Results) != len(r.Findings) {
			t.Errorf("%s: %d results", name, len(run.Results))
		}
		for _, one := range run.Results {
			if run.Tool.Driver.Rules[one.RuleIndex].ID != one.RuleID || len(one.Locations) != 1 {
				t.Errorf("%s: rule %s, which is number %d, at %d places", name, one.RuleID, one.RuleIndex, len(one.Locations))
			}
		}
		ids := map[string]bool{}
		for _, rule := range run.Tool.Driver.Rules {
			if ids[rule.ID] {
				t.Errorf("%s: two rules %s", name, rule.ID)
			}
			ids[rule.ID] = true
		}
	})
	refused(t, s, `{"version": "2.1.0"}`)
}

// junitOf parses a JUnit suite, and checks the rules that both published schemas have in common: the
// elements and attributes, and their order.
func junitOf(t *testing.T, text []byte) junitSuite {
	t.Helper()
	var doc junitSuites
	if err := xml.Unmarshal(text, &doc); err != nil || len(doc.Suites) != 1 {
		t.Fatalf("%d suites, %v\n%.2000s", len(doc.Suites), err, text)
	}
	suite := doc.Suites[0]
	counts := [3]int{len(suite.Cases)}
	for _, c := range suite.Cases {
		if c.Failure != nil {
			counts[1]++
		}
		if c.Skipped != nil {
			counts[2]++
		}
	}
	if counts != [3]int{suite.Tests, suite.Failures, suite.Skipped} || suite.Errors != 0 {
		t.Errorf("the suite counts %d tests, %d failures, %d skipped, and has %v", suite.Tests, suite.Failures, suite.Skipped, counts)
	}
	if _, err := time.Parse("2006-01-02T15:04:05", suite.Timestamp); err != nil {
		t.Error(err)
	}
	junitShape(t, text)
	return suite
}

// junitAllowed has the attributes and children that both Ant's and Jenkins' schema allow for each element.
// Children must be in this order.
var junitAllowed = map[string]struct{ attributes, children string }{
	"testsuites": {"", "testsuite"},
	"testsuite":  {"package id name timestamp hostname tests failures errors skipped time", "properties testcase system-out system-err"},
	"properties": {"", "property"},
	"property":   {"name value", ""},
	"testcase":   {"name classname time", "skipped failure"},
	"failure":    {"message type", ""},
	"skipped":    {"message", ""},
	"system-out": {"", ""},
	"system-err": {"", ""},
}

func junitShape(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	var open []string // the elements that we are in
	var last []int    // the place of their last child in the order
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			may, known := junitAllowed[name]
			if !known {
				t.Fatalf("there is an element %s", name)
			}
			var names []string
			for _, a := range token.Attr {
				names = append(names, a.Name.Local)
			}
			slices.Sort(names)
			want := strings.Fields(may.attributes)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("%s has the attributes %v, want %v", name, names, want)
			}
			if len(open) > 0 {
				in := open[len(open)-1]
				at := slices.Index(strings.Fields(junitAllowed[in].children), name)
				if at < last[len(last)-1] {
					t.Errorf("%s stands in %s where it must not", name, in)
				}
				last[len(last)-1] = at
			} else if name != "testsuites" {
				t.Errorf("the root is %s", name)
			}
			open, last = append(open, name), append(last, 0)
		case xml.EndElement:
			open, last = open[:len(open)-1], last[:len(last)-1]
		}
	}
}

// TestJUnit: the XML has a test case for each property, which says that the property failed, that it holds
// within the bounds of the search, or that it was not decided.
func TestJUnit(t *testing.T) {
	every(t, func(name string, r *search.Result) {
		suite := junitOf(t, []byte(junitXML(t, r)))
		n := len(r.Options.Properties)
		if n == 0 {
			n = len(r.System.Properties)
		}
		if suite.Tests != n+1 {
			t.Errorf("%s: %d cases, want %d", name, suite.Tests, n+1)
		}
		if found := r.Finding != nil; found != (suite.Failures > 0) {
			t.Errorf("%s: %d failures", name, suite.Failures)
		}
	})
	if n := junitOf(t, []byte(junitXML(t, results["several"]()))).Failures; n != 2 {
		t.Errorf("of two findings there are %d failures", n)
	}
	all := searched(t)
	for name, want := range map[string]string{
		"handshake[HS1]":  "passed, failed, passed",
		"brokentree[BT1]": "passed, skipped, failed, skipped, passed",
		"twophase[]":      "passed, skipped, passed",
	} {
		var told []string
		for _, c := range junitOf(t, []byte(junitXML(t, all[name]))).Cases {
			switch {
			case c.Failure != nil:
				told = append(told, "failed")
			case c.Skipped != nil:
				told = append(told, "skipped")
			default:
				told = append(told, "passed")
			}
		}
		if got := strings.Join(told, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func junitXML(t *testing.T, r *search.Result) string {
	t.Helper()
	var b strings.Builder
	if err := JUnit(&b, r, time.Unix(0, 0), placed(r)[:min(1, len(r.Findings))]...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestJUnitSchema validates the XML by a published schema, if the flag -junit-schema names a file: that of
// Ant in github.com/windyroad/JUnit-Schema, or junit-10.xsd in github.com/jenkinsci/xunit-plugin.
func TestJUnitSchema(t *testing.T) {
	if *junitSchema == "" {
		t.Skip("no schema: run with -junit-schema FILE; TestJUnit checks what it says of the elements that are used")
	}
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("no xmllint here: ", err)
	}
	folder := t.TempDir()
	every(t, func(name string, r *search.Result) {
		file := filepath.Join(folder, "junit.xml")
		if err := os.WriteFile(file, []byte(junitXML(t, r)), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(xmllint, "--noout", "--schema", *junitSchema, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.2000s", name, err, out)
		}
	})
}

// If a long value is cut, the text after it stays.
func TestCut(t *testing.T) {
	long := strings.Repeat("x", 200)
	for line, want := range map[string]string{
		"short{} from n0": "short{} from n0",
		"n1 message m{" + long + "} from n0 by udp": "n1 message m{" + strings.Repeat("x", 160-13-4-16) + " ...} from n0 by udp",
		long:         strings.Repeat("x", 156) + " ...",
		"{} " + long: "{} " + strings.Repeat("x", 153) + " ...",
		"é{" + strings.Repeat("ü", 200) + "} to n1": "é{" + strings.Repeat("ü", 160-2-4-7) + " ...} to n1",
	} {
		if got := cut(line); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
