package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/systems/paxos"
	"macemc/systems/peterson"
	"macemc/systems/storage"
	"macemc/systems/twophase"
)

// A row is a space that both SPIN and macemc search.
type row struct {
	name     string
	title    string
	sys      *sim.System
	settings []string
	model    *model
}

var rows = []row{
	{"twophase", "Two-phase commit, 8 managers, over a set", twophase.System, []string{"rms=8"}, twophaseModel(8)},
	{"paxos", "Paxos (2,3,1) over a bag", paxos.System, nil, paxosModel(2)},
	{"lamport-set", "Lamport's Paxos over a set, three ballots", overSet, []string{"ballots=3"}, lamportSet(3)},
	{"storage", "Storage (3,1), 2 writes, 2 reads, over a bag", storage.System, []string{"reads=2"}, storageModel(2, 2)},
	{"peterson", "Peterson's lock, 5 processes, in one node", peterson.System, []string{"n=5"}, petersonModel(5)},
	{"lamport-node", "Lamport's Paxos in one node, four ballots", oneNode, []string{"ballots=4"}, lamportNode(4)},
}

func main() {
	only := flag.String("rows", "", "only the rows whose name matches")
	turns := flag.Int("n", 3, "how many turns; a number in the table is the median")
	promela := flag.String("promela", "", "print the generated model of this row, and do nothing else")
	child := flag.String("child", "", "search this row, as a child of this program")
	workers := flag.Int("workers", 1, "of a child")
	liveness := flag.Bool("liveness", false, "a child decides liveness too")
	visited := flag.String("visited", "", "how a child keeps visited states: vectors or fingerprint")
	levels := flag.Bool("levels", false, "a child prints the sizes of its levels")
	flag.Parse()
	how := how{search.Visited(*visited), *workers, *liveness, *levels}
	if err := run(os.Stdout, *only, *turns, *promela, *child, how); err != nil {
		fmt.Fprintln(os.Stderr, "spin:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, only string, turns int, promela, child string, how how) error {
	if name := promela + child; name != "" {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if i < 0 {
			return fmt.Errorf("no row %q; there are: %s", name, names())
		}
		if child != "" {
			return rows[i].search(out, how)
		}
		_, err := fmt.Fprint(out, rows[i].model)
		return err
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	for _, tool := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(tool); errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintf(out, "NOT RUN: there is no %s here; on Debian: apt-get install spin gcc\n", tool)
			return nil
		}
	}
	fmt.Fprintln(out, "| space | states | transitions | SPIN | safety | | with liveness | | two workers, by the clock | | SPIN's memory | memory |")
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range rows {
		if !pattern.MatchString(r.name) {
			continue
		}
		if err := r.compare(out, turns); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

func names() string {
	var all []string
	for _, r := range rows {
		all = append(all, r.name)
	}
	return strings.Join(all, ", ")
}

// compare searches the space by SPIN and by macemc, taking turns, and prints
// the medians.
func (r *row) compare(out io.Writer, turns int) error {
	checker, err := r.model.compile()
	if err != nil {
		return err
	}
	defer checker.remove()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours := func(workers int, liveness bool) func() (taken, error) {
		return func() (taken, error) {
			return ran(exec.Command(self, "-child", r.name, fmt.Sprint("-workers=", workers), fmt.Sprint("-liveness=", liveness)), counted)
		}
	}
	sides := []func() (taken, error){checker.run, ours(1, false), ours(1, true), ours(2, false)}
	all := make([][]taken, len(sides))
	for range turns {
		for i, side := range sides {
			t, err := side()
			if err != nil {
				return err
			}
			if first := append(all[0], t)[0]; t.space != first.space {
				return fmt.Errorf("two searches have counted different spaces, %v and %v, so their times cannot be compared", first.space, t.space)
			}
			all[i] = append(all[i], t)
		}
	}
	spin, safety, live, two := all[0], all[1], all[2], all[3]
	by := func(of []taken, what func(taken) float64) float64 {
		var values []float64
		for _, t := range of {
			values = append(values, what(t))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	processor := func(t taken) float64 { return t.processor.Seconds() }
	clock := func(t taken) float64 { return t.clock.Seconds() }
	memory := func(t taken) float64 { return float64(t.memory) / (1 << 20) }
	base := by(spin, processor)
	fmt.Fprintf(out, "| %s | %s | %s | %.2f s | %.2f s | %.2f | %.2f s | %.2f | %.2f s | %.2f | %.0f MiB | %.0f MiB |\n",
		r.title, commas(spin[0].states), commas(spin[0].transitions), base,
		by(safety, processor), by(safety, processor)/base, by(live, processor), by(live, processor)/base,
		by(two, clock), by(two, clock)/by(spin, clock), by(spin, memory), by(safety, memory))
	return nil
}

// space is the size of a space, as a search has counted it.
type space struct{ states, transitions int }

func (s space) String() string {
	return fmt.Sprintf("%s states and %s transitions", commas(s.states), commas(s.transitions))
}

// taken is the time and memory that a search took.
type taken struct {
	space
	processor, clock time.Duration
	memory           int64 // largest resident size in bytes
}

// commas writes a number with commas between groups of three digits.
func commas(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
