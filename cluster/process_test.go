//go:build unix

package cluster

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/internal/search"
)

// crew is a coordinator and workers, as processes. met is the number of points that its workers have reached,
// and more receives a value after each change of it. tell is the environment variable that names the FIFO to
// which workers report points.
type crew struct {
	t           testing.TB
	dir, at     string
	flags       string
	tell        string
	met         atomic.Int64
	more        chan struct{}
	coordinator *process
	workers     []*process
}

func newCrew(t testing.TB, line, flags string, workers int) *crew {
	c := &crew{t: t, dir: t.TempDir(), at: free(t), flags: flags}
	fifo := filepath.Join(c.dir, "points")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	points, err := os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0) // for writing, too, so that it has no end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { points.Close() })
	c.more = make(chan struct{}, 1)
	go func() {
		some := make([]byte, 1<<10)
		for {
			n, err := points.Read(some)
			if err != nil {
				return
			}
			c.met.Add(int64(n))
			select {
			case c.more <- struct{}{}:
			default:
			}
		}
	}()
	c.tell = tellTo + "=" + fifo
	listen := "--listen " + c.at
	if strings.Contains(flags, "--cluster ") {
		listen = ""
	}
	c.coordinator = start(t, c.dir, fmt.Sprintf("coordinator %s --state st %s %s --json", line, listen, flags), c.tell)
	for range workers {
		c.worker()
	}
	return c
}

func (c *crew) worker(env ...string) {
	flags := c.ofWorker()
	if !strings.Contains(flags, "--cluster ") {
		flags += " --cluster nats://" + c.at
	}
	c.workers = append(c.workers, start(c.t, c.dir, "worker --workers 1 "+flags, append(env, c.tell)...))
}

// ofWorker returns the flags that workers have, too.
func (c *crew) ofWorker() string {
	words := strings.Fields(c.flags)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "--no-work" || w == "--synced" })
	for _, flag := range []string{"--shards", "--replicas"} {
		if at := slices.Index(words, flag); at >= 0 {
			words = slices.Delete(words, at, at+2)
		}
	}
	return strings.Join(words, " ")
}

// goOn waits until the workers have reached n more points, and reports false if the coordinator ends
// before.
func (c *crew) goOn(n int) bool {
	for last := c.met.Load() + int64(n); c.met.Load() < last; {
		select {
		case <-c.more:
		case <-c.coordinator.ended:
			return false
		}
	}
	return true
}

// resume kills the coordinator, with its server, and begins it again.
func (c *crew) resume() {
	select {
	case <-c.coordinator.ended: // by itself
		return
	default:
	}
	c.coordinator.kill()
	line := "resume st --json"
	if segments, _ := filepath.Glob(filepath.Join(c.dir, "st", "*.seg")); len(segments) == 0 {
		line = strings.Join(c.coordinator.Args[1:], " ")
	}
	c.coordinator = start(c.t, c.dir, line, c.tell)
}

func (c *crew) killWorkers() {
	for k := range c.workers {
		c.killWorker(k)
	}
}

// killWorker kills a worker, and begins it again.
func (c *crew) killWorker(k int) {
	w := c.workers[k]
	w.kill()
	c.workers[k] = start(c.t, c.dir, strings.Join(w.Args[1:], " "), c.tell)
}

func (c *crew) end() {
	for _, w := range c.workers {
		w.kill()
	}
}

var lines = []string{
	"randtree --bug RT14 --depth 2 --paths 1800 --no-lines --no-shrink --no-critical",
	"commit --depth 2 --paths 6000",
	"peterson --param n=3 --depth 200 --no-walks --no-critical",
	"randtree --depth 7 --no-walks",
	"peterson --param n=3 --depth 14 --no-walks --engine reference",
}

// sharding returns the flag by which states are visited in shards, for a line that takes no walks and does not
// use the reference engine, and otherwise "".
func sharding(line string) string {
	if strings.Contains(line, "--no-walks") && !strings.Contains(line, "reference") {
		return " --shards 3"
	}
	return ""
}

// The result does not change if workers, or the coordinator with its server, are killed at any time, even all
// at once and five times in one run, or if workers are stopped beyond their lease.
func TestKills(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, uint64(long.Of(1, int(time.Now().UnixNano())))))
	want := map[string]map[string]any{}
	kills := 0
	for n := range long.Of(2, 25) {
		line := lines[n%len(lines)]
		if want[line] == nil {
			want[line] = start(t, t.TempDir(), "search "+line+" --json --quiet").wait(t).result(t)
		}
		own := []string{"--no-work", ""}[n/2%2]
		c := newCrew(t, line, own+sharding(line), 2)
		what := ""
		for range 5 {
			if !c.goOn(1 + r.IntN(40)) {
				break
			}
			victims := []string{"everything", "a worker", "the coordinator", "nobody, but a worker is held up"}[r.IntN(4)]
			if n%2 == 1 {
				victims = "everything"
			}
			what += victims + "; "
			kills += c.suffers(victims, r, nil)
		}
		c.coordinator.wait(t)
		if got := c.coordinator.result(t); strings.Contains(line, "--no-walks") {
			one, other := ofStates(want[line]), ofStates(got)
			if strings.Contains(line, "reference") { // the order of the runs decides how often a state is reached again
				delete(one, "duplicates")
				delete(other, "duplicates")
			}
			holds(t, line+": "+what, one, other)
		} else {
			holds(t, line+": "+what, want[line], got)
		}
		c.end()
		t.Logf("%s %s: %s", line, own, what)
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d kills", kills)
}

// ofStates returns those parts of a result of an exhaustive phase that do not depend on who visited the states.
func ofStates(r map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"safety", "verdict", "status", "stop"} {
		out[name] = r[name]
	}
	for _, name := range []string{"states", "transitions", "duplicates", "depth"} {
		out[name] = r["stats"].(map[string]any)[name]
	}
	return out
}

// faults are what happens to a search in shards, to its coordinator with the server and its two workers.
// Each begins after the workers have reached some points, and says what it did.
var faults = []struct {
	name string
	do   func(c *crew)
}{
	{"control", func(*crew) {}},
	{"one node is lost", func(c *crew) { c.workers[0].kill() }},
	{"a hot spare takes over", func(c *crew) {
		c.worker()
		c.workers[0].kill()
	}},
	{"everything is killed and begins again", func(c *crew) {
		for _, w := range c.workers {
			w.signal(syscall.SIGKILL)
		}
		c.resume()
		c.killWorkers()
	}},
}

var processes = flag.Int("processes", 0, "how many processes Peterson's lock has in TestFaultScenarios (default 2, with -long 4)")

// Peterson's lock is exhausted with the counts of one process, whatever happens meanwhile.
func TestFaultScenarios(t *testing.T) {
	t.Parallel()
	n := cmp.Or(*processes, long.Of(2, 4))
	line := fmt.Sprintf("peterson --param n=%d --depth 200 --no-walks", n)
	want := start(t, t.TempDir(), "search "+line+" --json --quiet").wait(t).result(t)
	for _, f := range faults {
		c := newCrew(t, line, "--no-work --shards 4", 2)
		if !c.goOn(5 * n * n * n) {
			t.Errorf("%s: the search ended before it began: %s", f.name, c.coordinator.stderr.String())
		}
		f.do(c)
		got := c.coordinator.wait(t).result(t)
		c.end()
		holds(t, f.name, ofStates(want), ofStates(got))
		t.Logf("%s: %v", f.name, ofStates(got))
	}
}

// The result does not change if a worker is killed at a step of storing a result, again and again.
func TestKillsBetweenSteps(t *testing.T) {
	t.Parallel()
	line := lines[1]
	want := start(t, t.TempDir(), "search "+line+" --json --quiet").wait(t).result(t)
	for _, point := range points[:long.Of(2, len(points))] {
		c := newCrew(t, line, "--no-work", 0)
		c.worker(dieAt + "=" + point + ":2")
		c.worker()
		holds(t, point, want, c.coordinator.wait(t).result(t))
		c.end()
	}
}

// A walk that ends its process is left out, with the verdict incomplete, and all others are taken.
func TestPoisonIsLeftOut(t *testing.T) {
	t.Parallel()
	line := func(deed string) string {
		return "poison --param deed=" + deed + " --depth 1 --paths 3000 --walk weighted --seed 2"
	}
	clean := start(t, t.TempDir(), "search "+line("none")+" --json --quiet").wait(t).result(t)
	all := clean["stats"].(map[string]any)["walks"].(float64)
	var left string
	for _, deed := range []string{"exit", "goroutine", "loop", "memory"}[:long.Of(2, 4)] {
		c := newCrew(t, line(deed), "--no-work --memory 512MiB", 2)
		got := c.coordinator.wait(t).result(t)
		c.end()
		said := ""
		n := 0
		for l := range strings.Lines(c.coordinator.stderr.String()) {
			if strings.Contains(l, "is left out") {
				said += l
				n++
			}
		}
		if n == 0 || left != "" && said != left {
			t.Errorf("%s: left out are %q, and before %q\n%s", deed, said, left, c.coordinator.stderr.String())
		}
		left = said
		if walks := got["stats"].(map[string]any)["walks"].(float64); walks != all-float64(n) || got["stop"] != "quarantined" || got["verdict"] != "none" {
			t.Errorf("%s: %v walks of %v, %d left out, stop %v, verdict %v", deed, walks, all, n, got["stop"], got["verdict"])
		}
	}
}

// A state whose steps end their process, or never return, is left out. The search reports the run to it, and is
// incomplete. It counts the same states as a search that does not expand this state. The same holds if every
// run is taken from its start.
func TestPoisonousStateIsLeftOut(t *testing.T) {
	t.Parallel()
	t.Run("shards", func(t *testing.T) {
		t.Parallel()
		leavesStatesOut(t, "", " --shards 2")
	})
	t.Run("runs", func(t *testing.T) {
		t.Parallel()
		leavesStatesOut(t, " --engine reference", "")
	})
}

func leavesStatesOut(t *testing.T, of, by string) {
	line, flags := "venom --no-walks --out found"+of+" --param deed=", "--no-work --memory 512MiB"+by
	want := start(t, t.TempDir(), "search "+line+"within --json --quiet").wait(t).result(t)
	for _, deed := range []string{"exit", "loop", "goroutine", "memory"}[:long.Of(2, 4)] {
		c := newCrew(t, line+deed, flags, 2)
		got := c.coordinator.wait(t).result(t)
		c.end()
		if want, got := ofStates(want)["states"], ofStates(got)["states"]; want != got {
			t.Errorf("%s: %v states, want %v", deed, got, want)
		}
		for _, name := range []string{"transitions", "duplicates", "depth"} {
			if want, got := ofStates(want)[name], ofStates(got)[name]; want != got {
				t.Errorf("%s: %s are %v, want %v", deed, name, got, want)
			}
		}
		all, _ := got["left_out"].([]any)
		if got["stop"] != "quarantined" || got["safety"].(map[string]any)["status"] != "incomplete" || got["status"] != 3 || len(all) != 2 {
			t.Errorf("%s: stop %v, safety %v, exit status %v, left out %v\n%s", deed, got["stop"], got["safety"], got["status"], all, c.coordinator.stderr.String())
		}
		for _, one := range all {
			of := one.(map[string]any)
			again := start(t, c.dir, "replay "+of["file"].(string)).wait(t)
			if said := again.stdout.String(); again.ProcessState.ExitCode() != 0 || !strings.Contains(said, "taste") {
				t.Errorf("%s: a replay of %v: exit status %d, %s%s", deed, of, again.ProcessState.ExitCode(), said, again.stderr.String())
			}
		}
	}
}

// A worker of another build refuses the search, in one line.
func TestAnotherBuildIsRefused(t *testing.T) {
	t.Parallel()
	c := newCrew(t, lines[1], "--no-work", 0)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, append(text, 0), 0o755); err != nil {
		t.Fatal(err)
	}
	w := startProgram(t, other, c.dir, "worker --workers 1 --cluster nats://"+c.at).wait(t)
	if said := w.stderr.String(); w.ProcessState.ExitCode() != 2 || !strings.Contains(said, "another build") || strings.Count(said, "\n") != 1 {
		t.Errorf("exit status %d, and it says %q", w.ProcessState.ExitCode(), said)
	}
}

// The status page of a coordinator has the progress that its terminal would show, even if it is quiet.
func TestStatusOfACoordinator(t *testing.T) {
	t.Parallel()
	c := newCrew(t, lines[1], "--no-work --quiet --status 127.0.0.1:0", 0)
	const before = "the status of the search is at "
	if !c.coordinator.stderr.hears(c.coordinator.ended, "there is no worker") {
		t.Fatal(c.coordinator.stderr.String())
	}
	_, url, _ := strings.Cut(c.coordinator.stderr.String(), before)
	url, _, _ = strings.Cut(url, "\n")
	answer, err := http.Get(url + "status.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got status
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Phase != search.PhaseWalks || got.Of != 6000 || !strings.Contains(got.Progress, " of 6,000 walks") || !slices.Contains(got.Command, "commit") {
		t.Errorf("the page has %+v", got)
	}
	c.flags = ""
	c.worker()
	c.coordinator.wait(t)
	c.end()
}
