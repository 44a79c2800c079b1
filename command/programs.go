package command

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"macemc/choose"
	"macemc/internal/ensemble"
	"macemc/internal/finding"
	"macemc/internal/merge"
	"macemc/internal/numerals"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/worlds"
	"macemc/sim"
)

// Systems with programs are searched by processes of their own, which this one keeps: it takes no runs
// itself.

// programFlags lists the flags of search that are allowed for a system with Programs, whose nodes run
// ordinary goroutines in place of handlers.
var programFlags = []string{
	"bug", "param", "nodes", "property", "faults", "paths", "time", "seed", "workers", "out", "json", "quiet", "no-lines", "junit", "sarif", "github",
	"walk", "prefix", "engine", "depth", "no-shrink",
}

// honoured returns an error if a flag was given that is not in programFlags.
func honoured(flags *pflag.FlagSet, system string) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(programFlags, f.Name) {
			err = usagef("%s has programs with goroutines, whose search takes runs and keeps no states: --%s is not for it; leave it out", system, f.Name)
		}
	})
	return err
}

// searchPrograms searches the system with this name, which has programs with goroutines.
func (t *tool) searchPrograms(name string, f searchFlags) error {
	sys, opts, err := t.options(name, &f)
	if err != nil {
		return err
	}
	if f.cluster != nil {
		return usagef("%s has programs with goroutines: a coordinator is not for it; search it on each machine with another --seed", sys.Name)
	}
	t.shelf = finding.NewShelf(f.out)
	progress := t.progress(f.quiet)
	progress.limit = f.time
	opts.Progress = func(p search.Progress) {
		progress.say(func(now time.Time) string {
			return fmt.Sprintf("%s of %s taken, %s", numerals.Count(p.Done), numerals.Many(p.Of, "run"), report.Elapsed(now.Sub(progress.began)))
		})
	}
	ends, ignore := t.interrupts(progress, f.time)
	defer ignore()
	opts.Stop, opts.Timed = ends.why, f.time > 0
	progress.say(func(time.Time) string {
		return "building the program with macemc's overlay of Go's library; the first build compiles the library"
	})
	by := t.taker()
	by.NoShrink = f.noShrink
	r, err := ensemble.Search(sys, opts, by)
	progress.clear()
	if err != nil {
		return err
	}
	t.conclude(r, f, nil)
	return nil
}

func (c *calling) taker() ensemble.Taker { return ensemble.Taker{Build: c.overlaid} }

// overlaid builds this program again, with the patched files of Go's library that programs with
// goroutines need.
func (c *calling) overlaid() (worlds.Binary, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "" || info.Path == "command-line-arguments" {
		return worlds.Binary{}, errors.New("the program was not built from a package, but from files; give go run or go build the package")
	}
	return worlds.Source{Main: info.Path, Dir: c.Dir, Overlay: c.Overlay, Flags: c.Flags}.Build()
}

// ofPrograms reports whether a path file has a run of programs. It is false if the file cannot be read;
// the caller's own reading returns the error.
func (p Program) ofPrograms(name string) bool {
	path, err := load(name)
	if err != nil {
		return false
	}
	system, _ := path.Get("system")
	sys, err := p.find(system)
	return err == nil && sys.Programs != nil
}

// replayPrograms replays the run of programs in a finding.
func (t *tool) replayPrograms(name string, f replayFlags) error {
	path, err := load(name)
	if err != nil {
		return err
	}
	system, _ := path.Get("system")
	sys, err := t.find(system)
	if err != nil {
		return err
	}
	r, _, err := ensemble.Taken(sys, path, t.taker())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.concludeReplay(path, r, f)
}

// told returns the system and the path with which a debugger or a graph can show the recorded path. If path
// is a run of programs with goroutines, told takes that run again and records it as a run of handlers, and
// returns the system and the path of this recording. Otherwise it returns path itself, and sys with the
// requests that the header of path records.
func (c *calling) told(sys *sim.System, path *choose.Path) (*sim.System, *choose.Path, error) {
	if sys.Programs != nil {
		_, of, err := ensemble.Taken(sys, path, c.taker())
		if err != nil {
			return nil, nil, err
		}
		return of.System, of.Path, nil
	}
	sys, err := merge.SystemOf(sys, path)
	return sys, path, err
}
