package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"macemc/internal/merge"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/sim"
)

func (t *tool) mergeCommand() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "make one path of the records of live nodes, for the simulator",
		Long: `merge reads the records that live --record wrote into a folder, one for each life of each node, and
joins them into one run, in which no message is received before it was sent; clocks only break ties.
The simulator takes that run, with the faults that must have happened in between (a node was killed,
a connection broke, a datagram was lost). After each step, merge compares the state of the node with
the recorded one.

The path can be replayed, debugged and drawn like that of a finding. If the simulation and the
records differ, merge reports the step, and the path ends before it. The exit status is 1 if they
differ, or if a property does not hold.`,
		Example: `
macemc live randtree --time 5s --record run
macemc merge run
macemc mdb run/merged.path`,
		Args: exactly(1, "merge takes one DIR, the folder that was given to live --record"),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				out = filepath.Join(args[0], "merged.path")
			}
			return t.merge(args[0], out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the path into this `file` (default merged.path in DIR)")
	return cmd
}

func (t *tool) merge(dir, out string) error {
	r, err := merge.FromFolder(func(name string) (*sim.System, error) { return t.find(name) }, dir)
	if err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	_, err = r.Path.WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(t.stdout, "merged: %s of nodes, each with the state that was recorded; with %s between them\n",
		numerals.Many(r.Steps, "step"), numerals.Many(r.Faults, "step")+" of the environment")
	for _, d := range r.Differences {
		fmt.Fprintf(t.stdout, "differs: %s\n", report.Line(d))
	}
	switch {
	case r.Failure != nil:
		t.status = exitFound
		what := r.Failure.Message
		if r.Failure.Property != "" {
			what = fmt.Sprintf("%q does not hold; %s", r.Failure.Property, what)
		}
		fmt.Fprintf(t.stdout, "%s: after step %d, at %s: %s\n", r.Failure.Verdict, r.Failure.Step, r.Failure.Node, report.Line(what))
	case r.Parted:
		t.status = exitFound
		fmt.Fprintf(t.stdout, "parted: simulation and world part there; %s that come after are not in the path\n", numerals.Many(r.Left, "step"))
	}
	fmt.Fprintf(t.stdout, "\npath:   %s\nreplay: %s\n", out, t.line("replay", out))
	return nil
}
