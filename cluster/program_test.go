//go:build unix

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"macemc/command"
	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/sim"
)

// The test's program is the command, too, if asProgram is set. If dieAt is POINT:N, its workers kill
// themselves there. If tellTo is the path of a FIFO, they write a byte into it at each point.
const (
	asProgram = "MACEMC_TEST_CLUSTER"
	dieAt     = "MACEMC_TEST_DIE"
	tellTo    = "MACEMC_TEST_POINTS"
	tied      = "MACEMC_TEST_TIED"
)

// endsWithTest ends the process and its group when the test that started it has ended, in whichever way. Only
// the test has the other end of the standard input, which is closed then.
func endsWithTest() {
	if os.Getenv(tied) == "" {
		return
	}
	_ = os.Unsetenv(tied) // not for children, whose input is another
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = syscall.Kill(0, syscall.SIGKILL)
	}()
}

func TestMain(m *testing.M) {
	endsWithTest()
	if text := os.Getenv(asServer); text != "" {
		serve(text)
		return
	}
	if os.Getenv(asProgram) != "" {
		var point string
		n, met := 0, atomic.Int32{}
		if text := os.Getenv(dieAt); text != "" {
			point, text, _ = strings.Cut(text, ":")
			_, _ = fmt.Sscan(text, &n)
		}
		var points *os.File
		if path := os.Getenv(tellTo); path != "" {
			points, _ = os.OpenFile(path, os.O_WRONLY, 0)
		}
		p := brisk
		p.stuck = time.Second
		systems := append([]*sim.System{poison, venom}, catalog.Systems()...)
		command.Program{Systems: systems, Parts: []command.Part{catalog.Bugs(), commands(p, func(at, _ string) {
			if at == "asks" { // a heartbeat is no step of a commit
				return
			}
			if points != nil {
				_, _ = points.WriteString(".")
			}
			if at == point && int(met.Add(1)) == n {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		})}}.Main()
	}
	os.Exit(m.Run())
}

// process is the program as a process, with a group of its own.
type process struct {
	*exec.Cmd
	stdout, stderr notes
	ended          chan struct{}
}

// start starts the program in a folder, with temporary files there.
func start(t testing.TB, dir, line string, env ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startProgram(t, self, dir, line, env...)
}

func startProgram(t testing.TB, self, dir, line string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(self, strings.Fields(line)...), ended: make(chan struct{})}
	p.Dir = dir
	p.Env = append(append(os.Environ(), asProgram+"=1", tied+"=1", "TMPDIR="+dir), env...)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.WaitDelay = time.Second
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := p.StdinPipe(); err != nil { // see endsWithTest
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.Wait(); close(p.ended) }()
	t.Cleanup(p.kill)
	return p
}

// signal sends a signal to the group.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.Process.Pid, s) }

func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// wait waits until the process ends by itself.
func (p *process) wait(t testing.TB) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(long.Of(4, 30))*time.Minute)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
		p.signal(syscall.SIGKILL)
		<-p.ended
		t.Fatalf("%v does not end:\n%s", p.Args[1:], p.stderr.String())
	}
	return p
}

// result waits for the end of the process, and returns the members of its output without measurements, its path
// and its exit status.
func (p *process) result(t testing.TB) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.stdout.String()), &out); err != nil {
		t.Fatalf("%v: %v\n%s", p.Args[1:], err, p.stderr.String())
	}
	for _, name := range []string{"measured", "path", "report"} {
		delete(out, name)
	}
	if paths, _ := filepath.Glob(filepath.Join(p.Dir, "macemc-findings", "*", "error.path")); len(paths) > 0 {
		text, err := os.ReadFile(paths[len(paths)-1])
		if err != nil {
			t.Fatal(err)
		}
		out["path"] = string(text)
	}
	out["status"] = p.ProcessState.ExitCode()
	return out
}

// free returns an address of the loopback interface at which nothing listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
