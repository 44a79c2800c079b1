package command

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"macemc/internal/ensemble"
	"macemc/internal/jobs"
	"macemc/internal/known"
	"macemc/internal/lines"
	"macemc/internal/vet"
	"macemc/internal/wording"
	"macemc/sim"
)

// Main executes the command line of this process for these systems, and ends the process with the exit
// status. It is all that the main function of a user's program needs.
func Main(systems ...*sim.System) { Program{Systems: systems}.Main() }

// Program is a command line for some systems.
type Program struct {
	Systems   []*sim.System
	Parts     []Part // additional commands
	Elsewhere string // where there are more known bugs, printed at the end of the command bugs; "" means nowhere
}

// A Part adds commands to a [Program]: a list of known bugs adds the command bugs, and package
// macemc/cluster adds the commands coordinator and worker. No other packages make Parts.
type Part interface {
	Commands() []string // the names of the commands that it adds
}

// bugs returns the known bugs of all parts. A program without any has no command bugs.
func (p Program) bugs() (all known.Entries) {
	for _, part := range p.Parts {
		if of, is := part.(known.Entries); is {
			all = append(all, of...)
		}
	}
	return all
}

// cluster returns the part with the commands coordinator and worker, or nil if there is none.
func (p Program) cluster() *jobs.Cluster {
	for _, part := range p.Parts {
		if c, is := part.(*jobs.Cluster); is {
			return c
		}
	}
	return nil
}

// Main executes the command line of this process, and ends the process with the exit status.
func (p Program) Main() {
	if vet.Called(os.Args[1:]) {
		vet.Main()
	}
	t := &tool{Program: p, calling: calling{Name: self(os.Args[0], mainPackage())}, stdout: os.Stdout, stderr: os.Stderr, exit: os.Exit, args: os.Args[1:]}
	lines.Tool()
	if lines.Asked((&tool{Program: p}).recorded) {
		return
	}
	t.takeName()
	if is, err := ensemble.Child(p.find); is || err != nil {
		if err != nil {
			t.complain(err)
			t.exit(exitInput)
		}
		return
	}
	t.answerParent()
	if err := p.check(); err != nil {
		t.complain(err)
		t.exit(exitInput)
	}
	if pkg, rest := ofPackage(os.Args[1:]); pkg != "" && t.Of == "" {
		status, err := t.byPackage(pkg, rest)
		if err != nil {
			t.complain(err)
			status = exitInput
		}
		t.exit(status)
	}
	t.exit(t.run(os.Args[1:]))
}

// takeName sets t.calling to the calling of the macemc that has built this program for a package
// and started it. Without such a macemc it changes nothing.
func (t *tool) takeName() {
	if c, ok := called(); ok {
		t.calling = c
	}
}

// answerParent makes a child send its output and its exit status to its keeper.
func (t *tool) answerParent() {
	c := heldBy()
	if c == nil {
		return
	}
	t.child, t.stdout, t.stderr = c, c.stdout, c.stderr
	t.exit = func(status int) {
		c.trail.End(status)
		os.Exit(status)
	}
}

// check returns an error if the list of systems or parts is wrong. Errors of a single system are reported
// when that system is used.
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
	for i, part := range p.Parts {
		switch part.(type) {
		case known.Entries, *jobs.Cluster:
		default:
			return fmt.Errorf("part %d of this program is a %T; give command.Program a list of known bugs or cluster.Commands()", i+1, part)
		}
	}
	return nil
}

func (p Program) find(name string) (*sim.System, error) { return known.System(p.Systems, name) }

// mainPackage returns the words that a user must type after "go" to run the main package of this program
// from the current folder: "run ./cmd/macemc" within its module, "tool macemc" in a module that has it as a
// tool, and elsewhere "run" with its whole path. It returns "" if the program has no build information.
func mainPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	return asTyped(info.Path, info.Main.Path, here)
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
	toolLine   = regexp.MustCompile(`(?m)^(?:tool)?[ \t]+"?([^\s"]+)"?[ \t]*$`)
)

func asTyped(pkg, ofModule, here string) string {
	for root := here; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			m := moduleLine.FindSubmatch(text)
			if m != nil && string(m[1]) == ofModule {
				folder, err := filepath.Rel(here, filepath.Join(root, strings.TrimPrefix(strings.TrimPrefix(pkg, ofModule), "/")))
				if err != nil {
					return ""
				}
				if folder = filepath.ToSlash(folder); folder != "." && !strings.HasPrefix(folder, "..") {
					folder = "./" + folder
				}
				return "run " + wording.Typed(folder)
			}
			for _, m := range toolLine.FindAllSubmatch(text, -1) {
				if string(m[1]) == pkg {
					return "tool " + path.Base(pkg)
				}
			}
			return "run " + pkg
		}
		if root == filepath.Dir(root) {
			return "run " + pkg
		}
	}
}

// inCache matches the names of the folders in which the go command keeps programs: those in its cache, and
// those that it builds for one run.
var inCache = regexp.MustCompile(`go-build|/[0-9a-f]{40,}-d$`)

// self returns the words with which the user would call this program again, for the commands in reports,
// such as "macemc" or "go run ./check". arg0 is the name of the program's file, and typed the result of
// mainPackage.
func self(arg0, typed string) string {
	built := inCache.MatchString(filepath.ToSlash(filepath.Dir(arg0)))
	switch {
	case built && typed != "":
		return "go " + typed
	case built: // built by go run file.go; the build information does not have the names of files
		return "go run ."
	case arg0 == "":
		return "macemc"
	default:
		return wording.Typed(arg0)
	}
}
