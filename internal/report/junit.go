package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"macemc/internal/account"
	"macemc/internal/search"
)

// JUnit's XML has several schemas. This output is valid by that of Ant
// (windyroad/JUnit-Schema), which is strict about order and requires nearly every
// attribute, and by that of Jenkins (junit-10.xsd of its plugin xunit). Other tools read
// what these two accept.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string          `xml:"name,attr"`
	Package   string          `xml:"package,attr"`
	ID        int             `xml:"id,attr"`
	Timestamp string          `xml:"timestamp,attr"`
	Host      string          `xml:"hostname,attr"`
	Tests     int             `xml:"tests,attr"`
	Failures  int             `xml:"failures,attr"`
	Errors    int             `xml:"errors,attr"`
	Skipped   int             `xml:"skipped,attr"`
	Time      string          `xml:"time,attr"`
	Settings  []junitProperty `xml:"properties>property"`
	Cases     []junitCase     `xml:"testcase"`
	Out       junitText       `xml:"system-out"`
	Err       junitText       `xml:"system-err"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// HandlersCase is the name of the test case for failures that violate no property.
const HandlersCase = "every handler returns, without a panic, and touches only what is its own"

// JUnit writes the result of a search as a test suite: one case for each checked property,
// and one for the handlers. began is when the search began. The accounts are those of
// findings of the result.
func JUnit(w io.Writer, r *search.Result, began time.Time, all ...*account.Account) error {
	s := about(r)
	suite := junitSuite{
		Name: short("macemc " + s.Name()), Package: r.System.Name,
		Timestamp: began.UTC().Format("2006-01-02T15:04:05"), Host: "localhost",
		Time:     fmt.Sprintf("%.3f", r.Measured.Elapsed.Seconds()),
		Settings: junitSettings(s, r),
	}
	failures, err := junitFailures(subjects(r, all), r)
	if err != nil {
		return err
	}
	class := "macemc." + r.System.Name
	add := func(name string, state search.State) {
		c := junitCase{Name: short(name), Class: class, Time: "0", Failure: failures[name]}
		if why := undecided(state, r); c.Failure == nil && why != "" {
			c.Skipped = &junitSkipped{why}
		}
		suite.add(c)
	}
	for _, prop := range r.System.Properties {
		switch {
		case !s.Asked(prop.Name), !prop.Promises():
		case prop.Liveness(), prop.Cools():
			add(prop.Name, r.Liveness.State)
		default:
			add(prop.Name, r.Safety.State)
		}
	}
	add(HandlersCase, r.Safety.State)
	if r.Finding == nil {
		var text strings.Builder
		if err := Result(&text, r); err != nil {
			return err
		}
		suite.Out = junitText{"\n" + text.String()}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// junitFailures returns the failure of each case that has one, by the name of the case. If
// several findings are about one property, it returns the first.
func junitFailures(all []subject, r *search.Result) (map[string]*junitFailure, error) {
	failures := map[string]*junitFailure{}
	for _, s := range all {
		f := s.Finding
		var text strings.Builder
		if err := Result(&text, only(r, f), s.Account); err != nil {
			return nil, err
		}
		failure := &junitFailure{Type: f.Verdict.String(), Message: short(s.title()), Text: "\n" + text.String()}
		names := s.Violated()
		if names == nil {
			names = []string{HandlersCase}
		}
		for _, name := range names {
			if failures[name] == nil {
				failures[name] = failure
			}
		}
	}
	return failures, nil
}

// only returns a copy of result r that has only finding f.
func only(r *search.Result, f *search.Finding) *search.Result {
	one := *r
	one.Finding, one.Findings = f, []*search.Finding{f}
	return &one
}

func (suite *junitSuite) add(c junitCase) {
	suite.Cases = append(suite.Cases, c)
	suite.Tests++
	if c.Failure != nil {
		suite.Failures++
	}
	if c.Skipped != nil {
		suite.Skipped++
	}
}

// undecided returns the reason why the search cannot say whether a property holds, although it
// found no violation. It returns "" if the search has decided that within its bounds. state is
// the search's answer about the property.
func undecided(state search.State, r *search.Result) string {
	switch state {
	case search.StateSampled:
		if len(r.Undecided) > 0 {
			return "not decided: " + strings.TrimPrefix(suspects(r), ", but ")
		}
		return ""
	case search.StateExhausted, search.StateExhaustedWithin, search.StateCut, search.StateBounded:
		return ""
	case search.StateFound:
		if r.Cut != "" {
			return "not decided: " + stopped(r)
		}
		return "not decided: the search stopped at a finding"
	case search.StateIncomplete:
		return "not decided: " + stopped(r)
	case search.StateNone:
		if r.Finding != nil {
			return "not decided: the search stopped at a finding"
		}
		return "not decided: nothing was tried"
	default:
		panic("macemc bug: report: no words for the state " + string(state))
	}
}

// junitSettings returns the settings and the figures of the search as properties of a test
// suite.
func junitSettings(s subject, r *search.Result) []junitProperty {
	out := []junitProperty{
		{"system", s.System.Name}, {"bugs", strings.Join(bugs(s.Params), ",")}, {"setting", s.setting()},
		{"faults", r.Options.Stated(r.System).String()}, {"seed", fmt.Sprint(r.Options.Seed)}, {"engine", r.Stats.Engine},
		{"verdict", r.Verdict().String()}, {"safety", string(r.Safety.State)}, {"liveness", string(r.Liveness.State)}, {"stop", string(r.Stop)},
	}
	if r.Cut != "" {
		out = append(out, junitProperty{"cut", string(r.Cut)})
	}
	for i, p := range out {
		out[i] = junitProperty{p.Name, short(p.Value)}
	}
	return out
}
