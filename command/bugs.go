package command

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macemc/internal/account"
	"macemc/internal/finding"
	"macemc/internal/known"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/verify"
)

func (t *tool) bugsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bugs",
		Short: "list the known bugs of the systems, explain them, or search for them",
		Long: `bugs lists the known bugs of all systems. Each is a few lines of code that run only
while the bug is switched on; they show which bugs the checker finds, and how fast.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return report.Bugs(t.stdout, t.bugs(), t.Elsewhere, t.Name) },
	}
	cmd.AddCommand(t.showCommand(), t.verifyCommand())
	return cmd
}

func (t *tool) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "show a known bug: its story, its lines of code, and the command that finds it",
		Long: `show prints the catalogue's entry of one known bug. The lines of code are those that
ask whether the bug is switched on, or pass it on; they are read from the sources that
this program was built from.`,
		Args: exactly(1, "bugs show takes the ID of one known bug"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := known.Find(t.bugs(), args)
			if err != nil {
				return err
			}
			return report.Bug(t.stdout, found[0], t.Name)
		},
	}
}

type verifyFlags struct {
	seed, seeds          int
	noClean, json, quiet bool
	stuck                time.Duration
	out                  string
}

func (t *tool) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [ID ...]",
		Short: "find each known bug on several seeds, and nothing without it",
		Long: `verify searches for each known bug, or the named ones, with the flags of the bug's
entry in the catalogue, on several seeds in a row. The search must find the bug as the
entry states, with a critical step of the stated kind, or in the stated share of
searches. Then verify searches each system without a bug, once for all bugs with the
same flags: all states or a million, and ten times the transitions and the steps of
walks that the slowest of these bugs needed. These searches must find nothing, and must
have exercised everything; a finding is written into a folder, as search does. This
half takes most of the time; --no-clean leaves it out.

The exit status is 0 if everything is as stated, 1 if something is not, 2 if the input
is wrong, and 3 if verify was stopped.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.seeds < 1 {
				return usagef("--seeds is %d; it must be 1 or more", f.seeds)
			}
			if f.seed < 1 {
				return usagef("--seed is %d; it must be 1 or more", f.seed)
			}
			if f.stuck < 0 {
				return usagef("--stuck is %s; it must be 0 (never) or more", f.stuck)
			}
			if err := writable("out", f.out, f.out); err != nil {
				return err
			}
			entries, err := known.Find(t.bugs(), args)
			if err != nil {
				return err
			}
			return t.verify(entries, f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVar(&f.seed, "seed", 1, "the first seed is `S`")
	flags.IntVar(&f.seeds, "seeds", 5, "look for each bug on `N` seeds in a row")
	flags.BoolVar(&f.noClean, "no-clean", false, "do not search the correct systems")
	flags.DurationVar(&f.stuck, "stuck", 10*time.Second, "give up on a handler that runs for this `time` without calling Env; 0 means never")
	flags.StringVar(&f.out, "out", "macemc-findings/", "write findings of searches without a bug into `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (t *tool) verify(entries []known.Entry, f verifyFlags) error {
	t.shelf = finding.NewShelf(f.out)
	progress := t.progress(f.quiet)
	ends, ignore := t.interrupts(progress, 0)
	defer ignore()
	opts := verify.Options{
		Seed: f.seed, Seeds: f.seeds, NoClean: f.noClean, Stop: ends.why, Begin: progress.doing,
		Ahead: func(a verify.Ahead) {
			if !f.quiet {
				progress.note(report.Ahead(a))
			}
		},
		Keep: func(r *search.Result) (string, error) {
			a := account.AllBy(r, account.Means{Stop: ends.late.Load})[0]
			err := t.shelf.Write(a, r, t.commands)
			return a.Place.Replay, err
		},
		Explain: func(r *search.Result) error { return t.explain(r, searchFlags{}, progress, ends) },
		Search: search.Options{
			Stuck: f.stuck, Progress: progress.searched,
			OnStuck: func(r *search.Result) { // the handler holds the process: nothing comes after it
				progress.clear()
				t.complain(usagef("a handler of %s does not return: %s; search with the same flags reports where", r.System.Name, strings.TrimSpace(r.Finding.Message)))
				t.exit(exitFound)
			},
		},
	}
	r, err := opts.Run(entries)
	progress.clear()
	if err != nil {
		return err
	}
	print := report.Verified
	if f.json {
		print = report.VerifiedJSON
	}
	if err := print(t.stdout, r, t.Name); err != nil {
		return err
	}
	switch {
	case r.Stop != "":
		t.status = exitStopped
	case !r.Holds():
		t.status = exitFound
	}
	return nil
}
