package command

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macemc/internal/account"
	"macemc/internal/finding"
	"macemc/internal/known"
	"macemc/internal/report"
	"macemc/internal/verify"
	"macemc/search"
)

func (t *tool) bugsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bugs",
		Short: "the known bugs of the systems: how each is found, and that it is",
		Long: `bugs lists the known bugs of all systems: each is a few lines that deviate while
it is switched on, so that the checker can be judged by what it finds.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return report.Bugs(t.stdout, t.Bugs, t.Elsewhere, t.name) },
	}
	cmd.AddCommand(t.showCommand(), t.verifyCommand())
	return cmd
}

func (t *tool) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "the story of a known bug, the lines that make it, and the command that finds it",
		Long: `show tells all that the catalogue has of one known bug. The lines are those that
ask for it, or hand it on; they are read from the sources that this program was
built of.`,
		Args: exactly(1, "bugs show takes the ID of one known bug"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := known.Find(t.Bugs, args)
			if err != nil {
				return err
			}
			return report.Bug(t.stdout, found[0], t.name)
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
		Long: `verify searches for each known bug, or those that are named, with the flags of
its entry in the catalogue, on several seeds in a row. It must be found as the
entry states, with a critical step of the kind that it states, or as often as it
states. Then each system
is searched without a bug, once for all bugs with the same flags: to a million
states or all that there are, by ten times the transitions, and the steps of
walks, that the slowest of these bugs needed. Nothing may be found there, which
would be written into a folder as search does, and nothing of what was possible
may have been left out. That half takes most of the time; --no-clean leaves it
out.

The exit status is 0 when all is as stated, 1 when something is not, 2 when the
input is wrong, and 3 when it was stopped.`,
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
			entries, err := known.Find(t.Bugs, args)
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
	flags.DurationVar(&f.stuck, "stuck", 10*time.Second, "give up on a handler that runs for this `time` without asking Env anything; 0: never")
	flags.StringVar(&f.out, "out", "macemc-findings/", "write what is found without a bug into `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// verifyTries is how many runs shrinking may try: what is verified must not
// depend on how fast the machine is.
const verifyTries = 500

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
		Explain: func(r *search.Result) error { return t.explain(r, searchFlags{tries: verifyTries}, progress, ends) },
		Search: search.Options{
			Stuck: f.stuck, Progress: progress.searched,
			OnStuck: func(r *search.Result) { // the handler holds the process: nothing comes after it
				progress.clear()
				t.complain(usagef("a handler of %s is stuck: %s; look for it by macemc search", r.System.Name, strings.TrimSpace(r.Finding.Message)))
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
	if err := print(t.stdout, r, t.name); err != nil {
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
