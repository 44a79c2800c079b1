//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"macemc/internal/long"
)

var (
	interruptions = flag.Int("interruptions", 3, "the `number` of searches that TestInterruptions interrupts")
	ten           = flag.Bool("ten-minutes", false, "TestMemoryBudget searches for ten minutes")
)

// beRude runs this process as the command of a rude system, and ends it, if the process was started for that.
// It is nil on operating systems without such tests.
var beRude func()

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		if every, err := time.ParseDuration(os.Getenv(keepsEach)); err == nil {
			keepEvery = every
		}
		whole().Main()
	}
	if folder := os.Getenv(startIn); folder != "" {
		os.Unsetenv(startIn)
		err := os.Chdir(folder)
		if err == nil {
			err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitInput)
	}
	if beRude != nil {
		beRude()
	}
	everyPlain = time.Hour // the output must not depend on the machine
	long.Run(m)
}

// process is the command in a process of its own, in an empty folder.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	temporary      string
}

func command(t testing.TB, ctx context.Context, line string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.CommandContext(ctx, self, words(line)...), temporary: t.TempDir()}
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+p.temporary)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	return p
}

// limited has the members of the --json output of a search that was stopped.
type limited struct {
	Verdict, Stop string
	Safety        struct{ Status string }
	Path          *string
	Measured      struct {
		Memory uint64 `json:"memory_bytes"`
	}
}

// ended returns the output of a process and its exit status, or -1 if a signal ended it. The
// process must have left nothing behind.
func (p *process) ended(t *testing.T, err error) (said limited, status int) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if p.Process == nil { // it was over before it began
		return said, -1
	}
	if left, _ := filepath.Glob(filepath.Join(p.temporary, "*")); len(left) > 0 {
		t.Errorf("temporary files are left: %s", left)
	}
	if err := syscall.Kill(-p.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("processes are left: %v", err)
	}
	if status = p.ProcessState.ExitCode(); status < 0 {
		return said, status
	}
	decoder := json.NewDecoder(&p.stdout)
	if err := decoder.Decode(&said); err != nil || decoder.More() {
		t.Fatalf("status %d, %v, stderr %q", status, err, p.stderr.String())
	}
	written, _ := filepath.Glob(filepath.Join(p.Dir, "macemc-findings", "*", "error.path"))
	if found := said.Verdict != "none"; found != (status == exitFound) || found != (len(written) == 1) || found && said.Path == nil {
		t.Errorf("status %d, verdict %s, and written is %q", status, said.Verdict, written)
	}
	return said, status
}

// A search whose time or memory is over ends with a result like any other, which gives the reason.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		line, stop string
		status     int
		long       bool
	}{
		{"search jointree --depth 100 --memory 32MiB --no-walks", "memory", exitStopped, false},
		{"search jointree --depth 100 --memory 32MiB --paths 20", "memory", exitStopped, true},
		{"search simtcp --nodes 3 --depth 100 --memory 32MiB --paths 20 --engine local", "memory", exitStopped, true},
		{"search jointree --depth 100 --time 300ms", "time", exitStopped, false},
		{"search jointree --depth 100 --time 300ms --engine reference", "time", exitStopped, true},
		{"search jointree --depth 1 --paths 100000000 --time 300ms", "time", exitStopped, false},
		{"search brokentree --depth 1 --paths 100 --memory 64MiB --time 1h", "paths", exitNothing, true},
		{"search brokentree --bug BT2 --memory 64MiB --time 1h", "found", exitFound, false},
	} {
		if testing.Short() && c.stop != "time" || c.long && !*long.On {
			continue // with the race detector, that takes minutes
		}
		p := command(t, t.Context(), c.line+" --json --quiet")
		said, status := p.ended(t, p.Run())
		if said.Stop != c.stop || status != c.status {
			t.Errorf("%s: stopped: %s, status %d; want %s, %d", c.line, said.Stop, status, c.stop, c.status)
		}
	}
}

// The memory of the whole process, as the system counts it, stays near what
// --memory allows: at most a tenth above, and not far below.
func TestMemoryBudget(t *testing.T) {
	if testing.Short() || !*long.On && !*ten {
		t.Skip("-long; and the race detector has memory of its own")
	}
	budget, line := 200<<20, "search jointree --depth 100 --memory 200MiB --no-walks"
	if *ten {
		budget, line = 2<<30, "search jointree --nodes 5 --depth 100 --memory 2GiB --engine local --time 10m"
	}
	p := command(t, t.Context(), line+" --json --quiet")
	said, _ := p.ended(t, p.Run())
	usage, ok := p.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Skip("this system does not tell the memory of a process")
	}
	most := int(usage.Maxrss) << 10 // in KiB, but for one system
	t.Logf("stopped: %s; of %d MiB the system counted %d at most, and the search %d", said.Stop, budget>>20, most>>20, said.Measured.Memory>>20)
	if most > budget/10*11 || int(said.Measured.Memory) > budget/10*11 {
		t.Errorf("the process had up to %d MiB, and was allowed %d", most>>20, budget>>20)
	}
	if said.Stop == "memory" && most < budget/10*7 {
		t.Errorf("the process stopped with %d MiB, and was allowed %d", most>>20, budget>>20)
	}
}

// Whenever a search is interrupted, it reports its results so far, and leaves nothing
// behind. A signal that comes before it listens ends it as usual.
func TestInterruptions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	lines := []string{
		"search jointree --depth 100",
		"search simtcp --nodes 3",
		"search brokentree --faults crash=1,reset=1",
		"search jointree --depth 1 --paths 100000000",
		"search simtcp --nodes 3 --engine reference",
		"search peterson --bug PE2 --depth 1 --walk-steps 1000000",
	}
	stops := map[string]int{}
	if testing.Short() {
		*interruptions = min(*interruptions, 3)
	}
	for i := range *interruptions {
		line := lines[i%len(lines)] + " --json --quiet"
		moment := time.Duration(rng.IntN(1000)) * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), moment)
		p := command(t, ctx, line)
		said, status := p.ended(t, p.Run())
		cancel()
		stops[said.Stop]++
		want := map[string]int{"interrupted": exitStopped, "found": exitFound, "": -1}
		if wanted, ok := want[said.Stop]; ok && status != wanted || !ok && status != exitNothing {
			t.Errorf("%s, interrupted after %s: stopped: %s, status %d, stderr %q", line, moment, said.Stop, status, p.stderr.String())
		}
		if status < 0 && p.stdout.Len() > 0 {
			t.Errorf("%s, interrupted after %s: ended by a signal, after it had printed %q", line, moment, p.stdout.String())
		}
	}
	t.Log(fmt.Sprint(stops))
	if stops["interrupted"] == 0 && *interruptions > 5 {
		t.Errorf("of %d searches, none was interrupted while it searched: %v", *interruptions, stops)
	}
}
