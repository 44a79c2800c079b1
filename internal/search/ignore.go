package search

import (
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
	"macemc/trace"
)

// Ignore describes failures that a search leaves out, so that a known bug does not hide others. A property
// that is ignored is not checked. Any other ignored failure ends its run without a finding, since a handler
// that panicked has no state to continue from.
type Ignore struct {
	Verdict  trace.Verdict // a panic, a mutation, a goroutine; or safety or dead, for all properties of that kind
	Property string
	Place    string // the code at the top of the stack, as FILE:LINE or FILE
	Because  string // a part of the failure's message, in which * stands for any text, and a node's name for any node
	Cause    string // the beginning of an event, without nodes and contents: the critical event of a dead run, or the event that failed
}

// ParseIgnore parses the value of the flag that describes failures to ignore.
func ParseIgnore(text string) (Ignore, error) {
	key, value, _ := strings.Cut(text, "=")
	verdict, known := trace.ParseVerdict(value)
	switch {
	case value == "", !slices.Contains(ignoreKeys, key), key == "verdict" && !known:
		return Ignore{}, fmt.Errorf("%q; it must be verdict=panic, verdict=safety or the like, property=NAME, place=FILE:LINE, cause=EVENT or because=TEXT", text)
	case key == "property":
		return Ignore{Property: value}, nil
	case key == "place":
		return Ignore{Place: value}, nil
	case key == "because":
		return Ignore{Because: value}, nil
	case key == "cause":
		return Ignore{Cause: CauseOf(value)}, nil
	}
	switch verdict {
	case trace.VerdictSafety, trace.VerdictDead, trace.VerdictPanic, trace.VerdictUnhandled, trace.VerdictMutation, trace.VerdictGoroutine:
		return Ignore{Verdict: verdict}, nil
	case trace.VerdictDivergence:
		return Ignore{}, fmt.Errorf("%q: a handler that never returns ends the search; it cannot be left out", text)
	case trace.VerdictNondeterminism:
		return Ignore{}, fmt.Errorf("%q: other findings about a service that is not deterministic cannot be relied on, so it cannot be left out", text)
	case trace.VerdictKilled:
		return Ignore{}, fmt.Errorf("%q: a handler that ends its process ends the search; it cannot be left out", text)
	default:
		return Ignore{}, fmt.Errorf("%q: a run with this verdict is no finding, so there is nothing to ignore", text)
	}
}

var ignoreKeys = []string{"verdict", "property", "place", "cause", "because"}

// String returns i in the form that ParseIgnore reads.
func (i Ignore) String() string {
	switch {
	case i.Property != "":
		return "property=" + i.Property
	case i.Place != "":
		return "place=" + i.Place
	case i.Because != "":
		return "because=" + i.Because
	case i.Cause != "":
		return "cause=" + i.Cause
	default:
		return "verdict=" + i.Verdict.String()
	}
}

// drops reports whether i keeps the search from checking property p.
func (i Ignore) drops(p *sim.Property) bool {
	return i.Property == p.Name || i.Verdict == trace.VerdictDead && p.Liveness() || i.Verdict == trace.VerdictSafety && !p.Liveness()
}

// EndsRuns reports whether a failure that i describes ends its run. If not, i only keeps the search from
// checking a property.
func (i Ignore) EndsRuns() bool {
	return i.Property == "" && i.Verdict != trace.VerdictSafety && i.Verdict != trace.VerdictDead
}

// covers reports whether i describes failure f. A cause or a text covers failures of the service
// only; it never covers nondeterminism, for example.
func (i Ignore) covers(f *trace.Failure) bool {
	switch f.Verdict {
	case trace.VerdictSafety, trace.VerdictPanic, trace.VerdictUnhandled, trace.VerdictMutation, trace.VerdictGoroutine:
		if i.caused(f.Identity) || i.says(f.Message) {
			return true
		}
	case trace.VerdictDead, trace.VerdictHot:
		if i.says(f.Message) {
			return true
		}
	}
	return i.Verdict != trace.VerdictNone && i.Verdict == f.Verdict || i.Place != "" && topIs(f.Stack, i.Place)
}

// caused reports whether an event's text begins with i.Cause.
func (i Ignore) caused(event string) bool {
	rest, is := strings.CutPrefix(CauseOf(event), i.Cause)
	return is && i.Cause != "" && (rest == "" || rest[0] == ' ' || rest[0] == '{')
}

// says reports whether the message of a failure contains i.Because, in which the name of a node matches that
// of any node, and white space also matches line breaks.
func (i Ignore) says(message string) bool {
	if i.Because == "" {
		return false
	}
	plain := func(text string) string {
		return strings.Join(strings.Fields(nodeName.ReplaceAllString(text, "n_")), " ")
	}
	rest := plain(message)
	for part := range strings.SplitSeq(plain(i.Because), "*") {
		_, after, is := strings.Cut(rest, part)
		if !is {
			return false
		}
		rest = after
	}
	return true
}

// CauseOf returns the text of an event without the names of nodes and without its contents, which differ
// each time the same bug shows.
func CauseOf(event string) string {
	event = carried.ReplaceAllString(nodeName.ReplaceAllString(event, "n*"), "{}")
	return strings.TrimPrefix(event, "n* ")
}

// topIs reports whether the top of a stack is at a place. The place is FILE:LINE or FILE, where FILE may be
// the last part of a path.
func topIs(stack, place string) bool {
	_, top, _ := strings.Cut(stack, "\n\t")
	top, _, _ = strings.Cut(top, "\n")
	file := top[:max(0, strings.LastIndexByte(top, ':'))]
	return top != "" && (strings.HasSuffix("/"+top, "/"+place) || strings.HasSuffix("/"+file, "/"+place))
}

// Ignores reports whether Options.Ignore leaves out a failure.
func (o Options) Ignores(f *trace.Failure) bool {
	return slices.ContainsFunc(o.Ignore, func(i Ignore) bool { return i.covers(f) })
}

// ignoresCause reports whether Options.Ignore leaves out the critical event of a dead run.
func (o Options) ignoresCause(f *Finding) bool {
	return f.Verdict == trace.VerdictDead && f.Critical != nil &&
		slices.ContainsFunc(o.Ignore, func(i Ignore) bool { return i.caused(f.Critical.Event) })
}

// Elsewhere reports whether i does not apply to finding f although the user may expect it: f violates safety,
// and i.Cause is its critical event. The search compares causes only with the event that failed, which is
// another one here.
func (i Ignore) Elsewhere(f *Finding) bool {
	return f != nil && f.Critical != nil && f.Verdict == trace.VerdictSafety && i.caused(f.Critical.Event) && !i.caused(f.Identity)
}

// checked returns the names of the properties that are not ignored; nil means all.
func (o Options) checked(sys *sim.System) ([]string, error) {
	var left []string
	all := true
	for i := range sys.Properties {
		p := &sys.Properties[i]
		dropped := slices.ContainsFunc(o.Ignore, func(i Ignore) bool { return i.drops(p) })
		all = all && !dropped
		if !dropped && (len(o.Properties) == 0 || slices.Contains(o.Properties, p.Name)) {
			left = append(left, p.Name)
		}
	}
	for _, i := range o.Ignore {
		if name := i.Property; name != "" && !slices.ContainsFunc(sys.Properties, func(p sim.Property) bool { return p.Name == name }) {
			return nil, fmt.Errorf("%s has no property %q, which is to be ignored", sys.Name, name)
		}
	}
	switch {
	case all:
		return o.Properties, nil
	case len(left) == 0:
		return nil, fmt.Errorf("all properties of %s are ignored (%s), so there is nothing to check; ignore fewer", sys.Name, joined(o.Ignore))
	}
	return left, nil
}

func joined(all []Ignore) string {
	var texts []string
	for _, i := range all {
		texts = append(texts, i.String())
	}
	return strings.Join(texts, ", ")
}
