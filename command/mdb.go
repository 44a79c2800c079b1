package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"macemc/choose"
	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/report"
	"macemc/mdb"
	"macemc/mdb/tui"
	"macemc/mdb/wire"
	"macemc/sim"
)

type mdbFlags struct {
	scripts  []string
	noColour bool
	serve    bool
	web      bool
	port     int
	at       int
	stuck    time.Duration
	settings mdb.Settings
	conditionFlags
}

// mdbRun is one run of the command mdb.
type mdbRun struct {
	*tool
	f mdbFlags
}

func (t *tool) mdbCommand() *cobra.Command {
	var f mdbFlags
	cmd := &cobra.Command{
		Use:   "mdb FILE|SYSTEM",
		Short: "debug a run: step forward and back, show states, compare runs",
		Long: `mdb opens the path of a finding (its error.path, or the folder that holds it), or a
system at its start, for you to explore. It goes to any step, forward and back,
shows states, effects, properties and the other possible events, compares steps and
runs, and branches off: type help, or read docs/mdb.md.

With -x it executes commands and prints their answers, for bug reports and
scripts: macemc mdb error.path -x 'jump critical; show; diff live'

With --web it serves a page on which the run is explored in a browser, on this
machine alone, and prints its address: docs/explore.md.

With --serve it answers requests, for editors and other programs: each is a line
of JSON. docs/serve.md has the protocol.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := t.one(args, "mdb takes one FILE or SYSTEM")
			if err != nil {
				return err
			}
			if err := f.conditionFlags.check(cmd); err != nil {
				return err
			}
			if f.settings.Conditions, err = f.conditionFlags.read(); err != nil {
				return err
			}
			if err := checkNodes(cmd, f.settings.Nodes); err != nil {
				return err
			}
			if f.stuck < 0 {
				return usagef("--stuck is %s; it must be 0 (never) or more", f.stuck)
			}
			if f.at < 0 {
				return usagef("--at is %d; it must be the number of a step, from 0", f.at)
			}
			if err := f.screen(cmd); err != nil {
				return err
			}
			r := &mdbRun{t, f}
			switch {
			case f.serve:
				return r.serve(name, cmd.InOrStdin())
			case f.web:
				return r.explore(name)
			}
			if len(f.scripts) == 0 {
				if status, ok := r.kept(); ok {
					t.status = status
					return nil
				}
			}
			return r.run(name)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.scripts, "execute", "x", nil, "execute these `commands`, separated by semicolons, and print their answers (repeatable)")
	flags.BoolVar(&f.web, "web", false, "explore it in a browser, at an address that is printed")
	flags.IntVar(&f.port, "port", 0, "with --web, serve at this `port` (default one that is free)")
	flags.BoolVar(&f.serve, "serve", false, "answer requests, a JSON object on each line of standard input")
	flags.IntVar(&f.at, "at", 0, "begin at this `step` (default the start)")
	flags.DurationVar(&f.stuck, "stuck", 10*time.Second, "with -x, --serve and --web, end with status 1 when a handler runs for this `time` without calling Env;\n0 means never")
	flags.BoolVar(&f.noColour, "no-color", false, "use no colours on the screen (default also where NO_COLOR is set)")
	flags.StringArrayVar(&f.settings.Bugs, "bug", nil, "SYSTEM: switch the known bug `ID` on (repeatable)")
	flags.IntVar(&f.settings.Nodes, "nodes", 0, "SYSTEM: run with `N` nodes (default the system's)")
	flags.StringArrayVar(&f.settings.Params, "param", nil, "SYSTEM: set a parameter, `k=v` (repeatable)")
	f.conditionFlags.add(cmd, "SYSTEM: ")
	return cmd
}

// kept runs the screen of the debugger in a child, and returns the child's exit status. If the child
// died, kept prints the reason. ok is false if there can be no child.
func (t *mdbRun) kept() (status int, ok bool) {
	if t.args == nil {
		return 0, false
	}
	e, ok := tui.Keep(t.args)
	if !ok {
		return 0, false
	}
	fmt.Fprint(t.stderr, report.Printed(e.Said))
	if e.Abrupt != "" {
		t.complain(fmt.Errorf("a handler ended the process of mdb (%s): it exits, overflows its stack or panics on a goroutine; with -x the output shows after which command", e.Abrupt))
		return exitFound, true
	}
	if e.Status < 0 {
		return exitStopped, true
	}
	return e.Status, true
}

func (t *mdbRun) run(name string) error {
	opener := t.opener()
	if len(t.f.scripts) > 0 {
		return t.script(opener, name)
	}
	s, err := open(opener, name, t.f)
	if err != nil {
		return err
	}
	return tui.Run(s, tui.Options{NoColour: t.f.noColour || t.env("NO_COLOR") != ""})
}

// screen returns an error if the flags ask for two screens at once.
func (f *mdbFlags) screen(cmd *cobra.Command) error {
	switch {
	case f.serve && len(f.scripts) > 0:
		return usagef("--serve and -x exclude each other: a request executes lines too")
	case f.web && (f.serve || len(f.scripts) > 0):
		return usagef("--web excludes --serve and -x: the page executes lines too")
	case cmd.Flags().Changed("port") && !f.web:
		return usagef("--port is for --web; add it, or leave --port out")
	case f.port < 0 || f.port > 65535:
		return usagef("--port is %d; it must be 0 to 65535", f.port)
	}
	return nil
}

func (t *mdbRun) opener() mdb.Opener {
	copies := t.copiedOnce()
	ran := func(sys *sim.System, p sim.Params, path *choose.Path) (func(int, sim.Event) ([]eventgraph.Code, bool), error) {
		lines, err := copies.Take(path)
		if err != nil {
			return nil, err
		}
		sources := account.NewSources(sys, p)
		return func(step int, e sim.Event) ([]eventgraph.Code, bool) { return sources.Ran(lines, step, e) }, nil
	}
	return mdb.Opener{Find: t.find, Ran: ran, Told: t.told, Tool: t.Name, Of: shellWords(t.Of)}
}

// serve reads requests about the run in file name from in, and answers them on standard output. What
// handlers print goes to standard error. If a handler never returns, serve ends the process.
func (t *mdbRun) serve(name string, in io.Reader) error {
	os.Stdout = os.Stderr
	var w *wire.Wire
	opener := t.opener()
	opener.Busy = &mdb.Busy{Stuck: t.f.stuck, OnStuck: func(where, message, stack string) {
		text := stuckText(where, message, stack)
		if w == nil {
			t.complain(fmt.Errorf("%s: %s", name, text))
		} else {
			fmt.Fprintf(t.stdout, "%s\n", w.Stuck(text))
		}
		t.endWith(exitFound)
	}}
	s, err := open(opener, name, t.f)
	if err != nil {
		return err
	}
	defer s.Close()
	w = wire.New(s)
	return w.Serve(in, t.stdout)
}

// stuckText describes the place at which a handler does not return.
func stuckText(where, message, stack string) string {
	text := fmt.Sprintf("%s: %s", where, message)
	if at := account.At(stack); at != "" {
		text += "; at " + at
	}
	return text
}

// open opens a session on the run in file name, at the step that the flags ask for.
func open(opener mdb.Opener, name string, f mdbFlags) (*mdb.Session, error) {
	s, err := opener.Open(name, f.settings)
	if err == nil && f.at > 0 {
		if _, wrong := s.Do(fmt.Sprintf("jump %d", f.at)); wrong != nil {
			err = usagef("--at: %s", wrong)
		}
	}
	return s, err
}

// script executes the commands of -x in a session on the run in file name, and prints each with its
// answer. A handler that never returns ends the process.
func (t *mdbRun) script(opener mdb.Opener, name string) error {
	lines, err := mdb.Lines(strings.Join(t.f.scripts, "\n"))
	if err != nil {
		return err
	}
	var doing atomic.Pointer[string]
	doing.Store(&name)
	opener.Busy = &mdb.Busy{Stuck: t.f.stuck, OnStuck: func(where, message, stack string) {
		t.complain(fmt.Errorf("%s: %s", *doing.Load(), stuckText(where, message, stack)))
		t.endWith(exitFound)
	}}
	s, err := open(opener, name, t.f)
	if err != nil {
		return err
	}
	for _, line := range lines {
		doing.Store(&line)
		fmt.Fprintln(t.stdout, report.Printed(s.Prompt()+line))
		page, err := s.Do(line)
		fmt.Fprint(t.stdout, report.Printed(page.String()))
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if s.Ended() {
			break
		}
	}
	return nil
}
