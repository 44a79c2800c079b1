package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/numerals"
	"macemc/internal/recording"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

type graphFlags struct {
	format, out  string
	from, to     int
	nodes        []string
	slice        bool
	live         string
	alone        bool
	width        int
	ascii, whole bool
}

// graphRun is one run of the command graph.
type graphRun struct {
	*tool
	f graphFlags
}

func (t *tool) graphCommand() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "draw the run of a finding",
		Long: `graph replays the recorded path of a finding and draws its run: the events at each
node, and the messages between them with their fates. FILE is the error.path of a
finding, or the folder that holds it. If a live.path lies beside it, both runs are
drawn side by side, from the step at which they part.

The formats: text for a terminal or a bug report; svg, a picture; html, a page
with a slider over the steps and the state of every node, which needs nothing
but a browser; mermaid, for a Markdown page; dot, for Graphviz, and perfetto, a
trace for ui.perfetto.dev, which draw one run.`,
		Args: exactly(1, "graph takes one FILE, the error.path of a finding or its folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return (&graphRun{t, f}).run(args[0])
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "", "draw the run in this `form`: "+strings.Join(formatNames(), ", ")+" (default the form that the name of --out ends in, or text)")
	flags.StringVar(&f.out, "out", "", "write the drawing to this `file` (default to standard output)")
	flags.IntVar(&f.from, "from", 0, "draw the steps from this `number`, of both runs (default the first)")
	flags.IntVar(&f.to, "to", 0, "draw the steps to this `number`, of both runs (default the last)")
	flags.StringSliceVar(&f.nodes, "nodes", nil, "draw only the events of these nodes, as `n0,n2` (default all)")
	flags.BoolVar(&f.slice, "slice", false, "draw only those steps that suffice for the same failure, which are found by taking shorter and shorter runs")
	flags.StringVar(&f.live, "live", "", "draw the run of this path `file` beside it (default the live.path beside FILE)")
	flags.BoolVar(&f.alone, "alone", false, "draw only this run, and no live.path beside it")
	flags.IntVar(&f.width, "width", 0, "text: `columns` of a line (default those of the terminal, or 100)")
	flags.BoolVar(&f.ascii, "ascii", false, "text: no characters beyond ASCII")
	flags.BoolVar(&f.whole, "whole", false, "text, svg: do not fold parts of the run in which nothing of interest happens; html: draw all steps (default at most 12,000: the first, those around the critical step, and the last)")
	return cmd
}

// drawing is a graph, or two side by side.
type drawing interface {
	Text(io.Writer, eventgraph.TextOptions) error
	SVG(io.Writer, eventgraph.Part) error
	HTML(io.Writer, eventgraph.Part) error
	Mermaid(io.Writer, eventgraph.Part) error
}

// formats are the values of --format, with the extensions of their files and the functions that draw them.
var formats = []struct {
	name, end string
	draw      func(drawing, io.Writer, eventgraph.TextOptions) error
}{
	{"text", ".txt", func(d drawing, w io.Writer, o eventgraph.TextOptions) error { return d.Text(w, o) }},
	{"svg", ".svg", func(d drawing, w io.Writer, o eventgraph.TextOptions) error { return d.SVG(w, o.Part) }},
	{"html", ".html", func(d drawing, w io.Writer, o eventgraph.TextOptions) error { return d.HTML(w, o.Part) }},
	{"mermaid", ".mmd", func(d drawing, w io.Writer, o eventgraph.TextOptions) error { return d.Mermaid(w, o.Part) }},
	{"dot", ".dot", func(d drawing, w io.Writer, o eventgraph.TextOptions) error {
		return d.(*eventgraph.Graph).DOT(w, o.Part)
	}},
	{"perfetto", ".json", func(d drawing, w io.Writer, o eventgraph.TextOptions) error {
		g := d.(*eventgraph.Graph)
		return g.Perfetto(w, g.Marks.Title, o.Part)
	}},
}

func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

func (f *graphFlags) check() error {
	if f.format == "" {
		f.format = "text"
		for _, one := range formats {
			if filepath.Ext(f.out) == one.end {
				f.format = one.name
			}
		}
	}
	switch {
	case !slices.Contains(formatNames(), f.format):
		return oneOf("format", f.format, formatNames()...).err
	case f.from < 0 || f.to < 0:
		return usagef("--from is %d, and --to %d; both must be numbers of steps, from 1", f.from, f.to)
	case f.to > 0 && f.to < f.from:
		return usagef("--to is %d, before --from, which is %d", f.to, f.from)
	case f.width != 0 && f.width < eventgraph.WidthLeast:
		return usagef("--width is %d; it must be %d or more", f.width, eventgraph.WidthLeast)
	case f.format != "text" && (f.width != 0 || f.ascii):
		return usagef("--width and --ascii are for --format text, and it is %s; leave them out", f.format)
	case f.live != "" && f.alone:
		return usagef("--live draws another run beside this one, and --alone draws none; leave one of them out")
	case f.live != "" && f.single():
		return usagef("--live does not go with --format %s, which draws one run; leave it out", f.format)
	case len(f.nodes) > 0 && f.format == "perfetto":
		return usagef("--nodes does not go with --format perfetto, whose viewer hides tracks; leave it out")
	case f.live != "" && f.parted():
		return usagef("--live does not go with --nodes and --slice, which draw one run; leave them out, or --live")
	}
	return nil
}

// single reports whether --format names a format that cannot draw two runs side by side.
func (f *graphFlags) single() bool { return f.format == "dot" || f.format == "perfetto" }

// parted reports whether --nodes or --slice restricts the drawing to a part of the run.
func (f *graphFlags) parted() bool { return len(f.nodes) > 0 || f.slice }

// columns returns the width of the terminal for a graph drawn as text, within limits, or 0 if the output is
// no terminal.
func (t *graphRun) columns() int {
	w, is := t.stdout.(interface{ Columns() int })
	if !is || w.Columns() == 0 {
		return 0
	}
	const most = 160
	return max(eventgraph.WidthLeast, min(w.Columns()-1, most))
}

func (t *graphRun) run(name string) error {
	name = insideFolder(name)
	run, err := t.drawn(name)
	if err != nil {
		return err
	}
	g := run.graph
	o := eventgraph.TextOptions{
		Part:  t.f.part(),
		Width: t.f.width, ASCII: t.f.ascii, Color: t.f.out == "" && terminal(t.stdout),
	}
	if o.Width == 0 && t.f.out == "" {
		o.Width = t.columns()
	}
	if o.Nodes, err = t.f.named(g); err != nil {
		return err
	}
	live, err := t.beside(run, name)
	if err != nil {
		return err
	}
	steps := g.Steps()
	if live != nil {
		steps = max(steps, live.graph.Steps())
	}
	if t.f.from > steps {
		return usagef("--from is %d, and the run has %d steps", t.f.from, steps)
	}
	var d drawing = g
	if t.f.slice {
		if d, err = run.sliced(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if live != nil {
		d = eventgraph.Compare(g, live.graph)
	}
	return t.write(func(w io.Writer) error {
		if t.f.format == "text" && live != nil { // first the run by itself
			if err := g.Text(w, o); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		one := formats[slices.Index(formatNames(), t.f.format)]
		return one.draw(d, w, o)
	})
}

// pageMost is the largest number of steps on an HTML page, unless the user asks for more.
const pageMost = 12_000

// part returns the part of the graph that --from, --to and --whole select. The nodes of --nodes are not in it:
// method named returns them.
func (f *graphFlags) part() eventgraph.Part {
	p := eventgraph.Part{From: f.from, To: f.to, Whole: f.whole}
	if f.format == "html" && !f.whole {
		p.Most = pageMost
	}
	return p
}

// write calls draw with the file of --out, or with standard output if there is no such flag.
func (t *graphRun) write(draw func(io.Writer) error) error {
	if t.f.out == "" {
		return draw(t.stdout)
	}
	file, err := os.Create(t.f.out)
	if err == nil {
		err = errors.Join(draw(file), file.Close())
	}
	if err != nil {
		return fmt.Errorf("the graph cannot be written: %w", err)
	}
	return nil
}

// run is a recorded path that was taken again, and the graph of its run.
type run struct {
	sys   *sim.System
	path  *choose.Path
	found *search.Finding
	graph *eventgraph.Graph
	stuck bool // its last handler does not return
}

// drawn executes the recorded path in file name, and returns its run with the graph.
func (t *graphRun) drawn(name string) (*run, error) {
	sys, path, err := t.recorded(name)
	if err != nil {
		return nil, err
	}
	seen, live := new(recording.Recording), false
	r, stuck, err := (*search.Replayed)(nil), true, error(nil)
	if v, _ := path.Get("verdict"); v == trace.VerdictKilled.String() { // its last step would end this process
		r, err = search.Killed(sys, path, "the step ends the process, and was not taken now", "")
	} else {
		r, stuck, err = replayed(sys, path, func(w *world.World) {
			seen.See(w)
			live = w.Judge.CanBeLive() && w.Judge.Live()
		})
	}
	if err != nil {
		return nil, notTaken(name, err)
	}
	states := seen
	if stuck { // a stuck handler may continue, and add states
		path, states = r.Finding.Path, nil
		if r.Finding.Trace, err = search.Unreturned(sys, path); err != nil {
			return nil, fmt.Errorf("%s: a handler does not return, and its run cannot be drawn: %w; replay the path to see where it is", name, err)
		}
	}
	a, found := account.Replayed(path, r), r.Finding
	g := report.Graph(a, report.Heading(path, r))
	switch {
	case stuck:
		g.Marks.Why = report.Line(found.Message)
	case found.Verdict == trace.VerdictNone:
		g.Marks.Failed, g.Marks.Why = 0, ""
		if live {
			g.Marks.Title = a.Name() + ": live after " + numerals.Many(found.Step, "step")
		}
	}
	if was := report.Recorded(path, r); was != "" && !stuck {
		g.Marks.Title += "; not reproduced: " + was
	}
	if states != nil {
		g.With(states, nil)
	}
	if t.f.format == "html" {
		if ran, err := t.copiedOnce().Take(path); err == nil {
			g.With(nil, a.Sources().Code(found.Trace, ran))
		} else if t.copies != nil {
			t.complain(fmt.Errorf("the page does not show which lines of code ran: %w", err))
		}
	}
	return &run{sys, path, found, g, stuck}, nil
}

// replayed takes a path again, and calls see with the world. If a handler does not return, it reports stuck
// and does not wait, since the process ends soon after.
func replayed(sys *sim.System, path *choose.Path, see func(*world.World)) (r *search.Replayed, stuck bool, err error) {
	type outcome struct {
		r     *search.Replayed
		stuck bool
		err   error
	}
	first := make(chan outcome, 2) // the handler may return after all
	go func() {
		r, err := search.Replay(sys, path, search.Options{See: see, AsRecorded: true, Stuck: stuckAfter, OnStuck: func(r *search.Result) {
			first <- outcome{stuckReplay(path, r), true, nil}
		}})
		first <- outcome{r, false, err}
	}()
	o := <-first
	return o.r, o.stuck, o.err
}

// stuckAfter is the time after which a handler counts as stuck if it has neither returned nor called Env
// meanwhile.
var stuckAfter = 10 * time.Second // a test does not wait for as long

// beside returns the run that is drawn beside here, the run of the file name. It is the run of --live, or else
// that of the file live.path in the same folder. If there is neither, or if other flags allow only one run,
// beside returns nil.
func (t *graphRun) beside(here *run, name string) (*run, error) {
	live := t.f.live
	if live == "" {
		live = filepath.Join(filepath.Dir(name), "live.path")
		if t.f.alone || t.f.single() || t.f.parted() || filepath.Base(name) == "live.path" || !exists(live) {
			return nil, nil
		}
	}
	there, err := t.drawn(live)
	if err == nil && there.sys != here.sys {
		err = fmt.Errorf("%s is a run of %s, and %s a run of %s; only runs of one system can be drawn beside each other", live, there.sys.Name, name, here.sys.Name)
	}
	return there, err
}

// named returns the nodes that --nodes names.
func (f *graphFlags) named(g *eventgraph.Graph) (nodes []sim.Addr, err error) {
	for _, name := range f.nodes {
		i := slices.IndexFunc(g.Nodes(), func(a sim.Addr) bool { return a.String() == name })
		if i < 0 {
			return nil, usagef("--nodes names %q; the run has %s to %s", name, g.Nodes()[0], g.Nodes()[len(g.Nodes())-1])
		}
		nodes = append(nodes, g.Nodes()[i])
	}
	return nodes, nil
}

// sliced returns the graph of only those steps on which the failure depends. The title of the graph
// says whether a run of these steps alone was seen to fail in the same way.
func (r *run) sliced() (*eventgraph.Graph, error) {
	step := r.found.Step
	var g *eventgraph.Graph
	enough := false
	switch verdict := r.found.Verdict; {
	case r.stuck: // it cannot be taken again
		g = r.graph.Slice(step)
	case verdict == trace.VerdictNone:
		return nil, errors.New("nothing failed in this run, so there is no step for --slice to explain; leave --slice out")
	case verdict == trace.VerdictNondeterminism, verdict == trace.VerdictGoroutine, verdict == trace.VerdictKilled: // not the same each time
		g = r.graph.Slice(step)
	case verdict == trace.VerdictDead:
		if c := r.found.Critical; c != nil {
			step = c.Step
		}
		if step == 0 {
			return nil, errors.New("the run was dead from its start, so there is no step for --slice to explain; leave --slice out")
		}
		fewer, err := critical.NewFewer(r.sys, r.found, critical.Options{})
		if err != nil {
			return nil, err
		}
		defer fewer.Close()
		g, enough = r.graph.Depends(step, func(numbers []int) bool {
			same, err := fewer.Same(r.steps(numbers))
			return err == nil && same
		})
	default:
		lab, err := search.NewLab(r.sys, r.path, search.Options{})
		if err != nil {
			return nil, err
		}
		defer lab.Close()
		g, enough = r.graph.Depends(step, func(numbers []int) bool {
			c, _, err := lab.TakeSome(r.path.Start, r.steps(numbers), r.found.Verdict == trace.VerdictMutation, false)
			return err == nil && c != nil && c.Failure != nil && c.Failure.Verdict == r.found.Verdict && c.Failure.Property == r.found.Property
		})
	}
	what := "slice, enough by itself"
	if !enough {
		what = fmt.Sprintf("slice, what step %d came of", step)
	}
	g.Marks.Title = what + ": " + g.Marks.Title
	return g, nil
}

// steps returns those steps of the recorded path that have these numbers, counted from 1.
func (r *run) steps(numbers []int) []choose.Step {
	steps := make([]choose.Step, len(numbers))
	for i, n := range numbers {
		steps[i] = r.path.Steps[n-1]
	}
	return steps
}
