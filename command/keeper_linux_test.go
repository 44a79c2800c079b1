package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"macemc/internal/long"
)

// rudely runs a command line in an empty folder. Its system, rude, has a handler that harms its process in the
// way how.
func rudely(t *testing.T, folder, how, line string) (stdout, stderr string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, self, words(line)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	cmd.Env = append(os.Environ(), asRude+"="+how)
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// killedJSON has the members of a search's --json output that the tests read.
type killedJSON struct {
	Verdict, Message string
	Path             *string
	Findings         []struct{ Stack *string }
}

// Whatever a handler does to its process, the search reports it, with a path that leads there again.
func TestKeptFromDeath(t *testing.T) {
	for _, c := range []struct {
		how, flags     string
		verdict, says  string
		place          string
		replay, search int
	}{
		{"exit", "", "killed", "exit status 0", "", exitNothing, exitFound},
		{"log", "", "killed", "the disk is full", "", exitNothing, exitFound},
		{"panic", "", "killed", "panic: on a goroutine of its own", "terminal_linux_test.go", exitNothing, exitFound},
		{"overflow", "", "killed", "stack overflow", "terminal_linux_test.go", exitNothing, exitFound},
		{"memory", "--memory 32MiB", "killed", "--memory allows 32 MiB", "terminal_linux_test.go", -2, exitFound},
		{"sleep", "--stuck 2s", "divergence", "did not return", "terminal_linux_test.go", -2, exitFound},
		{"stop", "", "killed", "it was stopped, as by SIGSTOP, and did not go on for 1s", "", exitNothing, exitFound},
		{"scribble", "", "killed", "exit status 7", "", exitNothing, exitFound},
		{"print", "", "none", "", "", -2, exitNothing},
		{"print and panic", "", "panic", "and it panics", "terminal_linux_test.go", -2, exitFound},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			out, errs, status := rudely(t, folder, c.how, "search rude --json "+c.flags)
			var said killedJSON
			if err := json.Unmarshal([]byte(out), &said); err != nil || status != c.search {
				t.Fatalf("%v, status %d, stdout %q, stderr %q", err, status, out, errs)
			}
			if said.Verdict != c.verdict || !strings.Contains(said.Message, c.says) {
				t.Errorf("verdict %s: %s", said.Verdict, said.Message)
			}
			if prints := strings.HasPrefix(c.how, "print"); strings.Contains(out, "goes nowhere") || prints != strings.Contains(errs, "goes nowhere") {
				t.Errorf("what is printed is in the report, or nobody is told of it: %q, %q", out, errs)
			}
			if strings.Contains(out+errs, "forged") {
				t.Errorf("what a handler wrote into a descriptor is told: %q, %q", out, errs)
			}
			if c.how == "print and panic" {
				if trace := get(t, filepath.Join(folder, filepath.Dir(*said.Path), "trace.jsonl")); !strings.Contains(trace, `"step":1,`) || strings.Count(trace, `"printed":"this goes nowhere\n"`) != 1 {
					t.Errorf("what is printed is not in the trace, once: %s", trace)
				}
			}
			if c.how == "sleep" && !strings.Contains(errs, "a handler waits (IO wait) at") {
				t.Errorf("nobody says where the handler waits: %q", errs)
			}
			if c.place != "" {
				if report := get(t, filepath.Join(folder, filepath.Dir(*said.Path), "report.md")); !strings.Contains(report, c.place) || strings.Contains(report, "elided") {
					t.Errorf("no place is told, or frames of nobody are: %s", report)
				}
			}
			if c.replay >= 0 && (*long.On || c.how == "exit" || c.how == "overflow") { // the others die in the same way again
				again, errs, status := rudely(t, folder, c.how, "replay --quiet "+*said.Path)
				if status != c.replay || !strings.HasPrefix(again, "reproduced: ") {
					t.Errorf("replay: status %d, %q, %q", status, again, errs)
				}
				if again, errs, status = rudely(t, folder, "print", "replay --quiet "+*said.Path); status != exitFound || !strings.HasPrefix(again, "not reproduced: ") {
					t.Errorf("replay of what was repaired: status %d, %q, %q", status, again, errs)
				}
				for _, line := range []string{"graph ", "mdb -x show "} {
					if drawn, errs, status := rudely(t, folder, c.how, line+*said.Path); status != exitNothing || drawn == "" {
						t.Errorf("%s: status %d, %q", line, status, errs)
					}
				}
			}
		})
	}
}

// A search whose time is over ends even if a handler does not return, and also if nothing watches for such
// handlers (--stuck 0).
func TestKeptFromStanding(t *testing.T) {
	for _, stuck := range []string{"1h", "0"} {
		t.Run(stuck, func(t *testing.T) {
			t.Parallel()
			out, errs, status := rudely(t, t.TempDir(), "sleep", "search rude --time 200ms --stuck "+stuck)
			if status != exitStopped || !strings.Contains(out, "nothing found before its time was over") {
				t.Errorf("status %d, %q, %q", status, out, errs)
			}
		})
	}
}

// A search that is interrupted ends even if a handler does not return.
func TestKeptFromStandingWhenAsked(t *testing.T) {
	t.Parallel()
	p := command(t, t.Context(), "search rude --stuck 0")
	p.Env = append(os.Environ(), asRude+"=sleep")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for end, asleep := time.Now().Add(20*time.Second), false; !asleep && time.Now().Before(end); {
		_, err := os.Stat(filepath.Join(p.Dir, "asleep"))
		asleep = err == nil
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = p.Wait(); p.ProcessState.ExitCode() != exitStopped || !strings.Contains(p.stdout.String()+p.stderr.String(), "the search did not stop in time, and was killed") {
		t.Errorf("status %d, %q, %q", p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String())
	}
}

// outside sends a signal to the child of a search, and checks that the search ends as one that was killed. It
// returns what the search prints to standard error.
func outside(t *testing.T, signal syscall.Signal) string {
	t.Helper()
	p := command(t, t.Context(), "search jointree --depth 100 --json --memory 1GiB")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	child := 0
	for end := time.Now().Add(20 * time.Second); child == 0 && time.Now().Before(end); {
		child = childOf(p.Process.Pid)
	}
	if child == 0 {
		t.Fatal("there is no child")
	}
	if err := syscall.Kill(child, signal); err != nil {
		t.Fatal(err)
	}
	said, status := p.ended(t, p.Wait())
	if said.Verdict != "none" || said.Stop != "killed" || status != exitStopped {
		t.Errorf("status %d, %+v", status, said)
	}
	return p.stderr.String()
}

// A search distinguishes a kill from outside from one by a handler. Findings from before
// the kill are kept.
func TestKilledFromOutside(t *testing.T) {
	t.Parallel()
	if errs := outside(t, syscall.SIGKILL); !strings.Contains(errs, "came from outside") && !strings.Contains(errs, "no run was under way") {
		t.Errorf("it prints %q", errs)
	}
}

// A search whose process somebody stops from outside does not wait for ever.
func TestStoppedFromOutside(t *testing.T) {
	t.Parallel()
	if errs := outside(t, syscall.SIGSTOP); !strings.Contains(errs, "it was stopped, as by SIGSTOP") {
		t.Errorf("it prints %q", errs)
	}
}

// childOf returns the process in which a command takes its runs, or 0 if it has not begun.
func childOf(pid int) int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, one := range strings.Fields(string(text)) {
			if environ, _ := os.ReadFile("/proc/" + one + "/environ"); bytes.Contains(environ, []byte(asChild+"="+roleRun)) {
				n, _ := strconv.Atoi(one)
				return n
			}
		}
	}
	return 0
}
