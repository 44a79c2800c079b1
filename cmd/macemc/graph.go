package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/catalog"
	"macemc/internal/report"
	"macemc/search"
	"macemc/sim"
)

type graphFlags struct {
	format       string
	from, to     int
	nodes        []string
	slice        bool
	width        int
	ascii, whole bool
}

func (t *tool) graphCommand() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "draw what happened in the run of a finding",
		Long: `graph takes the recorded path of a finding again and draws its run: what happened
at which node, which message went where, and what became of it. FILE is the
error.path of a finding, or the folder that holds it.`,
		Args: exactly(1, "graph takes one FILE, the error.path of a finding or its folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return t.graph(args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "text", "draw it in this `form`: "+strings.Join(graphFormats, ", "))
	flags.IntVar(&f.from, "from", 0, "draw the steps from this `number` (default the first)")
	flags.IntVar(&f.to, "to", 0, "draw the steps to this `number` (default the last)")
	flags.StringSliceVar(&f.nodes, "nodes", nil, "draw only what concerns these nodes, as `n0,n2` (default all)")
	flags.BoolVar(&f.slice, "slice", false, "draw only the steps that the failed step, or the critical one, depends on")
	flags.IntVar(&f.width, "width", 0, "text: `columns` of a line (default 100)")
	flags.BoolVar(&f.ascii, "ascii", false, "text: no characters beyond ASCII")
	flags.BoolVar(&f.whole, "whole", false, "text: draw quiet stretches too")
	return cmd
}

// graphFormats are the words of --format.
var graphFormats = []string{"text"}

func (f *graphFlags) check() error {
	switch {
	case !slices.Contains(graphFormats, f.format):
		meant := ""
		if near := catalog.Nearest(f.format, graphFormats); near != "" {
			meant = "; did you mean " + near + "?"
		}
		return usagef("there is no format %q%s", f.format, meant)
	case f.from < 0 || f.to < 0:
		return usagef("--from and --to are numbers of steps, from 1")
	case f.to > 0 && f.to < f.from:
		return usagef("--to is %d, before --from, which is %d", f.to, f.from)
	case f.width != 0 && f.width < eventgraph.WidthLeast:
		return usagef("--width is %d; it must be %d or more", f.width, eventgraph.WidthLeast)
	}
	return nil
}

func (t *tool) graph(name string, f graphFlags) error {
	if inside := filepath.Join(name, "error.path"); exists(inside) {
		name = inside
	}
	sys, path, err := recorded(name)
	if err != nil {
		return err
	}
	g, err := draw(sys, path)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	nodes, err := f.named(g)
	if err != nil {
		return err
	}
	if f.slice {
		if g, err = sliced(g); err != nil {
			return err
		}
	}
	return g.Text(t.stdout, eventgraph.TextOptions{
		Width: f.width, From: f.from, To: f.to, Nodes: nodes, ASCII: f.ascii, Whole: f.whole,
	})
}

// draw takes a recorded path again and makes the graph of its run.
func draw(sys *sim.System, path *choose.Path) (*eventgraph.Graph, error) {
	r, err := search.Replay(sys, path, search.Options{})
	if err != nil {
		return nil, err
	}
	world, err := sim.NewWorld(r.System, r.Params, sim.Config{}) // for its walker
	if err != nil {
		return nil, err
	}
	marks := eventgraph.Marks{Title: report.Heading(path, r)}
	if found := r.Finding; found.Verdict != sim.VerdictNone {
		_, why, _ := strings.Cut(marks.Title, ": ")
		marks.Failed, marks.Why = found.Step, why
		if found.Critical != nil {
			marks.Critical = found.Critical.Step
		}
	}
	return eventgraph.New(r.Finding.Trace, world.Walker(), marks), nil
}

// named are the nodes of --nodes.
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

// sliced is the part of the graph that the failure depends on.
func sliced(g *eventgraph.Graph) (*eventgraph.Graph, error) {
	step := g.Marks.Critical
	if step == 0 {
		step = g.Marks.Failed
	}
	if step == 0 {
		return nil, fmt.Errorf("nothing failed in this run, so there is no step for --slice to explain; leave --slice out")
	}
	return g.Slice(step), nil
}
