package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"syscall"

	"golang.org/x/term"
)

// kept is the environment variable that Keep sets for the process that it starts. It means that
// Keep restores the terminal after that process, so the process starts no further one.
const kept = "MACEMC_TERMINAL_KEPT"

// Ended describes how the process of a screen ended.
type Ended struct {
	Status int
	Abrupt string // what ended it before it restored the terminal, or "" if nothing did
	Said   string // its output on standard error
}

// Keep runs the same command line once more, in a process of its own, and restores the terminal
// afterwards. The handlers that a session runs are a user's: one may end its process, overflow the
// stack, or panic on another goroutine, and then no code of that process can restore the terminal.
// Keep can, since it knows the terminal's earlier state. ok is false if Keep did nothing, because
// this is that other process, or there is no terminal, or no process could be started; then the
// caller must run the screen.
func Keep(args []string) (e Ended, ok bool) {
	self, err := os.Executable()
	if err != nil || os.Getenv(kept) != "" {
		return Ended{}, false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // as tcell does
	if err != nil {
		return Ended{}, false
	}
	defer tty.Close()
	fd := int(tty.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return Ended{}, false
	}
	said := &head{}
	screen := exec.Command(self, args...)
	screen.Env = append(os.Environ(), kept+"=1")
	screen.Stdin, screen.Stdout, screen.Stderr = os.Stdin, os.Stdout, said
	ended := passSignals(screen)
	err = screen.Run()
	ended()
	if screen.ProcessState == nil {
		return Ended{}, false
	}
	e = Ended{Status: screen.ProcessState.ExitCode(), Said: said.String()}
	if after, failed := term.GetState(fd); failed == nil && !reflect.DeepEqual(before, after) {
		e.Abrupt = "exit status 0"
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			e.Abrupt = exit.Error()
		}
		_ = term.Restore(fd, before)
		_, _ = io.WriteString(tty, asBefore)
	}
	return e, true
}

// asBefore turns off what tcell turns on: drawing in batches, the mouse, marks around pasted text,
// the keypad's application mode, and the alternate screen. It shows the cursor, and makes long
// lines wrap.
const asBefore = "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[?7h\x1b[?9001l\x1b[<u\x1b[>4;0m" +
	"\x1b[0m\x1b[?25h\x1b[23;2t\x1b[?1049l\x1b[23;0;0t"

// passSignals passes the signals of this process to the screen's process, until ended is called.
// Signals from the keyboard are not passed, since the terminal sends them to both.
func passSignals(screen *exec.Cmd) (ended func()) {
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
	go func() {
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt && screen.Process != nil {
					_ = screen.Process.Signal(s)
				}
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
	}
}

// headMost is the number of bytes that are kept of a dead process's output: a stack overflow has
// its message at the beginning.
const headMost = 8 << 10

// head keeps the beginning of what is written to it.
type head struct {
	text []byte
	more int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), headMost-len(h.text))
	h.text, h.more = append(h.text, p[:n]...), h.more+len(p)-n
	return len(p), nil
}

func (h *head) String() string {
	if h.more == 0 {
		return string(h.text)
	}
	return fmt.Sprintf("%s\n... (%d more bytes)\n", h.text, h.more)
}
