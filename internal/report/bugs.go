package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"macemc/internal/known"
	"macemc/internal/numerals"
	"macemc/internal/verify"
	"macemc/internal/wording"
	"macemc/trace"
)

// Bugs writes the catalogue of known bugs, as text. command is the name of the command in
// the lines that it suggests. If elsewhere is not empty, the text ends with that line,
// which says where there are more bugs.
func Bugs(w io.Writer, all []known.Entry, elsewhere, command string) error {
	p := &printer{w: w}
	t := table{{"bug", "system", "violates", "found as", "what goes wrong, and what it takes besides --bug"}}
	for _, e := range all {
		t = append(t, []string{string(e.ID), e.System.Name, string(e.Kind), e.Verdict.String(), Sentence(e.Story)})
		if flags := e.Flags.Args(); len(flags) > 0 {
			t = append(t, []string{"", "", "", "", wording.Typed(flags...)})
		}
	}
	p.table(t, nil)
	p.blank()
	p.line("%s bugs show ID explains one, %s bugs verify searches for them.", command, command)
	if elsewhere != "" {
		p.row(0, 0, "", elsewhere)
	}
	return p.err
}

// Bug writes everything that is known about one bug, as text.
func Bug(w io.Writer, e known.Entry, command string) error {
	p := &printer{w: w}
	p.line("%s  (%s)", e.ID, e.System.Name)
	p.row(2, 0, "", e.Story)
	p.blank()
	p.row(2, labels, "violates", string(e.Kind))
	as := e.Verdict.String()
	if e.Or != trace.VerdictNone {
		as += ", on some seeds " + e.Or.String()
	}
	p.row(2, labels, "found as", as)
	for i, c := range e.Critical {
		p.row(2, labels, map[bool]string{true: "critical", false: "or"}[i == 0], c.String())
	}
	if e.Meant != "" {
		p.row(2, labels, map[bool]string{true: "no step", false: "meant"}[len(e.Critical) == 0], e.Meant)
	}
	if f := e.Fresh; f.Of > 0 {
		p.row(2, labels, "how often", fmt.Sprintf("on %d of %d fresh seeds", f.Held, f.Of))
	}
	p.row(2, labels, "paper", cmp.Or(e.Paper, "no figures"))
	p.row(2, labels, "find", command+" "+wording.Typed(e.Command()...))
	lines, err := e.Lines()
	p.blank()
	if err != nil {
		p.row(2, labels, "lines", err.Error())
		return p.err
	}
	p.line("  lines")
	for _, l := range lines {
		p.line("    %s:%d  %s", filepath.ToSlash(filepath.Join("systems", filepath.Base(filepath.Dir(l.File)), filepath.Base(l.File))), l.Line, l.Text)
	}
	return p.err
}

// Verified writes the result of verifying the catalogue, as text. Only the column "time"
// differs between two runs.
func Verified(w io.Writer, r *verify.Report, command string) error {
	p := &printer{w: w}
	t := table{{"bug", "system", "nodes", "found", "as", "time", "paths", "states", "steps", "critical step", "alone", "clean"}}
	notes := map[int]string{}
	for _, b := range r.Bugs {
		if len(b.Runs) == 0 {
			continue
		}
		if b.Entry.Paper != "" {
			notes[len(t)] = "the paper: " + b.Entry.Paper
		}
		f := figuresOf(b)
		if fresh := b.Entry.Fresh; b.Stated && f.found < len(b.Runs) {
			notes[len(t)] = strings.TrimSpace(fmt.Sprintf("the critical step is one of the stated kinds on %d of %d seeds, as on %d of %d before. %s",
				f.found, len(b.Runs), fresh.Held, fresh.Of, notes[len(t)]))
		}
		t = append(t, []string{
			string(b.Entry.ID), b.Entry.System.Name, numerals.Count(b.Nodes), fmt.Sprintf("%d of %d", f.found, r.Seeds), f.verdict,
			duration(f.time), numerals.Count(f.paths), numerals.Count(f.states), numerals.Count(f.steps), f.critical, yesNo(b.Alone), clean(b),
		})
	}
	p.table(t, notes)
	p.blank()
	p.cleans(r.Cleans)
	p.row(0, 0, "", summary(r))
	for _, one := range problems(r, command) {
		p.row(2, 2, "-", one.text+":")
		p.line("    %s", one.command)
	}
	return p.err
}

// widestStep is the largest width of the column of critical steps.
const widestStep = 44

// figures are the measurements of the searches for a bug: the median of each number over all
// seeds, and the verdict and the critical step of the first seed.
type figures struct {
	found                int
	verdict, critical    string
	time                 time.Duration
	paths, states, steps int
}

func figuresOf(b verify.Bug) (f figures) {
	for _, r := range b.Runs {
		if r.Problem == "" && r.Other == "" {
			f.found++
		}
	}
	runs := slices.Clone(b.Runs)
	slices.SortStableFunc(runs, func(a, c verify.Run) int { return cmp.Compare(a.Time, c.Time) })
	f.time = runs[len(runs)/2].Time
	of := func(n func(verify.Run) int) int {
		var all []int
		for _, r := range b.Runs {
			all = append(all, n(r))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	f.paths = of(func(r verify.Run) int { return r.Stats.Paths })
	f.states = of(func(r verify.Run) int { return r.Stats.States })
	f.steps = of(func(r verify.Run) int { return r.Steps })
	first := b.Runs[0]
	f.verdict, f.critical = first.Verdict.String(), "none"
	if c := first.Critical; c != nil {
		f.critical = cmp.Or(c.Event, "the start")
		if c.Step > 0 {
			f.critical = cutTo(widestStep, fmt.Sprintf("%d, %s", c.Step, c.Event))
		}
	}
	return f
}

func yesNo(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }

// summary returns the sentence with the result of the verification.
func summary(r *verify.Report) string {
	stated, alone, searched, pure := 0, 0, 0, 0
	for _, b := range r.Bugs {
		stated += one(b.Stated)
		alone += one(b.Alone)
		searched += one(b.Clean != nil)
		pure += one(b.Clean != nil && b.Clean.Is())
	}
	text := fmt.Sprintf("%d of %d are found as stated, on the seeds %d to %d; %d of them with --bug alone. ", stated, r.Of, r.Seed, r.Seed+r.Seeds-1, alone)
	switch {
	case r.Stop != "":
		text += "It was stopped before its end."
	case searched == 0:
		text += "The correct systems were not searched."
	default:
		text += fmt.Sprintf("Without the bug nothing is found for %d of %d, by ten times the effort of the slowest under the same flags.", pure, r.Of)
	}
	return text
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// problem describes how a bug that was searched for deviates from what its entry states,
// and has the command that shows it.
type problem struct{ text, command string }

func problems(r *verify.Report, command string) (all []problem) {
	for _, b := range r.Bugs {
		for _, run := range b.Runs {
			if text := cmp.Or(run.Problem, run.Other); text != "" && !b.Stated {
				all = append(all, problem{
					fmt.Sprintf("%s, seed %d: %s", b.Entry.ID, run.Seed, text),
					fmt.Sprintf("%s %s --seed %d", command, wording.Typed(b.Entry.Command()...), run.Seed),
				})
			}
		}
		if c := b.Clean; c != nil && !c.Is() && c.Bugs[0] == b.Entry.ID {
			all = append(all, unclean(c, command))
		}
	}
	return all
}

// table has rows of cells for a text. The first row is the heading.
type table [][]string

// table writes a table whose columns are as wide as their widest cells. The last column is
// not padded. The note on a row, given by its index, stands below the row.
func (p *printer) table(t table, notes map[int]string) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for k, row := range t {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s  ", widths[i], cell)
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
		if note, has := notes[k]; has {
			p.row(widths[0]+2, 0, "", note)
		}
	}
}

// VerifiedJSON writes the result of verifying the catalogue as one JSON object.
func VerifiedJSON(w io.Writer, r *verify.Report, command string) error {
	found, alone := 0, 0
	for _, b := range r.Bugs {
		found, alone = found+one(b.Stated), alone+one(b.Alone)
	}
	return write(w, object{
		{"version", version}, {"bugs", objects(r.Bugs, func(b verify.Bug) object { return verifiedBug(b, command) })},
		{"seed", r.Seed}, {"seeds", r.Seeds}, {"found", found}, {"found_alone", alone}, {"of", r.Of}, {"stop", orNull(string(r.Stop))},
	})
}

func verifiedBug(b verify.Bug, command string) object {
	problem := []string{}
	for _, p := range problems(&verify.Report{Bugs: []verify.Bug{b}}, command) {
		problem = append(problem, p.text+": "+p.command)
	}
	f, event, step := figures{verdict: trace.VerdictNone.String()}, any(nil), any(nil)
	if len(b.Runs) > 0 {
		f = figuresOf(b)
		if c := b.Runs[0].Critical; c != nil {
			event, step = cmp.Or(c.Event, "the start"), c.Step
		}
	}
	clean, search := any(nil), object(nil)
	if b.Clean != nil {
		clean, search = b.Clean.Is(), cleanOf(b.Clean)
		if clean == false && b.Clean.Bugs[0] != b.Entry.ID { // the text has it once
			p := unclean(b.Clean, command)
			problem = append(problem, p.text+": "+p.command)
		}
	}
	return object{
		{"id", b.Entry.ID}, {"system", b.Entry.System.Name}, {"kind", b.Entry.Kind}, {"found", b.Stated}, {"verdict", f.verdict},
		{"critical_event", event}, {"critical_step", step}, {"nodes", b.Nodes}, {"seconds", f.time.Seconds()}, {"states", f.states}, {"paths", f.paths},
		{"steps", f.steps}, {"alone", b.Alone}, {"clean", clean}, {"paper", orNull(b.Entry.Paper)}, {"command", b.Entry.Command()},
		{"problems", problem}, {"clean_search", search},
	}
}
