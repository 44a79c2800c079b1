package report

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/sim"
	"macemc/trace"
)

const labels = 12 // the width of the column of labels

// Result writes the result of a search, as text. For findings with an account, it names their files.
func Result(w io.Writer, r *search.Result, all ...*account.Account) error {
	p := &printer{w: w}
	s, found := about(r), subjects(r, all)
	switch n := len(r.Findings); {
	case r.Finding == nil && r.Options.Prefixes > 0:
		p.prefixes(s, r)
	case r.Finding == nil:
		p.title(s.Name()+": nothing found "+within(r.Stop)+suspects(r), r)
	case n > 1:
		p.title(s.Name()+": "+numerals.Many(n, "finding")+beforeCut(r), r)
		for i, s := range found {
			p.line("%s", cutTo(widest, fmt.Sprintf("finding %d: %s", i+1, s.gist())))
			p.blank()
			p.finding(s)
			p.steps(s)
		}
	default:
		s = found[0]
		p.title(s.title(), r)
		p.finding(s)
		p.steps(s)
	}
	p.searched(s, r)
	p.space(r.Space)
	p.never(r)
	p.unran(r.Lines)
	p.measured(r)
	for i, a := range all {
		p.blank()
		if len(all) > 1 {
			p.line("finding %d:", i+1)
		}
		p.place(a.Place)
	}
	p.undecided(r)
	p.leftOut(r)
	return p.err
}

// suspects returns the number of suspected runs that were not decided, as text.
func suspects(r *search.Result) string {
	switch n := len(r.Undecided); n {
	case 0:
		return ""
	case 1:
		return ", but one suspected run was not decided"
	default:
		return fmt.Sprintf(", but %s suspected runs were not decided", numerals.Count(n))
	}
}

// undecided lists the suspected runs that were not decided.
func (p *printer) undecided(r *search.Result) {
	if len(r.Undecided) == 0 {
		return
	}
	p.blank()
	p.line("undecided: may be dead; replay and critical decide")
	for _, one := range r.Undecided {
		file := one.File
		if file == "" {
			file = "not written"
		}
		p.line("  %6s steps  %s", numerals.Count(len(one.Steps)), file)
	}
}

// title writes the first line, and the place where the search began if it did not begin at the start.
func (p *printer) title(text string, r *search.Result) {
	p.line("%s", text)
	if r.Options.Prefix != nil {
		p.line("from %s", prefix(r))
	}
	p.blank()
}

// prefixes lists the recorded runs from which further searches can begin.
func (p *printer) prefixes(s subject, r *search.Result) {
	p.line("%s: %s of %s in steady state", s.Name(), numerals.Count(len(r.Prefixes)), numerals.Many(r.Options.Prefixes, "run"))
	p.blank()
	for _, one := range r.Prefixes {
		file := one.File
		if file == "" {
			file = "not written"
		}
		p.line("  %6s steps  %s", numerals.Count(len(one.Steps)), file)
	}
	if len(r.Prefixes) > 0 {
		p.blank()
	}
}

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

// beforeCut returns a note for the findings of a search that was cut short.
func beforeCut(r *search.Result) string {
	if r.Cut == "" {
		return ""
	}
	return " " + within(r.Cut)
}

// finding writes the block about the failure and the evidence for it.
func (p *printer) finding(s subject) {
	f := s.Finding
	p.row(2, labels, "verdict", s.verdict())
	if f.Manner != "" {
		p.row(2, labels, "met by", "a walk of the manner "+f.Manner)
	}
	switch {
	case f.Verdict == trace.VerdictDead:
		p.row(2, labels, "live", "when "+quoted(s.Liveness())+hold(len(s.Liveness())))
		p.row(2, labels, "at the end", "not "+quoted(s.Finding.Failing))
	case f.Property != "":
		p.row(2, labels, "property", fmt.Sprintf("%q", f.Property))
	}
	if f.Message != "" {
		p.row(2, labels, "because", f.Message)
	}
	if s.Hot() {
		p.row(2, labels, "lasso", s.lasso())
	}
	if text := s.Beyond(); text != "" {
		p.row(2, labels, "beyond", "what the system promises to survive: "+text)
	}
	if f.Identity != "" && f.Verdict != trace.VerdictDead && !s.Hot() {
		p.row(2, labels, "event", strings.TrimSpace(step(f.Step)+"  "+cut(s.shown(f.Step, f.Identity))))
	}
	if f.Verdict == trace.VerdictNondeterminism {
		if at := s.Sources().Of(f); at.Line > 0 {
			p.row(2, labels, "handler", fmt.Sprintf("%s:%d", at.File, at.Line))
		}
		p.orders(s.Orders())
	}
	if f.Verdict == trace.VerdictDead || s.Hot() || f.Critical != nil || f.Avoided != nil {
		p.row(2, labels, "critical", s.critical())
		for i, fact := range s.amiss() {
			p.row(2, labels, map[bool]string{true: "there"}[i == 0], fact)
		}
		p.row(2, labels, "evidence", s.evidence())
	}
	if f.Deviates != nil {
		p.row(2, labels, "deviates", s.deviates())
	}
	if f.Found != nil {
		p.row(2, labels, "shrunk", "from "+numerals.Many(len(f.Found.Steps), "step"))
	}
	if f.EndedAt > 0 {
		p.row(2, labels, "ended", s.ended())
	}
	p.blank()
	p.outcomes(f.Outcomes)
	p.stack(f.Stack)
}

// orders writes the statements that range over a map, which may be the reason why a step differs each time.
func (p *printer) orders(all []account.Order) {
	for i, o := range all {
		label, why := "", ""
		if i == 0 {
			label, why = "order", ": the order of a map is not the same each time; range over sim.Keys"
		}
		p.row(2, labels, label, fmt.Sprintf("%s:%d %s%s", o.File, o.Line, Plain(o.Text), why))
	}
}

func hold(n int) string {
	if n == 1 {
		return " holds"
	}
	return " hold in one state"
}

func step(n int) string {
	if n == 0 {
		return ""
	}
	return "step " + numerals.Count(n)
}

func (p *printer) outcomes(outcomes []search.Outcome) {
	if len(outcomes) == 0 {
		return
	}
	p.line("outcomes:")
	total := 0
	for _, o := range outcomes {
		total += o.Times
	}
	for _, o := range outcomes {
		told := strings.TrimSuffix(strings.TrimSpace(o.Told), ";")
		if told == "" {
			told = "nothing was done"
		}
		p.line("%s", cut(fmt.Sprintf("  %s of %s  %s", numerals.Count(o.Times), numerals.Count(total), told)))
	}
	p.blank()
}

func (p *printer) stack(stack string) {
	if stack == "" {
		return
	}
	p.line("stack:")
	lines := strings.Split(strings.TrimRight(stack, "\n"), "\n")
	for i, line := range lines {
		if i == stackMost {
			p.line("  ... and %s more", numerals.Many(len(lines)-i, "line"))
			break
		}
		p.line("%s", cutTo(widest, "  "+strings.ReplaceAll(line, "\t", "    ")))
	}
	p.blank()
}

// clocks describes how often clocks may misbehave.
func clocks(of *search.Programs) string {
	if of.Clocks == 0 {
		return ""
	}
	return fmt.Sprintf("; clocks=%d", of.Clocks)
}

// programs writes the block about a search of a system with programs.
func (p *printer) programs(s subject, r *search.Result) {
	of := r.Programs
	p.row(2, labels, "run", s.setting()+environment(r)+clocks(of)+fmt.Sprintf("; seed %d; engine %s", r.Options.Seed, r.Stats.Engine))
	if len(s.Checked) > 0 {
		p.row(2, labels, "checked", "only "+quoted(s.Checked))
	}
	p.row(2, labels, "taken", numerals.Many(of.Worlds, "run")+" with goroutines; their states are not compared, so no duplicates are known")
	if r.Options.Prefix != nil {
		p.row(2, labels, "prefix", "each run first does what "+r.Options.PrefixName+" says")
	}
	switch {
	case r.Options.Engine == search.EngineReference && of.Whole == 0:
		p.row(2, labels, "whole", "not even all runs that deviate once from the one in which nothing does")
	case r.Options.Engine == search.EngineReference && of.Whole > 0:
		p.row(2, labels, "whole", fmt.Sprintf("all runs that deviate at most %s from the one in which nothing does", numerals.Many(of.Whole, "time")))
	case r.Options.Walking != "" && r.Options.Walking != search.WalkAuto:
		p.row(2, labels, "walks", string(r.Options.Walking))
	}
	p.row(2, labels, "proved", "nothing: a search of programs samples runs")
	if r.Finding != nil {
		exact := "no: two processes took the run in different ways"
		if of.Exact {
			exact = "yes: two processes drew the same"
		}
		p.row(2, labels, "exact", exact)
		if of.Critical != "" {
			p.row(2, labels, "critical", of.Critical)
		}
		for i, d := range of.Turns {
			p.row(2, labels, map[bool]string{true: "in it"}[i == 0], d)
		}
		if of.Exact {
			p.row(2, labels, "draws", fmt.Sprintf("%d of %d deviate, of which %d chose faults, requests and their times; in the run as it was found, %d did (%s made it smaller)", of.Deviate, of.Draws, of.Script, of.First, numerals.Many(of.Shrunk, "run")))
		}
		for i, d := range of.Deviates {
			p.row(2, labels, map[bool]string{true: "deviates"}[i == 0], d)
		}
	}
	if of.Drawn != nil {
		p.row(2, labels, "graph", "none: "+of.Drawn.Error())
	}
	p.row(2, labels, "stopped", stopped(r))
	p.blank()
}

// searched writes the block with the bounds and the counts.
func (p *printer) searched(s subject, r *search.Result) {
	p.line("searched:")
	if r.Programs != nil {
		p.programs(s, r)
		return
	}
	p.row(2, labels, "run", s.setting()+environment(r)+fmt.Sprintf("; seed %d; engine %s%s%s", r.Options.Seed, r.Stats.Engine, kept(r), copies(r)))
	if len(s.Checked) > 0 {
		p.row(2, labels, "checked", "only "+quoted(s.Checked))
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
		counted += " at least: what was noted last before the process ended"
	}
	p.row(2, labels, "counted", counted)
	p.row(2, labels, "effort", effort(r.Stats))
	if d := r.Repeated; d.Steps > 0 && d.Times > 0 {
		each := "each of " + numerals.Many(d.Steps, "different step")
		if d.Steps == 1 {
			each = "the one step that there is"
		}
		p.row(2, labels, "repeated", fmt.Sprintf("%s was taken %s more, and did the same: a coin of one half that nobody owns would have escaped with a probability of %.1g", each, numerals.Many(d.Times, "time"), d.Escape()))
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

// ignored returns the failures that were ignored, and the number of runs that ended in them.
func ignored(r *search.Result) string {
	var all []string
	ends := false
	for _, i := range r.Options.Ignore {
		all = append(all, i.String())
		ends = ends || i.EndsRuns()
	}
	text := strings.Join(all, ", ")
	switch {
	case ends && r.Ignored == 0:
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

// reduction describes which steps were left out, or says why none were although the user asked for it.
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

// symmetry describes which nodes are interchangeable, or says why none are although the user asked for it.
func symmetry(s *search.Stats) string {
	switch {
	case s.Asymmetric != "":
		return "none, since " + s.Asymmetric
	case s.Symmetric == "":
		return ""
	}
	return fmt.Sprintf("one of the states that differ only in the names of %s was visited; %s compared with renamed ones, as a check", s.Symmetric, numerals.Many(s.Renamed, "state"))
}

// sparing returns the largest number of faults in a run of the exhaustive phase, if it is less than the
// budgets allow.
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

// periphery describes the walks from states at the ends of rounds.
func periphery(y search.Periphery) string {
	from := "from each of " + numerals.Many(y.States, "state")
	if y.Walked < y.States {
		from = fmt.Sprintf("from %s of %s", numerals.Count(y.Walked), numerals.Many(y.States, "state"))
	}
	return fmt.Sprintf("%s, not known to be live, at the ends of rounds: a walk until it was; %s in all", from, numerals.Many(y.Steps, "step"))
}

// became describes the results of the walks that found nothing.
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

// kept describes the form in which the engine kept the states, or returns "" if it is the default.
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

// copies describes how nodes are copied, if the walker does not copy them.
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

// prefix describes the prefix with which the search begins.
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

// keeps describes the order in which timers may fire, or returns "" if they are free.
func keeps(sys *sim.System, params sim.Params, free bool) string {
	if clock, _ := sys.Pace(params); clock != nil && !free { // a search has asked it before
		text := "in order (" + clock.String()
		if params.Nodes > 1 {
			text += "; the clocks of two nodes are unrelated"
		}
		return text + ")"
	}
	return ""
}

// effort describes the work of the engine. Other engines may need less, or more.
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

// dear names the nodes whose steps were not looked up.
func dear(nodes uint64) string {
	if nodes == 0 {
		return ""
	}
	return "; not those of " + strings.Join(dearNodes(nodes), ", ") + ", since most of them are new"
}

// dearNodes returns the names of the nodes whose bits are set.
func dearNodes(set uint64) (names []string) {
	for ; set != 0; set &= set - 1 {
		names = append(names, fmt.Sprintf("n%d", bits.TrailingZeros64(set)))
	}
	return names
}

// manners returns the number of walks of each manner, if there were several manners.
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

// some returns the first few of some numbers, as text.
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
			return "done: they are as many as were asked for"
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
			return "memory: what it was given was used up, before its bound; with --state DIR states go to disk"
		}
		return "memory: what it was given was used up, before its bound"
	case search.StopTime:
		return "time: what it was given was over, before its bound"
	case search.StopSpent:
		return "spent: walks were taken for as long as the time lasted, and as many as by default at least"
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

// quarantined describes the walks and states that were left out, since they ended processes.
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

// leftOut lists the files with the runs to states that were left out.
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
		elapsed += ", " + duration(m.Looked) + " of them to look into what was found"
	}
	if m.CPU > 0 {
		elapsed += "; " + duration(m.CPU) + " of processor time"
	}
	p.row(2, labels, "time", elapsed)
	if r.Programs != nil { // other processes take the runs
		return
	}
	p.row(2, labels, "speed", rate(r.Stats.Steps, m.Elapsed-m.Looked)+" steps/s")
	p.row(2, labels, "memory", numerals.Count(int(m.Memory>>20))+" MiB")
	if why := slower(r); why != "" {
		p.row(2, labels, "slower", why)
	}
	if why := waited(r); why != "" {
		p.row(2, labels, "busy", why)
	}
}

// waited returns a note that the machine was busy with something else while the search's time passed, or
// "".
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

// place writes the end of a finding's report: its files, and the command that replays it.
func (p *printer) place(place account.Place) {
	if place.Path == "" {
		p.line("path: not written")
		return
	}
	p.line("path:   %s", place.Path)
	if place.Live != "" {
		p.line("live:   %s", place.Live)
	}
	if place.Report != "" {
		p.line("report: %s", place.Report)
	}
	p.line("replay: %s", place.Replay)
}
