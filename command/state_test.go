//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"macemc/internal/jobs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/long"
)

// keepsEach makes the test's program keep its state more often.
const keepsEach = "MACEMC_TEST_KEEP_EACH"

// came is the result of a search: what it printed, without measurements, the path of its finding, and its exit
// status.
type came struct {
	Said   map[string]any
	Path   string
	Status int
}

// takeInFolder runs a command line in a folder. If after is not 0, it kills the processes after that time.
func takeInFolder(t *testing.T, dir, line string, after time.Duration) (c came, killed bool, stderr string) {
	t.Helper()
	ctx := t.Context()
	if after > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, after)
		defer cancel()
	}
	p := command(t, ctx, line)
	p.Dir = dir
	p.Env = append(p.Env, keepsEach+"=1ms")
	p.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGKILL) }
	_ = p.Run()
	if c.Status = p.ProcessState.ExitCode(); c.Status < 0 {
		return c, true, ""
	}
	if json.Unmarshal(p.stdout.Bytes(), &c.Said) == nil {
		delete(c.Said, "measured")
		delete(c.Said, "path")
		delete(c.Said, "report")
		if stats, is := c.Said["stats"].(map[string]any); is { // what was taken again counts as work
			delete(stats, "steps")
			delete(stats, "handler_runs")
		}
	}
	if paths, _ := filepath.Glob(filepath.Join(dir, "macemc-findings", "*", "error.path")); len(paths) > 0 {
		text, err := os.ReadFile(paths[len(paths)-1])
		if err != nil {
			t.Fatal(err)
		}
		c.Path = string(text)
	}
	return c, false, p.stderr.String()
}

// A search whose processes are killed at any time, again and again, comes to the finding and the
// counts of one that nobody killed.
func TestKilledSearchGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of a search")
	}
	r := rand.New(rand.NewPCG(1, 3))
	for _, line := range []string{
		"search randtree --bug RT14 --depth 2 --paths 1500 --no-lines --no-shrink --no-critical --json --quiet",
		"search commit --nodes 4 --param transactions=1 --depth 400 --paths 1 --workers 1 --json --quiet",
		"search randtree --bug RT27 --depth 2 --no-lines --no-critical --no-shrink --json --quiet",
		"search storage --bug RS1 --depth 2 --paths 40000 --json --quiet --no-lines",
		"search simtcp --depth 2 --paths 30000 --json --quiet",
		"search commit --param transactions=3 --depth 200 --paths 1 --json --quiet",
	}[:long.Of(2, 6)] {
		began := time.Now()
		want, _, _ := takeInFolder(t, t.TempDir(), line, 0)
		took := time.Since(began)
		for range long.Of(1, 25) {
			dir, kills := t.TempDir(), 0
			next := line + " --state st"
			for {
				after := time.Duration(r.Int64N(int64(took)))
				if kills == 0 {
					after = took/3 + after/3
				}
				if kills > 6 {
					after = 0 // else it need never end
				}
				got, killed, stderr := takeInFolder(t, dir, next, after)
				if killed {
					kills++
					if segments, _ := filepath.Glob(filepath.Join(dir, "st", "*.seg")); len(segments) > 0 {
						next = "resume st"
					}
					continue
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, killed %d times: another result (-whole +killed): %s\n%s", line, kills, diff, stderr)
				}
				break
			}
			t.Logf("%s: killed %d times", line, kills)
		}
	}
}

// A search that resumes from a damaged state repeats work, or ends with one line and exit status 2.
func TestDamagedState(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of a search")
	}
	const line = "search commit --depth 2 --paths 500 --json --quiet"
	want, _, _ := takeInFolder(t, t.TempDir(), line, 0)
	dir := t.TempDir()
	if _, killed, _ := takeInFolder(t, dir, line+" --state st", 0); killed {
		t.Fatal("it was killed")
	}
	segments, _ := filepath.Glob(filepath.Join(dir, "st", "*.seg"))
	whole := map[string][]byte{}
	for _, name := range segments {
		whole[name], _ = os.ReadFile(name)
	}
	newest := slices.Max(segments)
	size := len(whole[newest])
	damages := map[string]func([]byte) []byte{
		"the end is cut off": func(b []byte) []byte { return b[:size-1] },
		"a byte is another":  func(b []byte) []byte { b[size/2] ^= 4; return b },
		"half is missing":    func(b []byte) []byte { return b[:size/2] },
		"it is empty":        func(b []byte) []byte { return nil },
	}
	for what, damage := range damages {
		for name, text := range whole {
			if name == newest {
				text = damage(bytes.Clone(text))
			}
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, _, stderr := takeInFolder(t, dir, "resume st", 0)
		refused := got.Status == exitInput && strings.Count(stderr, "\n") == 1
		if diff := cmp.Diff(want, got); diff != "" && !refused {
			t.Errorf("%s: another result: %s\n%s", what, diff, stderr)
		}
		if !refused && !strings.Contains(stderr, "damaged or torn") {
			t.Errorf("%s: nothing was said of it: %q", what, stderr)
		}
		for _, name := range segments {
			os.Remove(name)
		}
		later, _ := filepath.Glob(filepath.Join(dir, "st", "*.seg"))
		for _, name := range later {
			os.Remove(name)
		}
	}
}

// A state is refused if it was begun by another build or with another setting, if there is one already, if
// there is none to resume, and with flags whose results it could not keep.
func TestStateIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	state := func(change func(*jobs.Header)) {
		t.Helper()
		os.RemoveAll("st")
		h := jobs.Header{Args: []string{"search", "commit", "--depth", "1", "--paths", "10"}}
		h.Build, _ = buildHash()
		change(&h)
		s, err := openState("st", false, h, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ends(nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		change     func(*jobs.Header)
		line, want string
	}{
		{func(h *jobs.Header) { h.Build = "another" }, "resume st", "is of build another"},
		{func(h *jobs.Header) { h.Setting = []string{"system: commit", "nodes: 17"} }, "resume st", "of a search of system: commit, nodes: 17"},
		{func(*jobs.Header) {}, "search commit --state st", "the directory has a log already"},
		{func(*jobs.Header) {}, "resume elsewhere", "has no state of a search"},
		{func(*jobs.Header) {}, "resume st --time 1s", "has none"},
		{func(*jobs.Header) {}, "search commit --state new --profile-space", "--profile-space"},
		{func(*jobs.Header) {}, "search commit --state new --coverage", "--coverage"},
	} {
		state(c.change)
		if said := invoke(words(c.line)...); !strings.Contains(said, c.want) || !strings.Contains(said, "status 2") && !strings.Contains(said, "exit 2") {
			t.Errorf("%s: %q; want %q, and exit status 2", c.line, said, c.want)
		}
	}
}

// A search that has ended is not searched again: resume prints its result again, with its exit
// status.
func TestEndedSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of a search")
	}
	dir := t.TempDir()
	const line = "search commit --depth 2 --paths 20 --json --quiet"
	want, _, _ := takeInFolder(t, dir, line+" --state st", 0)
	got, _, stderr := takeInFolder(t, dir, "resume st", 0)
	if diff := cmp.Diff(want, got); diff != "" || got.Said == nil {
		t.Errorf("resume of an ended search: another result (-search +resume): %s\n%s", diff, stderr)
	}
}
