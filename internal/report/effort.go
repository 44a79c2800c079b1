package report

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"macemc/internal/numerals"
	"macemc/internal/search"
)

func within(stop search.Stop) string {
	switch stop {
	case search.StopInterrupted:
		return "before it was interrupted"
	case search.StopTime:
		return "before its time was over"
	case search.StopMemory:
		return "before its memory was used up"
	case search.StopKilled:
		return "before its process was ended"
	case search.StopQuarantined:
		return "in what was not left out"
	default:
		return "within these bounds"
	}
}

// beforeCut returns a note on the findings of a search that ended before it reached its
// bounds: there may be others.
func beforeCut(r *search.Result) string {
	if r.Cut == "" {
		return ""
	}
	return " " + within(r.Cut)
}

// effort describes the work of the engine, the part of a search that takes steps, since
// other engines may need less or more.
func effort(s search.Stats) string {
	looked := ""
	if s.Engine == string(search.EngineMemo) && s.HandlerRuns > 0 {
		looked = fmt.Sprintf(" (%s, the rest looked up%s)", numerals.Many(s.HandlerRuns, "handler run"), dear(s.Dear))
	}
	text := fmt.Sprintf("%s%s, %s of them to known states", numerals.Many(s.Executed, "transition"), looked, numerals.Count(s.Duplicates))
	if n := s.Paths - s.Walks; n > 0 {
		text += "; " + numerals.Many(n, "exhaustive run")
	}
	if s.Walks > 0 {
		text += "; " + numerals.Many(s.Walks, "walk") + manners(s.Manners)
		if s.Ended+s.Healed > 0 {
			text += fmt.Sprintf(", %s of them healed from their storm and %s ended with it", numerals.Count(s.Healed), numerals.Count(s.Ended))
		}
		if s.Masked > 0 {
			text += fmt.Sprintf(", %s of them came to a known failure, and went around such failures %s", numerals.Count(s.Masked), numerals.Many(s.Detours, "time"))
		}
		if s.Restarted > 0 {
			text += fmt.Sprintf(", %s of them from one of %s that others had met", numerals.Count(s.Restarted), numerals.Many(s.Kept, "state"))
		}
	}
	if s.Audited > 0 {
		twice := numerals.Many(s.Audited, "run")
		if s.Compared > 0 {
			twice += " and " + numerals.Many(s.Compared, "duplicate")
		}
		text += fmt.Sprintf("; %s taken twice, as a check", twice)
	}
	text += fmt.Sprintf("; %s in all", numerals.Many(s.Steps, "step"))
	if s.Unpacked != "" {
		text += "; nodes take memory as they are and are not packed, since " + s.Unpacked
	}
	if s.Spilled > 0 {
		text += fmt.Sprintf("; %s on disk, %s of files", numerals.Many(s.Spilled, "state"), numerals.Count(int(s.SpilledTo>>20))+" MiB")
	}
	if s.Collision > 0 {
		text += fmt.Sprintf("; a state was wrongly taken for a known one with a probability below %.0e", s.Collision)
	}
	return text
}

// dear returns a note that the search did not look up the results of steps of some nodes, since
// most of these steps were new. nodes has one bit for each such node.
func dear(nodes uint64) string {
	if nodes == 0 {
		return ""
	}
	return "; not those of " + strings.Join(dearNodes(nodes), ", ") + ", since most of them are new"
}

// dearNodes returns the names of the nodes whose bits are set in set.
func dearNodes(set uint64) (names []string) {
	for ; set != 0; set &= set - 1 {
		names = append(names, fmt.Sprintf("n%d", bits.TrailingZeros64(set)))
	}
	return names
}

// manners returns the number of walks in each manner of walking (how a walk picks its
// events), if there were several manners.
func manners(m search.Manners) string {
	var each []string
	for name, n := range m.All() {
		each = append(each, name+" "+numerals.Count(n))
	}
	if len(each) == 0 {
		return ""
	}
	return " (" + strings.Join(each, ", ") + ")"
}

// stopped returns the reason why the search stopped. If it found something and was also cut short, it returns
// both.
func stopped(r *search.Result) string {
	switch found := len(r.Findings); {
	case r.Cut == "" || found == 0:
		return ended(r, r.Stop)
	case r.Stop == search.StopFound:
		return "found; besides, it was cut short by " + ended(r, r.Cut)
	default:
		return ended(r, r.Cut) + fmt.Sprintf("; found by then: %s of %s", numerals.Count(found), numerals.Many(max(found, r.Options.Findings), "finding"))
	}
}

// some returns the first few of a list of numbers, as text.
func some(numbers []int) string {
	const most = 5
	var words []string
	for _, n := range numbers[:min(len(numbers), most)] {
		words = append(words, strconv.Itoa(n))
	}
	if len(numbers) > most {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}

func ended(r *search.Result, why search.Stop) string {
	switch why {
	case search.StopFound:
		return "found"
	case search.StopDone:
		if r.Options.Prefixes > 0 {
			return "done: the requested number was found"
		}
		return "done: the space was exhausted"
	case search.StopDepth:
		if r.Options.Depth == 0 {
			return fmt.Sprintf("depth: %s were executed in the exhaustive phase", numerals.Many(r.Options.Effort, "transition"))
		}
		return "depth: the exhaustive phase reached its bound"
	case search.StopPaths:
		if r.Options.Paths > 0 && r.Stats.Paths > r.Stats.Walks {
			return "paths: the number of exhaustive runs and walks was reached"
		}
		return "paths: the number of walks was reached"
	case search.StopMemory:
		if o := r.Options; o.Spill == "" && o.Visited != search.VisitedFingerprint && o.Engine != search.EngineReference && o.Symmetry != search.ReduceAuto {
			return "memory: the limit was reached before the bound; with --state DIR states go to disk"
		}
		return "memory: the limit was reached before the bound"
	case search.StopTime:
		return "time: the limit was reached before the bound"
	case search.StopSpent:
		return "spent: walks were taken until the time was over, at least the default number"
	case search.StopInterrupted:
		return "interrupted, before its bound"
	case search.StopKilled:
		return "killed: its process was ended, before its bound"
	case search.StopQuarantined:
		return "quarantined: " + quarantined(r)
	default:
		return string(why)
	}
}

// quarantined describes the walks and states that the search left out because they ended
// every process that took or visited them.
func quarantined(r *search.Result) string {
	var parts []string
	if r.Left > 0 {
		parts = append(parts, numerals.Many(r.Left, "state")+" ended every process that visited them, and were left out")
	}
	if n := len(r.Quarantined); n > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s) ended every process that took them, and were left out", numerals.Many(n, "walk"), some(r.Quarantined)))
	}
	if len(parts) == 0 {
		return "the states of a shard ended every worker that visited them"
	}
	return strings.Join(parts, "; ")
}

// leftOut lists the states that the search did not visit, since a step of them ends the process
// or does not return. Each has the file with the run that leads to it.
func (p *printer) leftOut(r *search.Result) {
	if len(r.LeftAt) == 0 {
		return
	}
	p.blank()
	p.line("left out: some step of these states ends the process, or does not return")
	for _, one := range r.LeftAt {
		p.line("  %6s steps  %s", numerals.Count(len(one.Steps)), cmp.Or(one.File, "not written"))
	}
	if more := r.Left - len(r.LeftAt); more > 0 {
		p.line("  and %s", numerals.Many(more, "more state"))
	}
}

// measured writes the block of measurements, the only one that differs between runs of one seed.
func (p *printer) measured(r *search.Result) {
	m := r.Measured
	p.line("measured:")
	elapsed := duration(m.Elapsed)
	if m.Looked >= time.Second {
		elapsed += ", " + duration(m.Looked) + " of them to analyze findings"
	}
	if m.CPU > 0 {
		elapsed += "; " + duration(m.CPU) + " of processor time"
	}
	p.row(2, labels, "time", elapsed)
	if r.Programs != nil { // other processes take the runs
		return
	}
	p.row(2, labels, "speed", speed(r))
	p.row(2, labels, "memory", numerals.Count(int(m.Memory>>20))+" MiB")
	if why := slower(r); why != "" {
		p.row(2, labels, "slower", why)
	}
	if why := waited(r); why != "" {
		p.row(2, labels, "busy", why)
	}
}

// speed returns the steps in a second, after the transitions in a second if these are more: most of them are looked
// up and not taken as steps.
func speed(r *search.Result) string {
	elapsed := r.Measured.Elapsed - r.Measured.Looked
	steps := rate(r.Stats.Steps, elapsed) + " steps/s"
	if r.Stats.Transitions > r.Stats.Steps {
		return rate(r.Stats.Transitions, elapsed) + " transitions/s and " + steps
	}
	return steps
}

// waited returns a note that the machine was busy with other work for a large part of the
// search's time, or "".
func waited(r *search.Result) string {
	m := r.Measured
	cut := slices.Contains([]search.Stop{search.StopTime, search.StopSpent}, cmp.Or(r.Cut, r.Stop))
	if !cut || m.CPU == 0 || m.CPU > m.Elapsed/2 {
		return ""
	}
	return fmt.Sprintf("the search had a processor for %d %% of its time: other programs had the rest, or memory was short; with more --time, or on a quiet machine, it comes further",
		100*m.CPU/m.Elapsed)
}

// slower returns the reason why a search was slower than it could be, or "".
func slower(r *search.Result) string {
	if r.Measured.Slow == "" {
		return ""
	}
	return r.Measured.Slow + ", so states are hashed and copied by reflection"
}
