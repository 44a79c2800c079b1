package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/numerals"
	"macemc/search"
	"macemc/sim"
)

// subject is what a report is about: one finding of one system.
type subject struct {
	sys    *sim.System
	params sim.Params
	only   []string // the properties that were checked; nil: all
	f      *search.Finding
}

// name is the system with its known bugs.
func (s subject) name() string {
	var bugs []string
	for _, b := range s.params.Bugs() {
		bugs = append(bugs, string(b))
	}
	if len(bugs) == 0 {
		return s.sys.Name
	}
	return s.sys.Name + " with " + strings.Join(bugs, ", ")
}

// setting is how it was run, as one line.
func (s subject) setting() string {
	parts := []string{numerals.Many(s.params.Nodes, "node")}
	return strings.Join(append(parts, s.params.Settings(s.sys)...), "; ")
}

// liveness are the names of the liveness properties that were checked.
func (s subject) liveness() (names []string) {
	for _, p := range s.sys.Properties {
		if p.Liveness() && (len(s.only) == 0 || slices.Contains(s.only, p.Name)) {
			names = append(names, p.Name)
		}
	}
	return names
}

// failing are the liveness properties that fail at the end of a dead run.
func (s subject) failing() []string { return s.f.Failing }

func (s subject) fromStart() bool { return s.f.Critical != nil && s.f.Critical.Step == 0 }

// believed reports whether it is only from walks that we know of the start.
func (s subject) believed() bool { return s.fromStart() && !s.f.Critical.Exact }

// title is the first line of a report: who, and what happened.
func (s subject) title() string { return cutTo(widest, s.name()+": "+s.gist()) }

// gist says what happened, in half a sentence.
func (s subject) gist() string {
	f := s.f
	switch f.Verdict {
	case sim.VerdictNone:
		return "nothing failed in " + numerals.Many(f.Step, "step")
	case sim.VerdictSafety:
		return fmt.Sprintf("unsafe %s: %s does not hold", after(f.Step), strconv.Quote(f.Property))
	case sim.VerdictDead:
		return s.deadGist()
	case sim.VerdictDivergence:
		return fmt.Sprintf("divergence %s: a handler does not come to its end", at(f.Step))
	case sim.VerdictPanic:
		first, _, _ := strings.Cut(f.Message, "\n")
		return fmt.Sprintf("panic %s: %s", at(f.Step), first)
	case sim.VerdictMutation:
		return fmt.Sprintf("mutation %s: something was changed that is not the node's own", at(f.Step))
	case sim.VerdictGoroutine:
		return fmt.Sprintf("goroutine %s: a handler started one", at(f.Step))
	case sim.VerdictNondeterminism:
		return fmt.Sprintf("nondeterminism %s: the same answers do not lead to the same run", at(f.Step))
	case sim.VerdictKilled:
		return fmt.Sprintf("killed %s: the service ended the process", at(f.Step))
	default:
		panic("macemc bug: report: no words for the " + f.Verdict.String())
	}
}

func (s subject) deadGist() string {
	names, all := s.failing(), s.liveness()
	when, never, together := "dead "+after(s.f.Step), "can no longer", "hold together"
	if s.fromStart() {
		when, never = "dead from the start", "never"
	}
	if s.believed() {
		when = "believed " + when
	}
	switch {
	case len(names) < len(all):
		return fmt.Sprintf("%s: the liveness properties %s %s (at the end, not %s)", when, never, together, quoted(names))
	case len(names) > 1:
		return fmt.Sprintf("%s: %s %s %s", when, quoted(names), never, together)
	case s.fromStart():
		return fmt.Sprintf("%s: %s never holds", when, quoted(names))
	default:
		return fmt.Sprintf("%s: %s can no longer hold", when, quoted(names))
	}
}

// verdict explains the kind of finding, in a sentence.
func (s subject) verdict() string {
	switch s.f.Verdict {
	case sim.VerdictSafety:
		return "safety: a state was reached that must not be"
	case sim.VerdictDead:
		if s.f.Proved {
			return "dead: no state in which all liveness properties hold can be reached any more"
		}
		return "dead, as far as walks can tell: a state in which all liveness properties hold is not reached any more"
	case sim.VerdictDivergence:
		return "divergence: a handler goes on for ever"
	case sim.VerdictPanic:
		return "panic: the service panicked"
	case sim.VerdictMutation:
		return "mutation: a handler changed a message under way, or another node"
	case sim.VerdictGoroutine:
		return "goroutine: a handler started a goroutine, which no run can repeat"
	case sim.VerdictNondeterminism:
		return "nondeterminism: a handler depends on something that it did not ask Env for"
	case sim.VerdictKilled:
		return "killed: the service ended the process"
	case sim.VerdictNone:
		return "none"
	default:
		panic("macemc bug: report: no sentence for the " + s.f.Verdict.String())
	}
}

func after(step int) string {
	if step == 0 {
		return "at the start"
	}
	return "after " + numerals.Many(step, "step")
}

func at(step int) string {
	if step == 0 {
		return "at the start"
	}
	return "at step " + numerals.Count(step)
}

// path is the finding's, or an empty one.
func (s subject) path() *choose.Path {
	if s.f.Path == nil {
		return &choose.Path{}
	}
	return s.f.Path
}
