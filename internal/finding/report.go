package finding

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/observe"
	"macemc/internal/report"
	"macemc/trace"
)

const (
	changesMost = 40 // lines of a table of changes
	effectsMost = 12 // effects of a step
)

// page is a report that is being written, in Markdown.
type page struct{ b bytes.Buffer }

// say adds a paragraph.
func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n\n", args...) }

func (p *page) head(title string) { p.say("## %s", title) }

func (p *page) list(items []string) {
	for _, item := range items {
		p.b.WriteString("- " + item + "\n")
	}
	if len(items) > 0 {
		p.b.WriteString("\n")
	}
}

// report writes the file report.md, the text of a bug report.
func (t *tale) report(w io.Writer) error {
	p := &page{}
	p.say("# %s: %s", t.name(), t.kind())
	p.say("macemc found this: the real code ran in a simulator, which chose what happens next. It is one run that is possible, and can be taken again step by step.")
	t.violated(p)
	t.short(p)
	if t.crashTurns() {
		t.avoidable(p)
		t.critical(p)
	} else {
		t.critical(p)
		t.avoidable(p)
	}
	t.programs(p)
	t.goesOn(p)
	t.nearest(p)
	t.apart(p)
	t.outcomes(p)
	t.run(p)
	t.graphed(p)
	t.commandList(p)
	t.bounds(p)
	_, err := w.Write(bytes.TrimRight(p.b.Bytes(), "\n"))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_. ,-]+$`)

func (t *tale) name() string {
	if plainName.MatchString(t.told.Name) {
		return t.told.Name
	}
	return report.Code(t.told.Name)
}

// kind returns the verdict and the place of the failure in a few words, such as "dead after 12 steps". They
// do not contain names or texts of the service.
func (t *tale) kind() string {
	after, at := "after "+numerals.Many(t.f.Step, "step"), fmt.Sprintf("in step %d", t.f.Step)
	if t.f.Step == 0 {
		after, at = "at the start", "at the start"
	}
	switch t.f.Verdict {
	case trace.VerdictDead:
		if t.Turn().FromStart() {
			return "dead from the start"
		}
		return "dead " + after
	case trace.VerdictHot:
		return fmt.Sprintf("hot for ever after step %d", t.f.Lasso.Since)
	case trace.VerdictSafety:
		return "unsafe " + after
	default:
		return t.f.Verdict.String() + " " + at
	}
}

// violated writes the section on the property that is violated.
func (t *tale) violated(p *page) {
	f := t.f
	switch f.Verdict {
	case trace.VerdictDead:
		names := codes(t.told.Live)
		if len(names) == 1 {
			p.say("**Promised:** from every state, a state can be reached in which %s.", names[0])
		} else {
			p.say("**Promised:** from every state, a state can be reached in which all of these hold together: %s.", report.List(names))
		}
		p.say("**Violated:** at the end of this run, %s %s not hold%s, and no state in which %s can be reached any more.",
			report.List(codes(t.told.Failing)), one(t.told.Failing, "does", "do"), because(f.Message), one(names, "it holds", "all hold"))
	case trace.VerdictHot:
		p.say("**Promised:** every fair run becomes cold again and again: %s.", report.Code(f.Property))
		p.say("**Violated:** this run is fair, and hot for ever%s.", because(f.Message))
	case trace.VerdictSafety:
		p.say("**Promised:** %s", t.promise())
		p.say("**Violated:** %s%s.", after(f.Step), because(f.Message))
	default:
		p.say("**Promised:** every handler returns, does not panic, and touches only what is its own; the same answers lead to the same run.")
		p.say("**Violated:** %s%s.", strings.TrimSpace(t.told.Verdict), because(f.Message))
	}
	for _, b := range t.System.Bugs {
		if t.Params.Bug(b.ID) {
			p.say("A known bug was switched on, %s: %s", report.Code(string(b.ID)), report.Prose(b.Story))
		}
	}
	p.say("%s", sentence("run with "+report.Code(t.told.Setting)))
}

// short writes the summary, which comes before any code: the critical step, whether the failure could be
// avoided, and how to replay the run.
func (t *tale) short(p *page) {
	var lines []string
	if t.recording() && t.r.Programs.Critical != "" {
		lines = append(lines, "**Critical step:** "+report.Prose(t.r.Programs.Critical)+". That is evidence, and no proof.")
	} else if turn := t.Turn(); turn.In() {
		event, crash := t.f.Path.Steps[t.Turned()-1].Event.What, ""
		if s := t.Step(t.Turned()); s != nil {
			event = s.Shown(t.Walker().Text)
			if how := s.CrashedWithin(); how != "" {
				crash = fmt.Sprintf(", in which %s crashes %s", report.Code(s.Node.String()), report.Code(how))
			}
		}
		lines = append(lines, fmt.Sprintf("**Critical step:** %d of %d, %s%s.", t.Turned(), t.f.Step, report.Code(event), crash))
	} else if turn.FromStart() {
		lines = append(lines, "**Critical step:** none.")
	} else {
		lines = append(lines, "**Critical step:** none is known.")
	}
	if text := t.avoids(); text != "" {
		lines = append(lines, "**Could it be avoided?** "+text)
	}
	lines = append(lines, "**Take it again:** "+report.Code(t.commands[0].Line))
	p.list(lines)
}

// crashTurns reports whether the critical step is a crash or another fault, and not the last step. Then
// the report begins with that step, since it explains more than the step in which the failure appeared.
func (t *tale) crashTurns() bool {
	if t.Dead() || t.Hot() || !t.Turn().In() || t.Turned() == t.f.Step {
		return false
	}
	s := t.Step(t.Turned())
	return s != nil && (s.Event.Kind.Fault() || s.CrashedWithin() != "")
}

// one returns single if there is one name, and several otherwise.
func one(names []string, single, several string) string {
	if len(names) == 1 {
		return single
	}
	return several
}

func after(step int) string {
	if step == 0 {
		return "at the start"
	}
	return fmt.Sprintf("after step %d", step)
}

func because(message string) string {
	if message == "" {
		return ""
	}
	return " (" + report.Code(message) + ")"
}

func codes(names []string) (out []string) {
	for _, n := range names {
		out = append(out, report.Code(n))
	}
	return out
}

// promise returns the violated safety property as a sentence.
func (t *tale) promise() string {
	name := report.Code(t.f.Property)
	for _, prop := range t.System.Properties {
		if prop.Name != t.f.Property {
			continue
		}
		switch prop.Kind() {
		case "steps":
			return "of every two states before and after a step, " + name + "."
		case "monitor":
			return "of every run, as its monitor sees it, " + name + "."
		}
	}
	return "in every state, " + name + "."
}

// critical writes the section on the critical step of a dead run. For other findings it writes the section on
// the last step.
func (t *tale) critical(p *page) {
	at := t.f.Step
	if !t.Dead() {
		p.head("The last step")
		if at == 0 {
			p.say("It happened when the nodes started, before any step.")
			return
		}
		t.step(p, at)
		return
	}
	p.head("The critical transition")
	switch t.Turn() {
	case account.TurnUnknown:
		p.say("It was not isolated. %s", t.avoids())
	case account.TurnAlways, account.TurnSeems:
		p.say("There is none. %s", t.avoids())
	default:
		p.say("%s", t.avoids())
		t.step(p, t.Turned())
	}
	var lines []string
	for line := range strings.SplitSeq(t.told.Evidence, "\n") {
		lines = append(lines, line)
	}
	p.say("Evidence: %s.", strings.Join(lines, "; "))
}

// step writes about the n-th step: what happened, where it was handled, and what the handler did and
// changed.
func (t *tale) step(p *page, n int) {
	s := t.Step(n)
	if s == nil {
		if n <= len(t.f.Path.Steps) {
			p.say("Step %d: %s.", n, report.Code(t.f.Path.Steps[n-1].Event.What))
		}
		return
	}
	text := fmt.Sprintf("**Step %d: %s.**", n, t.teller.event(s))
	if at := t.Sources().Handler(s.Event); at.Line > 0 && !t.recording() {
		text += fmt.Sprintf(" It is handled by %s in %s.", report.Code(shortFunc(at.Func)), report.Code(fmt.Sprintf("%s:%d", at.File, at.Line)))
	}
	p.say("%s", text)
	var did []string
	for _, c := range s.Coins {
		one := "chooses " + report.Code(c.What)
		if states := t.States(); states != nil && n-1 <= states.Steps() {
			if times := observe.Compared(c.What, s.Event.Node, states.State(n-1)); times != "" {
				one += ": " + report.Code(times)
			}
		}
		did = append(did, one)
	}
	for i, e := range s.Effects {
		if i == effectsMost && len(s.Effects) > effectsMost+1 {
			did = append(did, fmt.Sprintf("and %d more", len(s.Effects)-i))
			break
		}
		did = append(did, t.teller.effect(e))
	}
	switch {
	case s.Expired():
		did = append(did, "does not set the timer again")
	case t.Ignored(s):
		did = append(did, "ignores it: it does nothing, and its state does not change")
	}
	p.list(did)
	t.source(p, n)
	if states := t.States(); states != nil && n <= states.Steps() {
		all, down := observe.Went(states.Changes(n))
		for _, node := range down {
			p.say("%s went down: what it kept in memory is gone.", report.Code(node.String()))
		}
		t.changes(p, states.Read(all), "before", "after")
	}
}

// recording reports whether the run is a recording of programs. Its nodes do not run the service's code.
func (t *tale) recording() bool { return t.r.Programs != nil }

// programs writes the section on a run of programs with goroutines.
func (t *tale) programs(p *page) {
	of := t.r.Programs
	if of == nil {
		return
	}
	p.head("What it takes")
	if len(of.Turns) > 0 {
		p.say("In the critical step these draws turn the run:")
		p.list(codes(of.Turns))
	}
	p.say("Of %s of the run (orders of goroutines, of select cases and of timers, pauses, latencies, faults, what the script chose), %d deviate from what happens if nothing is chosen, and %d of these chose faults, requests and their times, which stand in the run; in the run as it was found, %d deviated.",
		numerals.Many(of.Draws, "draw"), of.Deviate, of.Script, of.First)
	p.list(codes(of.Deviates))
	if of.Drawn != nil {
		p.say("There is no graph: %s.", report.Prose(of.Drawn.Error()))
	}
}

const (
	passagesMost = 6  // functions of a step
	linesMost    = 90 // lines of all of these
)

// source writes the lines of the service's code that ran in the n-th step. Lines of layers that the service
// uses but does not define come last, in a section that the reader has to open.
func (t *tale) source(p *page, n int) {
	if t.recording() {
		return
	}
	all, why := t.Passages(n)
	if len(all) == 0 {
		return
	}
	own := slices.IndexFunc(all, func(one account.Passage) bool { return one.Layer })
	if own < 0 {
		own = len(all)
	}
	more := t.passages(p, n, all[:own])
	if layers := all[own:]; len(layers) > 0 {
		p.say("<details>\n<summary>%s of the layers below that ran, such as <code>%s</code></summary>", numerals.Many(len(layers), "function"), html.EscapeString(shortFunc(layers[0].Func)))
		more = append(more, t.passages(p, n, layers)...)
		p.say("</details>")
	}
	switch {
	case t.Copy == nil:
		p.say("`mdb` shows which of these lines ran (`source`), and so does the page that `graph --format html` draws.")
	case why != nil:
		p.say("Which of these lines ran is not known: %s.", report.Prose(why.Error()))
	case len(more) > 0:
		p.say("Lines with > ran. So did some of %s.", report.List(more))
	default:
		p.say("Lines with > ran.")
	}
	if how := t.Step(n).CrashedWithin(); how != "" {
		p.say("%s crashed %s: what these lines did after that had no effect.", report.Code(t.Step(n).Node.String()), report.Prose(how))
	}
}

// passages writes pieces of source, as many as fit, and returns the names of the functions of the others.
func (t *tale) passages(p *page, n int, all []account.Passage) (more []string) {
	lines := 0
	for i, one := range all {
		if lines += len(one.Lines); i > 0 && (i >= passagesMost || lines > linesMost) {
			more = append(more, report.Code(one.Func))
			continue
		}
		handler := t.Sources().Handler(t.Step(n).Event)
		if i > 0 || one.Layer || handler.File != one.File || handler.Line != one.Line { // else the text of the step says where it is
			p.say("%s, %s:", report.Code(shortFunc(one.Func)), report.Code(fmt.Sprintf("%s:%d", one.File, one.Line)))
		}
		p.say("%s", strings.TrimRight(report.CodeBlock("", passage(one)), "\n"))
	}
	return more
}

// passage returns a piece of source as text, with line numbers, and with marks at the lines that ran.
func passage(one account.Passage) string {
	var b strings.Builder
	for _, l := range one.Lines {
		switch {
		case l.Number == 0:
			b.WriteString("       ...\n")
		case l.Ran:
			fmt.Fprintf(&b, "%5d > %s\n", l.Number, l.Text)
		default:
			fmt.Fprintf(&b, "%5d   %s\n", l.Number, l.Text)
		}
	}
	return b.String()
}

// shortFunc returns a function's name without the path of its package.
func shortFunc(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// changes writes a table of the differences between two states. a and b are the headings of their columns.
func (t *tale) changes(p *page, all []observe.Difference, a, b string) {
	if len(all) == 0 {
		return
	}
	var rows [][]string
	for i, d := range all {
		if i == changesMost && len(all) > changesMost+1 {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(all)-i), "", ""})
			break
		}
		rows = append(rows, []string{report.Code(d.Path), cell(d.A), cell(d.B)})
	}
	p.b.WriteString(report.Table([]string{"state", a, b}, rows) + "\n")
}

func cell(text string) string {
	if text == "" {
		return "–"
	}
	return report.Code(text)
}

// outcomes writes how the outcomes of a nondeterministic step differ, and the stack of a panic.
func (t *tale) outcomes(p *page) {
	if len(t.f.Outcomes) > 0 {
		p.head("What came of it")
		var rows [][]string
		for _, o := range t.f.Outcomes {
			rows = append(rows, []string{fmt.Sprint(o.Times), report.Code(strings.TrimSpace(o.Told))})
		}
		p.b.WriteString(report.Table([]string{"times", "what the handler did"}, rows) + "\n")
	}
	for _, o := range t.Orders() {
		p.say("The order of a map is not the same each time, and %s:%d ranges over one: %s.", o.File, o.Line, report.Code(o.Text))
	}
	if t.f.Stack != "" {
		p.head("The stack")
		p.say("%s", strings.TrimRight(report.CodeBlock("", account.Stack(t.f.Stack)), "\n"))
	}
}

const (
	runMost   = 120 // a run of at most this many steps is shown as a whole
	runBefore = 60  // of a longer run, this many steps before the critical one are shown
	runAfter  = 20  // and this many after it
)

// run writes the steps of the run; of a long run, only those around the critical step.
func (t *tale) run(p *page) {
	p.head("The run")
	n := t.f.Step
	from, to := 0, n
	if n > runMost {
		at := t.Turned()
		from, to = max(0, at-runBefore), min(n, at+runAfter)
		p.say("Of its %s, these are steps %d to %d; `trace.jsonl` has all.", numerals.Many(n, "step"), from+1, to)
	}
	var b strings.Builder
	if err := report.Steps(&b, t.Account, from, to); err == nil && b.Len() > 0 {
		p.say("%s", strings.TrimRight(report.CodeBlock("", b.String()), "\n"))
	}
}

// graphed writes the event graph as a diagram.
func (t *tale) graphed(p *page) {
	if t.f.Trace == nil {
		return
	}
	var b strings.Builder
	if err := t.graph().Mermaid(&b, eventgraph.Part{Most: drawnMost}); err == nil {
		p.head("What happened before what")
		p.say("%s", strings.TrimRight(report.CodeBlock("mermaid", b.String()), "\n"))
	}
}

// commandList writes the commands that use the path, and the other files of the folder.
func (t *tale) commandList(p *page) {
	p.head("Take it again")
	width := 0
	for _, c := range t.commands {
		width = max(width, len(c.Line))
	}
	var lines []string
	for _, c := range t.commands {
		lines = append(lines, fmt.Sprintf("%-*s  # %s", width, c.Line, c.What))
	}
	p.say("%s", strings.TrimRight(report.CodeBlock("sh", strings.Join(lines, "\n")), "\n"))
	if t.f.Trace != nil {
		p.say("Beside this report lie the same run as a page with every state (`graph.html`), as a picture (`graph.svg`), as text (`graph.txt`), and for programs (`trace.jsonl`).")
	}
}

// bounds writes what the search covered.
func (t *tale) bounds(p *page) {
	if t.r.Stop == "" { // there was none: a recorded path was looked into
		return
	}
	p.head("The search")
	var b strings.Builder
	if err := report.Searched(&b, t.r); err != nil {
		return
	}
	if err := report.Measured(&b, t.r); err != nil {
		return
	}
	p.say("%s", strings.TrimRight(report.CodeBlock("", b.String()), "\n"))
}
