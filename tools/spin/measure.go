package main

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"macemc/internal/search"
	"macemc/sim"
)

// how says how macemc searches a space in a child process.
type how struct {
	visited  search.Visited
	workers  int
	liveness bool
	levels   bool // print the sizes of the levels
}

// search searches the space by macemc, and prints its size.
func (r *row) search(out io.Writer, how how) error {
	params, err := r.sys.Configure(0, r.settings, nil)
	if err != nil {
		return err
	}
	opts := search.Options{
		Params: params, Depth: 1000, Effort: 1 << 40, NoWalks: true, Reduce: search.ReduceNone, Workers: how.workers, Visited: how.visited,
		Conditions: sim.Conditions{Faults: &sim.Faults{}},
	}
	for _, p := range r.sys.Properties {
		if how.liveness || !p.Liveness() {
			opts.Properties = append(opts.Properties, p.Name)
		}
	}
	var sizes []int
	if how.levels {
		opts.Progress = func(p search.Progress) {
			if p.Phase == search.PhaseStates {
				sizes = append(sizes, make([]int, max(0, p.Level+1-len(sizes)))...)
				sizes[p.Level] = max(sizes[p.Level], p.Of)
			}
		}
	}
	res, err := search.Search(r.sys, opts)
	switch {
	case err != nil:
		return err
	case res.Finding != nil:
		return fmt.Errorf("macemc has found a failure, and the protocol should have none: %s", res.Finding.Message)
	case res.Safety.State != search.StateExhausted:
		return fmt.Errorf("the search for safety violations ended as %q; the comparison needs it to be exhausted", res.Safety.State)
	}
	if how.levels {
		fmt.Fprintln(out, sizes)
	}
	_, err = fmt.Fprintf(out, "%d states, %d transitions\n", res.Stats.States, res.Stats.Transitions)
	return err
}

// counted reads the size of the space in the output of row.search.
func counted(text string) (s space, err error) {
	_, err = fmt.Sscanf(text, "%d states, %d transitions", &s.states, &s.transitions)
	return s, err
}

// ran runs a command, and returns the time and the memory that it took. read finds the size of
// the space in the command's output.
func ran(c *exec.Cmd, read func(text string) (space, error)) (t taken, err error) {
	c.Stderr = os.Stderr
	began := time.Now()
	text, err := c.Output()
	if err != nil {
		return t, fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	t.clock = time.Since(began)
	t.processor = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	t.memory = c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.space, err = read(string(text))
	return t, err
}

// A checker is the program that SPIN has generated for a model, compiled.
type checker struct {
	folder string
	args   []string
}

func (c *checker) remove() { os.RemoveAll(c.folder) }

// compile makes a checker with a state vector, a search stack and a table that are as small as
// the space allows. It finds these sizes by running another checker first, whose sizes are
// more than enough.
func (m *model) compile() (*checker, error) {
	folder, err := os.MkdirTemp("", "spin")
	if err != nil {
		return nil, err
	}
	c := &checker{folder: folder}
	if err := c.build(m); err != nil {
		c.remove()
		return nil, err
	}
	return c, nil
}

func (c *checker) build(m *model) error {
	if err := os.WriteFile(filepath.Join(c.folder, "model.pml"), []byte(m.String()), 0o666); err != nil {
		return err
	}
	// -o2 keeps variables that no guard reads: they are part of a service's state too.
	if _, err := c.do("spin", "-a", "-o2", "model.pml"); err != nil {
		return err
	}
	cc := func(args ...string) error {
		_, err := c.do("cc", append(args, "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c")...)
		return err
	}
	if err := cc("-O1"); err != nil {
		return err
	}
	var text string
	for depth := 1000; ; depth *= 10 {
		var err error
		c.args = []string{fmt.Sprint("-m", depth)}
		if text, err = c.do("./pan", c.args...); err != nil {
			return err
		}
		if !strings.Contains(text, "max search depth too small") {
			break
		}
	}
	s, err := stored(text)
	if err != nil {
		return err
	}
	c.args = append(c.args, fmt.Sprint("-w", max(10, bits.Len(uint(s.states-1)))))
	size := vectorSize.FindStringSubmatch(text)
	if size == nil {
		return fmt.Errorf("the checker did not print the size of its state vector:\n%s", text)
	}
	bytes, err := strconv.Atoi(size[1])
	if err != nil {
		return err
	}
	// It must be larger than the vector, and a multiple of a word, or the vector is padded.
	return cc("-O3", fmt.Sprint("-DVECTORSZ=", (bytes/8+1)*8))
}

func (c *checker) do(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.folder
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	return string(text), nil
}

// run runs the checker once.
func (c *checker) run() (taken, error) {
	cmd := exec.Command("./pan", c.args...)
	cmd.Dir = c.folder
	return ran(cmd, stored)
}

var (
	vectorSize   = regexp.MustCompile(`State-vector (\d+) byte`)
	storedStates = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
	taking       = regexp.MustCompile(`(?m)^\s*(\d+) transitions`)
	errorsFound  = regexp.MustCompile(`errors: (\d+)`)
)

// stored reads the size of the space in the output of a checker.
func stored(text string) (s space, err error) {
	if m := errorsFound.FindStringSubmatch(text); m == nil || m[1] != "0" {
		return s, fmt.Errorf("the checker did not end without errors:\n%s", text)
	}
	for _, n := range []struct {
		in *regexp.Regexp
		to *int
	}{{storedStates, &s.states}, {taking, &s.transitions}} {
		m := n.in.FindStringSubmatch(text)
		if m == nil {
			return s, fmt.Errorf("the checker did not print its counts:\n%s", text)
		}
		if *n.to, err = strconv.Atoi(m[1]); err != nil {
			return s, err
		}
	}
	// SPIN counts the first state among its transitions.
	s.transitions--
	return s, nil
}
