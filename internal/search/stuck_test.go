package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/sim"
)

// stuck lists handlers that neither return nor ask anything. Such a handler ends only with its process,
// so each search runs in a child process. The child writes the path of the finding into a file and the
// rest of the finding to its output, and exits.
var stuck = []struct {
	name     string
	make     func() sim.Node
	node     string
	identity string
	stack    string // the function that loops
}{
	{"handler", func() sim.Node { return new(spinner) }, "n0", "n0 timer tick{}", "(*spinner).spin"},
	{"after-a-coin", func() sim.Node { return new(coinSpinner) }, "n0", "n0 timer tick{}", "(*coinSpinner).Handle"},
	{"start", func() sim.Node { return new(startSpinner) }, "nobody", "the start of a node", "(*startSpinner).Init"},
	{"start-after-a-coin", func() sim.Node { return new(startCoinSpinner) }, "nobody", "the start of a node", "(*startCoinSpinner).Init"},
	{"waiting", func() sim.Node { return new(waiter) }, "n0", "n0 timer tick{}", "(*waiter).Handle"},
}

// spinner loops at its third tick.
type spinner struct{ base }

func (n *spinner) Handle(env sim.Env, _ sim.Signal) {
	if n.rounds == 2 {
		n.spin()
	}
	env.TCP().Send(env.Peers()[0], note{"on"})
}

func (n *spinner) spin() {
	for k := 0; k >= 0; k &= 0xffff {
		k++
	}
}

// coinSpinner loops for one side of its second coin.
type coinSpinner struct{ base }

func (n *coinSpinner) Handle(env sim.Env, _ sim.Signal) {
	a, b := env.Choose(2, "first"), env.Choose(3, "second")
	for a == 1 && b == 2 {
		n.wrong = !n.wrong
	}
	env.TCP().Send(env.Peers()[0], note{"on"})
}

// startSpinner loops for ever when it starts.
type startSpinner struct{ base }

func (n *startSpinner) Init(sim.Env) {
	for n.wrong = true; n.wrong; {
	}
}
func (n *startSpinner) Handle(sim.Env, sim.Signal) {}

// startCoinSpinner loops for ever when it starts, for one side of a coin.
type startCoinSpinner struct{ base }

func (n *startCoinSpinner) Init(env sim.Env) {
	for env.Self() == first(env) && env.Choose(2, "start") == 1 {
		for n.wrong = true; n.wrong; {
		}
	}
}
func (n *startCoinSpinner) Handle(sim.Env, sim.Signal) {}

// waiter waits on a channel to which nobody sends.
type waiter struct{ base }

func (n *waiter) Handle(sim.Env, sim.Signal) { <-never }

func stuckSystem(name string) *sim.System {
	for _, c := range stuck {
		if c.name == name {
			return &sim.System{
				Name: c.name, Doc: "A service that neither returns nor asks anything.",
				New: func(sim.Params, sim.Addr) sim.Node { return c.make() },
			}
		}
	}
	panic("no such case: " + name)
}

const (
	stuckCase    = "MACEMC_TEST_STUCK"      // what the child is to run; set only for the child
	stuckReplay  = "MACEMC_TEST_STUCK_PATH" // the path that it is to replay; unset: it searches
	stuckWrite   = "MACEMC_TEST_STUCK_OUT"  // where it writes the path of its finding
	stuckAfter   = 50 * time.Millisecond
	stuckStatus  = 3
	stuckOverall = 2 * time.Minute
)

// TestStuckChild runs in the child process, and searches the service that the environment names.
func TestStuckChild(t *testing.T) {
	name := os.Getenv(stuckCase)
	if name == "" {
		t.Skip("this is the child of TestStuck")
	}
	sys, opts := stuckSystem(name), Options{Stuck: stuckAfter, OnStuck: tellStuck}
	if file := os.Getenv(stuckReplay); file != "" {
		path := readPath(t, file)
		r, err := Replay(sys, path, opts)
		t.Fatalf("the replay came to an end: %+v, %v", r, err)
	}
	res, err := Search(sys, opts)
	t.Fatalf("the search came to an end: %+v, %v", res, err)
}

// tellStuck writes the finding, and ends the process, since nothing else ends the handler.
func tellStuck(res *Result) {
	f := res.Finding
	file, err := os.Create(os.Getenv(stuckWrite))
	if err == nil {
		_, err = f.Path.WriteTo(file)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("%s at %s, %s: %s\n%s\n", f.Verdict, f.Node, f.Identity, f.Message, f.Stack)
	os.Exit(stuckStatus)
}

func readPath(t *testing.T, name string) *choose.Path {
	t.Helper()
	path, err := choose.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStuck(t *testing.T) {
	for _, c := range stuck {
		if !*long.On && c.name != "handler" {
			continue // children that loop take processor time
		}
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			found, again := filepath.Join(dir, "found.path"), filepath.Join(dir, "again.path")
			child(t, c.name, "", found).is(t, c.node, c.identity, c.stack)
			path := readPath(t, found)
			if verdict, _ := path.Get("verdict"); verdict != "divergence" {
				t.Errorf("the path is of a %s", verdict)
			}
			child(t, c.name, found, again).is(t, c.node, c.identity, c.stack)
			if a, b := readPath(t, again), path; fmt.Sprint(a.Start, a.Steps) != fmt.Sprint(b.Start, b.Steps) {
				t.Errorf("the replay got stuck elsewhere: %v, and the search: %v", a, b)
			}
		})
	}
}

// child runs TestStuckChild in a process of its own, and returns its output.
func child(t *testing.T, name, replay, write string) report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stuckOverall)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestStuckChild$")
	cmd.Env = append(os.Environ(), stuckCase+"="+name, stuckReplay+"="+replay, stuckWrite+"="+write)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != stuckStatus {
		t.Fatalf("the child ended with %v and said\n%s", err, out)
	}
	return report(out)
}

// report is the output of a child about its finding.
type report string

// is checks a report. It checks only the function on the stack and not the line, since the loop is
// interrupted at another line in each run.
func (r report) is(t *testing.T, node, identity, stack string) {
	t.Helper()
	want := fmt.Sprintf("divergence at %s, %s: the handler did not return and asked Env nothing for %s: it loops for ever, or waits\n",
		node, identity, stuckAfter)
	if !strings.HasPrefix(string(r), want) {
		t.Errorf("the child said\n%s\nwant\n%s", r, want)
	}
	if !strings.Contains(string(r), stack) {
		t.Errorf("the stack does not name %s:\n%s", stack, r)
	}
}
