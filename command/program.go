package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"macemc/internal/known"
	"macemc/sim"
)

// Main runs the command line on these systems, and ends the process with its
// exit status. It is the whole of a user's func main.
func Main(systems ...*sim.System) { Program{Systems: systems}.Main() }

// Program is a command line: the systems that it knows.
type Program struct {
	Systems []*sim.System
	Bugs    []known.Entry // of the command bugs; none: there is no such command
}

// Main runs the command line that the process was started with, and ends it.
func (p Program) Main() {
	t := &tool{Program: p, name: self(os.Args[0], mainPackage()), stdout: os.Stdout, stderr: os.Stderr, exit: os.Exit, args: os.Args[1:]}
	if c := heldBy(); c != nil {
		t.child, t.stdout, t.stderr = c, c.stdout, c.stderr
		t.exit = func(status int) {
			c.trail.End(status)
			os.Exit(status)
		}
	}
	if err := p.check(); err != nil {
		t.complain(err)
		t.exit(exitInput)
	}
	t.exit(t.run(os.Args[1:]))
}

// check says what is wrong with the list of systems itself. What is wrong with
// one of them is said when it is used.
func (p Program) check() error {
	if len(p.Systems) == 0 {
		return fmt.Errorf("this program has no systems; give command.Main one or more")
	}
	var names []string
	for i, sys := range p.Systems {
		switch {
		case sys == nil:
			return fmt.Errorf("system %d of this program is nil; give command.Main the address of a sim.System", i+1)
		case sys.Name == "":
			return fmt.Errorf("system %d of this program has no Name; it is what one types after search", i+1)
		case slices.Contains(names, sys.Name):
			return fmt.Errorf("two systems of this program are called %q; rename one", sys.Name)
		}
		names = append(names, sys.Name)
	}
	return nil
}

func (p Program) find(name string) (*sim.System, error) { return known.System(p.Systems, name) }

// mainPackage is the folder of this program's package main, as one types it
// after go run at the root of its module; "" if the build does not tell.
func mainPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if info.Path == info.Main.Path {
		return "."
	}
	below, ok := strings.CutPrefix(info.Path, info.Main.Path+"/")
	if !ok {
		return ""
	}
	return "./" + below
}

// self is how the user calls this program: what a report prints as the command
// that replays a finding. go run builds in a folder of the build cache.
func self(arg0, folder string) string {
	built := strings.Contains(filepath.ToSlash(filepath.Dir(arg0)), "go-build")
	switch {
	case built && folder != "":
		return "go run " + shellWord(folder)
	case built: // of files, go run file.go: they do not stand in the build
		return "go run ."
	case arg0 == "":
		return "macemc"
	default:
		return shellWord(arg0)
	}
}
