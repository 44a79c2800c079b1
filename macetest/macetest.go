package macetest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/finding"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// stuck is the time that a handler may run without calling Env.
const stuck = 10 * time.Second

// Run searches a system, and fails the test if the search finds a failure. If
// Options.Expect is set, it fails the test if the search finds nothing or has another
// verdict.
func Run(t testing.TB, sys *sim.System, o Options) {
	t.Helper()
	newReporter(t).run(sys, o)
}

// run implements Run.
func (a *reporter) run(sys *sim.System, o Options) {
	t := a.t
	t.Helper()
	if a.child(sys) {
		return
	}
	if *replayFlag != "" {
		a.replay(sys, *replayFlag)
		return
	}
	if o.Expect == trace.VerdictNone {
		a.again(sys, o.Bugs)
	}
	if sys.Programs != nil {
		a.programs(sys, o)
		return
	}
	opts, err := o.search(sys, testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	opts.Stop = deadline(t)
	opts.Stuck, opts.OnStuck = stuck, func(r *search.Result) { // a handler that never returns cannot be stopped
		fmt.Fprintf(os.Stderr, "--- FAIL: %s\n%s", t.Name(), a.tell(r))
		os.Exit(1)
	}
	look := critical.Options{Search: search.Options{
		WalkSteps: opts.WalkSteps, Memory: opts.Memory, Stop: opts.Stop, Stuck: opts.Stuck, OnStuck: opts.OnStuck,
	}}
	r, err := search.Search(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict() != o.Expect || testing.Verbose() { // an expected finding is reported only with -v
		if err := explain(r, look.For(r), !o.NoShrink); err != nil {
			t.Logf("the finding could not be looked into: %v", err)
		}
	}
	switch found := r.Verdict(); {
	case o.Expect == trace.VerdictNone && found != trace.VerdictNone:
		a.keep(r)
		t.Fatal(a.tell(r))
	case o.Expect != found:
		t.Fatalf("found is %s, and %s was expected\n%s", found, o.Expect, a.tell(r))
	case r.Stop.Early(), len(r.Undecided) > 0:
		t.Logf("%s: the search was cut short (%s); suspected runs that were not decided: %d", sys.Name, r.Stop, len(r.Undecided))
	}
	if testing.Verbose() {
		t.Log(a.tell(r))
	}
}

// Replay repeats the recorded path of a finding, and fails the test if the failure occurs
// again. If the code has changed since, the path is followed by the identities of its steps
// until a step is not possible any more, and the test logs how many steps were taken.
func Replay(t testing.TB, sys *sim.System, file string) {
	t.Helper()
	if a := newReporter(t); !a.child(sys) {
		a.replay(sys, file)
	}
}

// explain finds the critical step of each finding of r, and makes its run shorter if shrink
// is set.
func explain(r *search.Result, o critical.Options, shrink bool) error {
	for i, f := range r.Findings {
		c, err := critical.Explain(r.System, f, o, shrink)
		if err != nil {
			return err
		}
		r.Replace(i, c.Finding)
	}
	return nil
}

// deadline returns a function that stops a search in time to report before the test's
// deadline. It is nil if there is none.
func deadline(t testing.TB) func() search.Stop {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return nil
	}
	end, ok := d.Deadline()
	if !ok {
		return nil
	}
	end = end.Add(-max(time.Second, time.Until(end)/10))
	return func() search.Stop {
		if time.Now().After(end) {
			return search.StopTime
		}
		return ""
	}
}

// reporter reports the result of a search or a replay for one test.
type reporter struct {
	t   testing.TB
	pkg string // the import path of the test's package
}

// newReporter returns a reporter for test t. It must be called by an exported function that
// a test calls, since it reads the name of the package from the stack.
func newReporter(t testing.TB) *reporter {
	a := &reporter{t: t, pkg: "."}
	if pc, _, _, ok := runtime.Caller(2); ok {
		a.pkg = packageOf(runtime.FuncForPC(pc).Name())
	}
	return a
}

// packageOf returns the package of a function, in the form that go test takes as an
// argument.
func packageOf(function string) string {
	at := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[at:], ".")
	pkg := strings.TrimSuffix(function[:at]+name, "_test")
	if pkg == "main" {
		return "."
	}
	return pkg
}

// command returns the go test command that repeats the path in a file.
func (a *reporter) command(file string) string {
	var levels []string
	for level := range strings.SplitSeq(a.t.Name(), "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	return fmt.Sprintf("go test -run %s %s -macetest.replay %s", wording.Typed(strings.Join(levels, "/")), a.pkg, wording.Typed(file))
}

func (a *reporter) commands(file string) []finding.Command {
	return []finding.Command{
		{What: "take the run again, with every check on", Line: a.command(file)},
		{What: "what happened before what, in a module that has macemc as a tool (go get -tool " + command + ")", Line: a.tool("graph", file)},
		{What: "step by step, forth and back, likewise", Line: a.tool("mdb", file)},
	}
}

// command is the package path of the program macemc.
var command = strings.TrimSuffix(reflect.TypeFor[Options]().PkgPath(), "macetest") + "cmd/macemc"

// tool returns a command line of the program macemc for the path in a file, with the
// systems that the package of the test exports. name is the name of the command, such as
// mdb.
func (a *reporter) tool(name, file string) string {
	pkg := a.pkg
	if host, _, _ := strings.Cut(pkg, "/"); !strings.Contains(host, ".") {
		pkg = "." // a path without a host looks like the name of a system
	}
	return fmt.Sprintf("go tool macemc %s %s %s", name, wording.Typed(pkg), wording.Typed(file))
}

// tell writes the folders of the findings, and returns the text of the report.
func (a *reporter) tell(r *search.Result) string {
	var b strings.Builder
	folder := a.folder()
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	for _, one := range account.All(r) {
		if err := finding.NewShelf(folder).Write(one, r, a.commands); err != nil {
			fmt.Fprintln(&b, err)
		}
		if err := report.Account(&b, r, one); err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	if len(r.Findings) == 0 {
		if err := report.Result(&b, r); err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// folder returns the folder for findings. If go test runs with -artifacts, it is the test's
// artifact folder, and otherwise a folder of this user beside other temporary files, which is not
// removed after the test.
func (a *reporter) folder() string {
	if wanted := artifacts(); wanted {
		return a.t.ArtifactDir()
	}
	name := "macetest-findings"
	if uid := os.Getuid(); uid >= 0 { // another user may have made a folder that this user cannot write
		name = fmt.Sprintf("%s-%d", name, uid)
	}
	return filepath.Join(os.TempDir(), name)
}

// replay repeats the path in a file.
func (a *reporter) replay(sys *sim.System, file string) {
	a.t.Helper()
	path, err := choose.Open(file)
	if err != nil {
		a.t.Fatal(err)
	}
	r, err := a.taken(sys, path, file)
	if far := (*search.NotAsRecorded)(nil); errors.As(err, &far) {
		a.t.Logf("%s: followed for %d of %d steps, in which nothing went wrong: %v", file, far.Steps, len(path.Steps), err)
		return
	}
	if err != nil {
		a.t.Fatalf("%s: %v", file, err)
	}
	var b strings.Builder
	if err := report.Replayed(&b, path, r, testing.Verbose()); err != nil {
		a.t.Fatal(err)
	}
	if r.Finding.Verdict != trace.VerdictNone {
		a.t.Fatal(b.String())
	}
	a.t.Log(b.String())
}

// taken repeats the run that a path records, and returns its result. The system may consist of
// handlers, or of programs with goroutines.
func (a *reporter) taken(sys *sim.System, path *choose.Path, file string) (*search.Replayed, error) {
	if sys.Programs != nil {
		return a.tape(sys, path)
	}
	return search.Replay(sys, path, search.Options{ByIdentity: true, Stuck: stuck, OnStuck: func(r *search.Result) {
		fmt.Fprintf(os.Stderr, "--- FAIL: %s\n%s: %s: %s\n", a.t.Name(), file, r.Finding.Verdict, r.Finding.Message)
		os.Exit(1)
	}})
}

// artifacts reports whether go test keeps what tests write.
func artifacts() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}
