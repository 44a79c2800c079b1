package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/observe"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// hostile has texts by which a service, or its clients, could try to control the programs that show or read
// a report.
var hostile = map[string]string{
	"html":        `<script>alert(1)</script><img src=x onerror="alert(1)"> &amp; </svg>`,
	"markdown":    "# heading\n\n* [link](javascript:alert(1)) `code` ``` | table | @everyone #1 <!-- -->",
	"mermaid":     "\"]; click A call alert() %%{init: {}}%%\nend",
	"terminal":    "\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x1b\\ \r over \b\b \x9b31m \u009b31m \x7f \x00",
	"direction":   "\u202egnp.exe\u202c \u2066x\u2069 \u200f \ufeff a\u2028b\u2029c",
	"bytes":       "\xff\xfe \xc3\x28 \xed\xa0\x80",
	"command":     "::error::x\n::add-mask::secret\n  ::stop-commands::t\n##[error]x\r\n::set-output name=a::b",
	"xml":         "]]> <?xml?> <!ENTITY x SYSTEM 'file:///etc/passwd'> &x; \ufffe",
	"json":        `","verdict":"none","x":"\u0000`,
	"percent":     "%0A::error::%25%s%d%!(EXTRA)",
	"long":        strings.Repeat("a very long text without an end, ", 2_000),
	"word":        strings.Repeat("x", 60_000),
	"many lines":  strings.Repeat("line\n", 20_000),
	"empty lines": "\n\n\n \n\t\n",
	"quotes":      "`'\"``\\",
}

// poisoned returns a result in which every text of the service is the given text.
func poisoned(verdict trace.Verdict, text string) *search.Result {
	sys := &sim.System{
		Name: "hostile", Doc: text, Bugs: []sim.Bug{{ID: "H1", Story: text}},
		New:        func(sim.Params, sim.Addr) sim.Node { return &bulb{} },
		Properties: []sim.Property{sim.Always("always "+text, yes), sim.Eventually("in the end "+text, yes)},
	}
	r := result(sys)
	r.Params, _ = sys.Configure(0, nil, []string{"H1"})
	n1 := r.Params.Addr(1)
	property := ""
	switch verdict {
	case trace.VerdictSafety:
		property = sys.Properties[0].Name
	case trace.VerdictDead:
		property = sys.Properties[1].Name
	}
	var failing []string
	if verdict == trace.VerdictDead {
		failing = []string{property}
	}
	event := "n1 script " + text
	f := &search.Finding{
		Failure: trace.Failure{
			Verdict: verdict, Property: property, Failing: failing, Message: text, Step: 1, Node: n1, Identity: event,
			Stack: text + "\n\t" + text,
		},
		Path: &choose.Path{
			Header: search.Describe(sys, r.Params),
			Steps:  []choose.Step{{Event: choose.Choice{Kind: choose.Event, Of: 2, What: event}, Coins: []choose.Choice{{Kind: choose.Coin, Of: 2, What: text}}}},
		},
		Trace: &trace.Trace{Steps: []trace.Step{{
			Index: 1, Node: n1, Identity: event, Event: sim.Event{Node: n1, Kind: sim.KindScript, Value: text},
			Effects: []trace.Effect{{Kind: trace.EffectLog, Value: text}, {Kind: trace.EffectEmit, Value: text}},
		}}},
		Critical: &search.Critical{Step: 1, Event: event},
		Outcomes: []search.Outcome{{Told: text, Times: 3}},
	}
	r.Finding, r.Findings, r.Stop = f, []*search.Finding{f}, search.StopFound
	r.Never, r.Held = []string{text}, []observe.Held{{Property: text, Depth: 2}}
	return r
}

var verdicts = []trace.Verdict{trace.VerdictSafety, trace.VerdictDead, trace.VerdictPanic, trace.VerdictNondeterminism}

// verdictsFor returns the verdicts that a text is tried with: one by default, by turns, and all with -long.
func verdictsFor(name string) []trace.Verdict {
	k := len(name) % len(verdicts)
	return slices.Concat(verdicts[k:], verdicts[:k])[:long.Of(1, len(verdicts))]
}

// TestHostileText: no text of a service controls a terminal or the runner of a workflow, or misleads a
// reader.
func TestHostileText(t *testing.T) {
	for name, text := range hostile {
		for _, verdict := range verdictsFor(name) {
			r := poisoned(verdict, text)
			var b bytes.Buffer
			if err := Result(&b, r, placed(r)...); err != nil {
				t.Fatal(err)
			}
			harmlessLog(t, name, b.String())
			if b.Len() > 30_000 {
				t.Errorf("%s, %s: the report has %d bytes", name, verdict, b.Len())
			}
			again := &search.Replayed{System: r.System, Params: r.Params, Finding: r.Finding}
			b.Reset()
			if err := errors.Join(Replayed(&b, r.Finding.Path, again, true), Outcome(&b, r.Finding.Path, again), System(&b, r.System), Systems(&b, []*sim.System{r.System})); err != nil {
				t.Fatal(err)
			}
			harmlessLog(t, name, b.String())
		}
	}
}

// harmlessLog fails if a terminal or a runner would find a command in a text.
func harmlessLog(t *testing.T, name, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8", name)
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("%s: line %d is a command: %.80q", name, i+1, line)
		}
		for _, r := range line {
			if unicode.IsControl(r) && r != '\t' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u2028' {
				t.Errorf("%s: line %d has the character %U: %.80q", name, i+1, r, line)
				break
			}
		}
	}
}

// JSON has exactly the text of the service, in a form that is safe to print.
func TestHostileJSON(t *testing.T) {
	for name, text := range hostile {
		var b bytes.Buffer
		bad := poisoned(trace.VerdictPanic, text)
		if err := ResultJSON(&b, bad, placed(bad)...); err != nil {
			t.Fatal(err)
		}
		harmlessLog(t, name, b.String())
		var object struct{ Message string }
		if err := json.Unmarshal(b.Bytes(), &object); err != nil {
			t.Fatal(name, err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); object.Message != want && utf8.ValidString(text) {
			t.Errorf("%s: the message is %.80q, want %.80q", name, object.Message, want)
		}
	}
}

// TestHostileAnnotation: an annotation is one line, and GitHub's runner reads from it the command, the
// properties and the message that were meant.
func TestHostileAnnotation(t *testing.T) {
	for name, text := range hostile {
		for _, verdict := range verdictsFor(name) {
			var b bytes.Buffer
			bad := poisoned(verdict, text)
			if err := GitHub(&b, bad, "", placed(bad)...); err != nil {
				t.Fatal(err)
			}
			command, properties, message := runnerReads(t, b.String())
			if command != "error" || len(properties) != 3 || properties["file"] != "internal/report/report_test.go" || properties["line"] == "" || properties["title"] != "macemc: hostile with H1" {
				t.Errorf("%s, %s: the runner reads %s %q", name, verdict, command, properties)
			}
			if !strings.HasSuffix(message, "\nreplay: "+place.Replay) || len(message) > 20_000 {
				t.Errorf("%s, %s: the runner reads the message %.300q", name, verdict, message)
			}
		}
	}
}

// runnerReads parses a line as GitHub's runner does: the command up to the first blank, properties between
// commas, and the message after two colons.
func runnerReads(t *testing.T, text string) (command string, properties map[string]string, message string) {
	t.Helper()
	line, ok := strings.CutSuffix(text, "\n")
	if !ok || strings.ContainsAny(line, "\r\n") {
		t.Fatalf("not one line: %.200q", text)
	}
	rest, ok := strings.CutPrefix(line, "::")
	head, message, ended := strings.Cut(rest, "::")
	if !ok || !ended {
		t.Fatalf("no command: %.200q", line)
	}
	command, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for one := range strings.SplitSeq(list, ",") {
		key, value, _ := strings.Cut(one, "=")
		properties[key] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
	}
	return command, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message)
}

// TestHostileJUnit: the XML is well-formed and has the elements that its readers expect, whatever the
// service's texts are.
func TestHostileJUnit(t *testing.T) {
	for name, text := range hostile {
		for _, verdict := range verdictsFor(name) {
			var b bytes.Buffer
			bad := poisoned(verdict, text)
			if err := JUnit(&b, bad, time.Unix(0, 0), placed(bad)...); err != nil {
				t.Fatal(err)
			}
			harmlessLog(t, name, b.String())
			suite := junitOf(t, b.Bytes())
			if suite.Failures != 1 || len(suite.Cases) != 3 || b.Len() > 100_000 {
				t.Errorf("%s, %s: %d failures in %d cases, %d bytes", name, verdict, suite.Failures, len(suite.Cases), b.Len())
			}
			for i, c := range suite.Cases {
				if failed := c.Failure != nil; failed != (i == map[trace.Verdict]int{trace.VerdictSafety: 0, trace.VerdictDead: 1, trace.VerdictPanic: 2, trace.VerdictNondeterminism: 2}[verdict]) {
					t.Errorf("%s, %s: case %d, %.80q, failed: %t", name, verdict, i, c.Name, failed)
				}
			}
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := Plain(text)
		if Plain(plain) != plain {
			t.Errorf("%q is told as %q, which is not plain", text, plain)
		}
		p := &printer{w: io.Discard}
		var b strings.Builder
		p.w = &b
		p.row(2, labels, "because", text)
		p.line("%s", text)
		p.stack(text)
		b.WriteString(Printed(text) + "\n")
		harmlessLog(t, "fuzz", b.String())
		_, properties, message := runnerReads(t, fmt.Sprintf("::error title=%s::%s\n", commandProperty(text), commandText(text)))
		if properties["title"] != plain || message != plain {
			t.Errorf("%q: the runner reads %q and %q", text, properties["title"], message)
		}
		var xmlText strings.Builder
		if err := xml.EscapeText(&xmlText, []byte(plain)); err != nil || strings.Contains(plain, "\ufffd") != strings.Contains(xmlText.String(), "\ufffd") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
