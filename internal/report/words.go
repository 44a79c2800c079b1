package report

import (
	"fmt"
	"strconv"
	"strings"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// subject is the finding that a report is about. Its methods return sentences and words of
// the report.
type subject struct{ *account.Account }

// about returns a subject for a result as a whole, without a finding.
func about(r *search.Result) subject { return subject{account.Of(r, r.Finding)} }

// subjects returns a subject for each finding of a result. It uses the accounts that are given, and makes
// the others.
func subjects(r *search.Result, all []*account.Account) (out []subject) {
	for i, f := range r.Findings {
		if i < len(all) {
			out = append(out, subject{all[i]})
		} else {
			out = append(out, subject{account.Of(r, f)})
		}
	}
	return out
}

// setting describes the settings of the run, on one line.
func (s subject) setting() string {
	parts := []string{numerals.Many(s.Params.Nodes, "node")}
	parts = append(parts, s.Params.Settings(s.System)...)
	if bad := byzantine(s.System, s.Params); len(bad) > 0 {
		parts = append(parts, "Byzantine "+strings.Join(bad, ", "))
	}
	return strings.Join(parts, "; ")
}

// byzantine names the nodes that do not keep to the protocol, and describes what they do instead. The system
// of a result contains the Byzantine nodes that the user asked for.
func byzantine(sys *sim.System, p sim.Params) (names []string) {
	all, _ := sys.Byzantines(p, "") // the search has reported the error, if there is one
	for _, b := range all {
		names = append(names, b.String())
	}
	return names
}

// free reports whether timers could fire in any order in the run, even if the system guarantees an order.
func (s subject) free() bool {
	_, free := s.Path().Get("timers")
	return free
}

// title returns the first line of a report: the name of the system, and what happened.
func (s subject) title() string { return cutTo(widest, s.Name()+": "+s.gist()) }

// gist describes the finding in half a sentence, for titles.
func (s subject) gist() string {
	f := s.Finding
	switch f.Verdict {
	case trace.VerdictNone:
		return "nothing failed in " + numerals.Many(f.Step, "step")
	case trace.VerdictSafety:
		return fmt.Sprintf("unsafe %s: %s does not hold", after(f.Step), strconv.Quote(f.Property))
	case trace.VerdictDead:
		return s.deadGist()
	case trace.VerdictHot:
		return fmt.Sprintf("hot for ever %s: %s", after(s.Finding.Lasso.Since), strconv.Quote(f.Property))
	case trace.VerdictDivergence:
		return fmt.Sprintf("divergence %s: a handler does not come to its end", at(f.Step))
	case trace.VerdictPanic:
		first, _, _ := strings.Cut(f.Message, "\n")
		return fmt.Sprintf("panic %s: %s", at(f.Step), first)
	case trace.VerdictUnhandled:
		first, _, _ := strings.Cut(f.Message, "\n")
		return fmt.Sprintf("unhandled %s: %s", at(f.Step), first)
	case trace.VerdictMutation:
		return fmt.Sprintf("mutation %s: something was changed that is not the node's own", at(f.Step))
	case trace.VerdictGoroutine:
		return fmt.Sprintf("goroutine %s: a handler started one", at(f.Step))
	case trace.VerdictNondeterminism:
		return fmt.Sprintf("nondeterminism %s: the same answers do not lead to the same run", at(f.Step))
	case trace.VerdictKilled:
		return fmt.Sprintf("killed %s: the service ended the process", at(f.Step))
	default:
		panic("macemc bug: report: no words for the " + f.Verdict.String())
	}
}

func (s subject) deadGist() string {
	names, all := s.Finding.Failing, s.Liveness()
	when, never, together := "dead "+after(s.Finding.Step), "can no longer", "hold together"
	if s.Turn().FromStart() {
		when, never = "dead from the start", "never"
	}
	if s.Turn() == account.TurnSeems {
		when = "believed " + when
	}
	switch {
	case len(names) < len(all):
		return fmt.Sprintf("%s: the liveness properties %s %s (at the end, not %s)", when, never, together, wording.Quoted(names))
	case len(names) > 1:
		return fmt.Sprintf("%s: %s %s %s", when, wording.Quoted(names), never, together)
	case s.Turn().FromStart():
		return fmt.Sprintf("%s: %s never holds", when, wording.Quoted(names))
	default:
		return fmt.Sprintf("%s: %s can no longer hold", when, wording.Quoted(names))
	}
}

// verdict explains the kind of finding, in a sentence.
func (s subject) verdict() string {
	switch s.Finding.Verdict {
	case trace.VerdictSafety:
		return "safety: a state was reached that must not be"
	case trace.VerdictDead:
		if s.Finding.Proved {
			return "dead: no state in which all liveness properties hold can be reached any more"
		}
		return "dead, as far as walks can tell: a state in which all liveness properties hold is not reached any more"
	case trace.VerdictHot:
		return "hot: a run is fair and, from some point on, hot for ever"
	case trace.VerdictDivergence:
		return "divergence: a handler goes on for ever"
	case trace.VerdictPanic:
		if s.Finding.Property != "" {
			return "panic: a property panicked"
		}
		return "panic: the service panicked"
	case trace.VerdictUnhandled:
		return "unhandled: an event came that the node does not expect in its state"
	case trace.VerdictMutation:
		return "mutation: a handler changed a message under way, or another node"
	case trace.VerdictGoroutine:
		return "goroutine: a handler started a goroutine, which no run can repeat"
	case trace.VerdictNondeterminism:
		return "nondeterminism: a handler depends on something that it did not ask Env for"
	case trace.VerdictKilled:
		return "killed: the service ended the process"
	case trace.VerdictNone:
		return "none"
	default:
		panic("macemc bug: report: no sentence for the " + s.Finding.Verdict.String())
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
