package report

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// searched writes the block with the bounds and the counts.
func (p *printer) searched(s subject, r *search.Result) {
	p.line("searched:")
	if r.Programs != nil {
		p.programs(s, r)
		return
	}
	p.row(2, labels, "run", s.setting()+environment(r)+fmt.Sprintf("; seed %d; engine %s%s%s", r.Options.Seed, r.Stats.Engine, kept(r), copies(r)))
	if len(s.Checked) > 0 {
		p.row(2, labels, "checked", "only "+wording.Quoted(s.Checked))
	}
	if path := r.Options.Prefix; path != nil {
		p.row(2, labels, "prefix", fmt.Sprintf("%s; depths count from its end", numerals.Many(len(path.Steps), "step")))
	}
	if r.Options.Prefixes > 0 {
		p.row(2, labels, "steady", fmt.Sprintf("live for %s, and then with nothing under way, or live for as many again", numerals.Many(r.Options.Steady, "step")))
	} else {
		p.row(2, labels, "safety", safety(r)+unpromised(r))
		if text := reduction(&r.Stats); text != "" {
			p.row(2, labels, "reduction", text)
		}
		if text := symmetry(&r.Stats); text != "" {
			p.row(2, labels, "symmetry", text)
		}
		p.row(2, labels, "liveness", liveness(s, r))
	}
	if r.Stats.Periphery.States > 0 {
		p.row(2, labels, "periphery", periphery(r.Stats.Periphery))
	}
	if len(r.Held) > 0 {
		p.row(2, labels, "first held", held(r.Held))
	}
	if r.Overflow > 0 {
		p.row(2, labels, "overflow", "where "+numerals.Many(r.Overflow, "datagram")+" were under way on a channel, more were lost: a choice of the system (--net udp-capacity), whatever --faults says")
	}
	counted := numerals.Many(r.Stats.States, "state") + ", " + numerals.Many(r.Stats.Transitions, "transition")
	if r.Stop == search.StopKilled || r.Finding != nil && r.Finding.Verdict == trace.VerdictKilled {
		counted += " at least: the last counts that were stored before the process ended"
	}
	p.row(2, labels, "counted", counted)
	p.row(2, labels, "effort", effort(r.Stats))
	if d := r.Repeated; d.Steps > 0 && d.Times > 0 {
		each := "each of " + numerals.Many(d.Steps, "different step")
		if d.Steps == 1 {
			each = "the one step that there is"
		}
		p.row(2, labels, "repeated", fmt.Sprintf("%s was taken %s more, and did the same: a fair coin that the search does not control would have gone unnoticed with a probability of %.1g", each, numerals.Many(d.Times, "time"), d.Escape()))
	}
	if r.Alike > 0 {
		p.row(2, labels, "alike", numerals.Many(r.Alike, "more run")+" that failed in the same way are not shown")
	}
	if len(r.Options.Ignore) > 0 {
		p.row(2, labels, "ignored", ignored(r))
	}
	p.row(2, labels, "stopped", stopped(r))
	p.blank()
}

// ignored returns the failures that the user asked to ignore, and the number of runs that
// ended in them.
func ignored(r *search.Result) string {
	var all []string
	ends := false
	for _, i := range r.Options.Ignore {
		all = append(all, i.String())
		ends = ends || i.EndsRuns()
	}
	text := strings.Join(all, ", ")
	switch {
	case ends && r.Ignored == 0 && r.Stats.Detours == 0:
		text += ": no run ended so"
		if slices.ContainsFunc(r.Options.Ignore, func(i search.Ignore) bool { return i.Elsewhere(r.Finding) }) {
			text += ", since the cause of a violated property is the event that failed, here \"" + search.CauseOf(r.Finding.Identity) + "\", and not its critical event"
		}
	case ends:
		text += ": " + numerals.Many(r.Ignored, "run") + " ended so, and what may come after is not known"
	}
	return text
}

// unpromised returns a note that nothing could be violated, if the system has no properties.
func unpromised(r *search.Result) string {
	if len(r.System.Properties) > 0 {
		return ""
	}
	return "; the system has no properties, so only panics and their like were looked for"
}

func safety(r *search.Result) string {
	switch r.Safety.State {
	case search.StateFound:
		if r.Safety.Depth > 0 {
			return "found; " + visited(r)
		}
		return "found"
	case search.StateExhausted:
		if r.Stats.Reduced {
			return "exhausted: the states that were visited stand for all"
		}
		return "exhausted: every state was visited"
	case search.StateExhaustedWithin:
		return fmt.Sprintf("exhausted within %q: every state inside it was visited, and those one step outside", r.System.Within.Name)
	case search.StateCut:
		return "cut: every state was visited, but for those that follow a failure that is ignored"
	case search.StateBounded:
		text := "bounded: " + visited(r)
		if r.Ignored > 0 {
			text += ", but for those that follow a failure that is ignored"
		}
		return text
	case search.StateSampled:
		return fmt.Sprintf("sampled: to depth %s, but some choice had more alternatives than are enumerated", numerals.Count(r.Safety.Depth))
	case search.StateIncomplete:
		if r.Left > 0 {
			return fmt.Sprintf("incomplete: %s to depth %s were left out, and so were those to which only they lead", numerals.Many(r.Left, "state"), numerals.Count(r.Safety.Depth))
		}
		return "incomplete: it stopped before the first depth was done"
	case search.StateNone:
		return "none: nothing was tried"
	default:
		panic("macemc bug: report: no words for safety " + string(r.Safety.State))
	}
}

// visited says to which depth every state was visited.
func visited(r *search.Result) string {
	every := "every state"
	if r.Stats.Reduced {
		every = "every state that is not left out"
	}
	return fmt.Sprintf("%s to depth %s was visited", every, numerals.Count(r.Safety.Depth)) + sparing(r.Safety.Faults)
}

// reduction describes which steps a reduced search left out, or says why it left out none
// although the user asked for it.
func reduction(s *search.Stats) string {
	switch {
	case s.Unreduced != "":
		return "none, since " + s.Unreduced
	case s.Slept > 0:
		return fmt.Sprintf("sleep: every state was visited, and %s not taken, since another order of steps led there; %s taken up again", numerals.Many(s.Slept, "step"), numerals.Many(s.Woken, "state"))
	case !s.Reduced:
		return ""
	case s.Traces+s.Asleep > 0:
		return fmt.Sprintf("dpor: of the runs that differ only in the order of independent steps one was taken to its end, %s in all; %s ended once their steps were known in another order", numerals.Count(s.Traces), numerals.Count(s.Asleep))
	}
	text := "stubborn: "
	if s.Whole > 0 {
		text += fmt.Sprintf("tried after %s, and taken from the start since it paid; ", numerals.Many(s.Whole, "state"))
	}
	text += fmt.Sprintf("of %s some steps were left out, since others stand for them", numerals.Many(s.Parted, "state"))
	if again := s.Voided + s.Cycles; again > 0 {
		text += fmt.Sprintf("; those of %s were taken later, of %s since an observation was new", numerals.Count(again), numerals.Count(s.Voided))
	}
	if s.Entire > 0 {
		text += fmt.Sprintf("; no step of %s was left out, of %s of these since %s", numerals.Many(s.Entire, "state"), numerals.Count(s.Hindered), s.Hindrance)
	}
	if s.Commuted > 0 {
		text += fmt.Sprintf("; %s taken in both orders, as a check", numerals.Many(s.Commuted, "pair"))
	}
	return text
}

// symmetry names the nodes that the search treated as interchangeable. If there are none although
// the user asked for it, it says why.
func symmetry(s *search.Stats) string {
	switch {
	case s.Asymmetric != "":
		return "none, since " + s.Asymmetric
	case s.Symmetric == "":
		return ""
	}
	return fmt.Sprintf("one of the states that differ only in the names of %s was visited; %s compared with renamed ones, as a check", s.Symmetric, numerals.Many(s.Renamed, "state"))
}

// sparing returns a note on the largest number of faults in a run of the exhaustive phase,
// if it is less than the budgets allow.
func sparing(faults int) string {
	if faults == 0 {
		return ""
	}
	return fmt.Sprintf(", with at most %s in a run; walks have more", numerals.Many(faults, "fault"))
}

func liveness(s subject, r *search.Result) string {
	walks, steps := numerals.Many(r.Liveness.Walks, "walk"), numerals.Many(r.Liveness.WalkSteps, "step")
	switch r.Liveness.State {
	case search.StateFound:
		if r.Liveness.Walks == 0 {
			return "found, before any walk from the start"
		}
		return "found, in " + walked(r)
	case search.StateSampled:
		text := fmt.Sprintf("sampled: %s, %s", walks, became(r, steps))
		if r.Options.WalkLeast > 0 {
			text = fmt.Sprintf("sampled: %s, %s", walked(r), became(r, steps))
		}
		if n := r.Liveness.Bottoms; n > 0 {
			text += fmt.Sprintf("; besides, %s from those states that were found last, since the states were not kept", numerals.Many(n, "walk"))
		}
		return text
	case search.StateNone:
		if len(s.Liveness()) == 0 {
			return "none: no liveness property is checked"
		}
		if r.Finding != nil {
			return "none: not decided"
		}
		return "none: no walks were taken; only runs that come to rest were judged"
	case search.StateExhausted, search.StateExhaustedWithin:
		text := fmt.Sprintf("%s: from every state a live one can be reached without faults", r.Liveness.State)
		if r.Liveness.Walks > 0 {
			text += "; besides, " + walked(r)
		}
		return text
	case search.StateCut:
		return "cut: from every state that was visited a live one can be reached without faults"
	case search.StateBounded, search.StateIncomplete:
		return fmt.Sprintf("%s: %s", r.Liveness.State, walked(r))
	default:
		panic("macemc bug: report: no words for liveness " + string(r.Liveness.State))
	}
}

// walked describes the walks from the start: their number and their length.
func walked(r *search.Result) string {
	walks := numerals.Many(r.Liveness.Walks, "walk")
	if least := r.Options.WalkLeast; least > 0 {
		return fmt.Sprintf("%s of at least %s", walks, numerals.Many(least, "step"))
	}
	return fmt.Sprintf("%s of at most %s", walks, numerals.Many(r.Liveness.WalkSteps, "step"))
}

// periphery describes the walks that began in states at the ends of rounds of the
// exhaustive phase, rather than at the start.
func periphery(y search.Periphery) string {
	from := "from each of " + numerals.Many(y.States, "state")
	if y.Walked < y.States {
		from = fmt.Sprintf("from %s of %s", numerals.Count(y.Walked), numerals.Many(y.States, "state"))
	}
	return fmt.Sprintf("%s, not known to be live, at the ends of rounds: a walk until it was; %s in all", from, numerals.Many(y.Steps, "step"))
}

// became describes the results of the walks that found nothing: how often and how soon they
// became live.
func became(r *search.Result, steps string) string {
	switch n := r.Stats.WalksCut; {
	case n > 0 && n == r.Stats.Walks:
		return "each ended in a failure that is ignored, and none became live"
	case n > 0:
		others := *r
		others.Stats.WalksCut = 0
		return fmt.Sprintf("%s ended in a failure that is ignored; of the others, %s", numerals.Count(n), became(&others, steps))
	}
	if !r.System.Assume.IsZero() {
		return fmt.Sprintf("none dead while %q, each to at most %s", r.System.Assume.Name, steps)
	}
	if r.Stats.Suspects > 0 {
		return fmt.Sprintf("each became live within %s, save %s whose end was found to be recoverable", steps, numerals.Count(r.Stats.Suspects)) + suspects(r)
	}
	if r.Finding != nil {
		return fmt.Sprintf("each to at most %s", steps)
	}
	return fmt.Sprintf("each became live within %s", steps) + suspects(r)
}

// kept describes the form in which the search kept the visited states, or returns "" if it
// is the default.
func kept(r *search.Result) string {
	reference := r.Stats.Engine == string(search.EngineReference)
	switch o := r.Options; {
	case o.Visited == search.VisitedOff:
		return ", every path"
	case o.Visited == search.VisitedFingerprint && !reference:
		return fmt.Sprintf(", fingerprints of %d bits", o.HashBits)
	default:
		return ""
	}
}

// copies describes how nodes are copied, or returns "" if the walker copies them by their
// fields, as by default.
func copies(r *search.Result) string {
	switch {
	case r.Stats.Uncopied != "":
		return ", since nodes cannot be copied: " + r.Stats.Uncopied
	case r.Stats.Cloned:
		return ", nodes copied by Clone of the system"
	default:
		return ""
	}
}

// prefix describes the recorded run at whose end the search began.
func prefix(r *search.Result) string {
	path := r.Options.Prefix
	text := "a prefix of " + numerals.Many(len(path.Steps), "step")
	if r.Options.PrefixName != "" {
		text += ", " + r.Options.PrefixName
	}
	have := path.All("bug")
	var without []string
	for _, b := range r.Params.Bugs() {
		if !slices.Contains(have, string(b)) {
			without = append(without, string(b))
		}
	}
	switch {
	case len(without) > 0:
		text += ", which was recorded without " + strings.Join(without, ", ")
	case len(have) > 0:
		text += ", which was recorded with " + strings.Join(have, ", ")
	}
	return text
}

// environment describes how the environment may misbehave, and the settings of links that the user has
// chosen.
func environment(r *search.Result) string {
	text := ""
	if f := r.Options.Stated(r.System); !f.IsZero() {
		text += "; faults " + f.String()
	}
	if r.Options.Early != nil {
		text += fmt.Sprintf("; early %d", *r.Options.Early)
	}
	if net := r.Options.Network.String(); net != "" {
		text += "; " + net
	}
	if p := keeps(r.System, r.Params, r.Options.FreeTimers); p != "" {
		text += "; timers " + p
	} else if r.Options.FreeTimers {
		text += "; free timers"
	}
	if r.Options.CrashWithin || r.Options.CrashImplicit {
		text += "; crashes " + setting.CrashModel(&r.Options.Conditions)
	}
	if r.Options.DiskReorder {
		text += "; unsynced writes in any order"
	}
	return text
}

// keeps describes the order in which the system's timers fire, or returns "" if they may
// fire at any time.
func keeps(sys *sim.System, params sim.Params, free bool) string {
	if clock, _ := sys.Pace(params); clock != nil && !free { // the search has reported the error, if there is one
		text := "in order (" + clock.String()
		if params.Nodes > 1 {
			text += "; the clocks of two nodes are unrelated"
		}
		return text + ")"
	}
	return ""
}
