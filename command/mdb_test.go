//go:build unix

package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pane is a real terminal, of tmux.
type pane struct {
	t      *testing.T
	socket string
}

func newTmux(t *testing.T, width, height int) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux")
	}
	x := &pane{t, filepath.Join(t.TempDir(), "tmux")}
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "sh")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() })
	return x
}

func (x *pane) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (x *pane) press(keys ...string) {
	x.t.Helper()
	x.tmux(append([]string{"send-keys", "--"}, keys...)...)
}

// sees waits until the screen shows a text, and returns the screen.
func (x *pane) sees(text string) string {
	x.t.Helper()
	screen := ""
	for began := time.Now(); time.Since(began) < time.Minute; {
		if screen = x.tmux("capture-pane", "-p"); strings.Contains(screen, text) {
			return screen
		}
	}
	x.t.Fatalf("the screen does not show %q, but\n%s", text, screen)
	return ""
}

// The debugger in a real terminal: keys in, the screen out, another size, and
// the terminal as it was when it ends, by q and by a signal.
func TestMdbScreen(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	execute(words("search handshake --bug HS1 --quiet")...)
	x := newTmux(t, 80, 24)
	run := fmt.Sprintf("env %s=1 %s mdb macemc-findings/handshake-HS1-1; echo status $?", asCommand, self)
	alternate := func() string { return strings.TrimSpace(x.tmux("display-message", "-p", "#{alternate_on}")) }

	x.press(run, "Enter")
	x.sees("verdict    dead")
	if alternate() != "1" {
		t.Error("the screen is not one of its own")
	}
	x.press("c")
	x.sees("step 4 of 4, the critical step")
	x.press(":", "prev; alternatives", "Enter")
	x.sees("n1 duplicate confirm{} from n0")
	x.press(":", "take 0", "Enter", "Tab", "2")
	x.sees("error.path / b1  step 4 of 4")
	x.press(":", "diff trunk", "Enter")
	x.sees(`~ n1.state: "connected" | "answering"`)
	x.tmux("resize-window", "-x", "120", "-y", "30")
	x.sees("step   0 1" + strings.Repeat(" ", 39) + "step") // two columns
	x.press("?")
	x.sees("ten steps back")
	x.press("q", "q")
	x.sees("status 0")
	if alternate() != "0" {
		t.Error("the terminal was not given back")
	}

	x.press("clear", "Enter", run, "Enter")
	x.sees("verdict    dead")
	x.tmux("run-shell", "kill -TERM $(pgrep -P #{pane_pid})")
	x.sees("ended by a signal: terminated")
	x.sees("status 2")
	if alternate() != "0" {
		t.Error("the terminal was not given back after a signal")
	}
}

// Without a terminal there is one line that says what to do.
func TestMdbWithoutTerminal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range []string{"xterm", "", "nonsense"} {
		cmd := exec.Command(self, "mdb", "handshake")
		cmd.Env = append(os.Environ(), asCommand+"=1", "TERM="+term)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		text := errs.String()
		if cmd.ProcessState.ExitCode() != exitInput || out.Len() > 0 || strings.Count(text, "\n") != 1 ||
			!strings.HasPrefix(text, "macemc: mdb needs a terminal") {
			t.Errorf("TERM=%s: status %d, %q, %q", term, cmd.ProcessState.ExitCode(), out.String(), text)
		}
	}
}

// The commands that mdb repeats in its output cannot control the terminal.
func TestEchoIsEscaped(t *testing.T) {
	said := invoke("mdb", "handshake", "-x", "show \x1b[2J\u202ex")
	if strings.ContainsAny(said, "\x1b\u202e") || !strings.Contains(said, "show ") {
		t.Errorf("%q", said)
	}
}
