package report

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	"macemc/internal/account"
	"macemc/internal/canon"
	"macemc/internal/search"
	"macemc/trace"
)

// SARIF 2.1.0, as far as it is used here; the names are the standard's.

const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifVersion = "2.1.0"
	sarifRoot    = "%SRCROOT%" // the root of the module, to which paths are relative
	flowMost     = 1000        // the largest number of steps of a flow, which are the last ones; viewers have limits
)

// sarifKinds has the rules for verdicts that violate no property, with their descriptions.
var sarifKinds = []struct {
	verdict trace.Verdict
	text    string
}{
	{trace.VerdictPanic, "a handler panics"},
	{trace.VerdictUnhandled, "an event comes that its node does not expect"},
	{trace.VerdictDivergence, "a handler does not return"},
	{trace.VerdictMutation, "a handler changes a message that was sent, or another node"},
	{trace.VerdictGoroutine, "a handler starts a goroutine"},
	{trace.VerdictNondeterminism, "the same answers lead to different runs"},
	{trace.VerdictKilled, "the service ends the process"},
}

// SARIF writes the result of a search in the format of static analysers: a rule
// for each property and for each other verdict, and a result for each finding, at
// the source of its critical step, with the run as a flow through the code.
// version is the version of the tool; root is as for GitHub.
func SARIF(w io.Writer, r *search.Result, version, root string, all ...*account.Account) error {
	s := about(r)
	rules := s.rules()
	return write(w, object{{"$schema", sarifSchema}, {"version", sarifVersion}, {"runs", []object{{
		{"tool", object{{"driver", object{
			{"name", "macemc"}, {"version?", version}, {"shortDescription", sarifText("a model checker for event-driven services")}, {"rules", rules},
		}}}},
		{"invocations", []object{{{"executionSuccessful", true}, {"properties", map[string]any{
			"system": s.Name(), "setting": oneLine(s.setting()), "faults": r.Options.Stated(r.System).String(), "seed": r.Options.Seed,
			"safety": string(r.Safety.State), "liveness": string(r.Liveness.State), "stop": string(r.Stop), "cut": orNull(string(r.Cut)),
		}}}}},
		{"results", objects(subjects(r, all), func(s subject) object { return s.sarifResult(rules, root) })},
		{"columnKind", "utf16CodeUnits"},
	}}}})
}

func sarifText(text string) object { return object{{"text", text}} }

// rules returns a rule for each property, in their order, and then one for each other
// verdict.
func (s subject) rules() (rules []object) {
	taken := map[string]int{}
	add := func(id, name, text string) {
		if taken[id]++; taken[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, taken[id])
		}
		text = shortened(Plain(text))
		rules = append(rules, object{
			{"id", id}, {"name", name}, {"shortDescription", sarifText(text)}, {"fullDescription", sarifText(text)},
			{"defaultConfiguration", object{{"level", "error"}}},
		})
	}
	for _, p := range s.System.Properties {
		if !p.Promises() {
			continue
		}
		text := "in every state: " + p.Name
		if p.Liveness() {
			text = "from every state, in some later one: " + p.Name
		}
		if p.Cools() {
			text = "in every fair run, again and again: " + p.Name
		}
		add(path.Join(s.System.Name, strings.ToLower(Slug(p.Name, 80))), camel(s.System.Name+" "+p.Name), text)
	}
	for _, k := range sarifKinds {
		add(path.Join(s.System.Name, k.verdict.String()), camel(s.System.Name+" "+k.verdict.String()), k.text)
	}
	return rules
}

// ruleOf returns the index of the finding's rule among all rules.
func (s subject) ruleOf() int {
	for i, p := range s.System.Properties {
		if failed := s.Violated(); len(failed) > 0 && p.Name == failed[0] {
			return i
		}
	}
	for i, k := range sarifKinds {
		if k.verdict == s.Finding.Verdict {
			return len(s.System.Properties) + i
		}
	}
	return 0
}

func (s subject) sarifResult(rules []object, root string) object {
	f, all, rule, place := s.Finding, s.Sources(), s.ruleOf(), s.Place
	properties := map[string]any{"verdict": f.Verdict.String(), "steps": f.Step}
	if place.Replay != "" {
		properties["path"], properties["replay"] = Plain(place.Path), Plain(place.Replay)
	}
	locations, flows := []object{}, []object(nil)
	if at := s.At(); at.Line > 0 {
		locations = append(locations, sarifAt(at, root))
	}
	if flow := s.sarifSteps(all, root); len(flow) > 0 {
		flows = []object{{{"message", sarifText(Plain(heading(f.Step)))}, {"threadFlows", []object{{{"locations", flow}}}}}}
	}
	return object{
		{"ruleId", rules[rule].get("id")}, {"ruleIndex", rule}, {"level", "error"},
		{"message", sarifText(Plain(s.Name()) + ": " + strings.Join(s.brief(), "\n"))}, {"locations", locations},
		{"partialFingerprints", object{{"macemcFinding/v1", s.fingerprint()}}}, {"codeFlows?", flows}, {"properties", properties},
	}
}

// fingerprint returns a text that is the same for all findings of one kind, whatever run shows them. Tools
// use it to recognize a finding of an earlier search.
func (s subject) fingerprint() string {
	at := s.Finding.Identity
	if s.Finding.Critical != nil {
		at = s.Finding.Critical.Event
	}
	return canon.OfString(strings.Join([]string{s.Name(), s.Finding.Verdict.String(), s.Finding.Property, at}, "\x00")).String()
}

// sarifSteps returns the run as a flow through the code: the place where each step was handled. Steps of the
// environment are included without a place.
func (s subject) sarifSteps(all *account.Sources, root string) (flow []object) {
	if s.Finding.Trace == nil {
		return nil
	}
	n := min(s.Finding.Step, len(s.Finding.Trace.Steps))
	for i := max(1, n-flowMost+1); i <= n; i++ {
		step, importance := &s.Finding.Trace.Steps[i-1], "important"
		at := object{}
		if source := all.Handler(step.Event); source.Line > 0 {
			at = sarifAt(source, root)
		}
		at = append(at, member{"message", sarifText(Plain(cutTo(textMost, fmt.Sprintf("step %d: %s", i, step.Shown(s.Walker().Text)))))})
		if c := s.Finding.Critical; c != nil && c.Step == i || c == nil && s.Finding.Step == i {
			importance = "essential"
		}
		flow = append(flow, object{{"location", at}, {"executionOrder", i}, {"importance", importance}})
	}
	return flow
}

func sarifAt(at account.Source, root string) object {
	where := object{{"uri", "file://" + escapedPath(at.File)}}
	if !strings.HasPrefix(at.File, "/") {
		where = object{{"uri", escapedPath(below(root, at.File))}, {"uriBaseId", sarifRoot}}
	}
	return object{
		{"physicalLocation", object{{"artifactLocation", where}, {"region", object{{"startLine", at.Line}}}}},
		{"logicalLocations", []object{{{"fullyQualifiedName", at.Func}, {"kind", "function"}}}},
	}
}

// escapedPath returns a file's name as a part of a URI.
func escapedPath(name string) string { return (&url.URL{Path: name}).EscapedPath() }

var noSlug = regexp.MustCompile(`[^A-Za-z0-9]+`)

// Slug returns a text as a name of letters, digits and hyphens, with at most most
// characters. It is "" if the text has no letters and digits.
func Slug(text string, most int) string {
	s := strings.Trim(noSlug.ReplaceAllString(text, "-"), "-")
	if len(s) > most {
		s = s[:most]
		if i := strings.LastIndexByte(s, '-'); i > 0 {
			s = s[:i]
		}
	}
	return s
}

// camel returns a text as one word, in the style of names of rules. For example, "both are
// connected" becomes BothAreConnected.
func camel(text string) (word string) {
	for part := range strings.SplitSeq(Slug(text, 100), "-") {
		if part != "" {
			word += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return word
}
