package command

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"macemc/sim"
)

// asRude makes the test's program a command whose one system ends its process.
const asRude = "MACEMC_TEST_AS_RUDE"

func init() {
	beRude = func() {
		stoppedMost = 20
		if how := os.Getenv(asRude); how != "" {
			Main(rudes(how))
		}
	}
}

// rude is a node whose task ends the process in some way.
type rude struct{ how string }

type end struct{}

func (*rude) Init(env sim.Env)                       { env.Post(end{}) }
func (*rude) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (r *rude) Handle(sim.Env, sim.Signal) {
	switch r.how {
	case "exit":
		os.Exit(0)
	case "panic":
		go func() { panic("on a goroutine of its own") }()
		select {}
	case "log":
		log.Fatal("the disk is full")
	case "memory":
		for {
			hoard = append(hoard, bytes.Repeat([]byte{1}, 32<<20))
		}
	case "sleep":
		_ = os.WriteFile("asleep", nil, 0o666)
		never, open, _ := os.Pipe()
		_, _ = never.Read(make([]byte, 1))
		open.Close() // not before
	case "print":
		fmt.Println("this goes nowhere")
	case "print and panic":
		fmt.Println("this goes nowhere")
		panic("and it panics")
	case "stop":
		runtime.LockOSThread()
		_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP) // to this thread: it does not go on before it stops
	case "scribble": // into every descriptor that a program may be started with
		forged := `{"Found":["forged"],"Alone":"forged","Killed":{"Path":"forged","Message":"forged"},"Reason":"forged"}` + "\n"
		for fd := 3; fd < 20; fd++ {
			_, _ = syscall.Write(fd, []byte(forged))
		}
		os.Exit(7)
	case "overflow":
		debug.SetMaxStack(1 << 20) // that of a test: the usual one takes seconds to fill
		depth = overflow(0)
	}
}

//go:noinline
func overflow(n int) int {
	if n < 0 {
		return n // never: the stack ends first
	}
	return overflow(n+1) + 1
}

var hoard [][]byte

var depth int // so that what overflow returns is used

func rudes(how string) *sim.System {
	return &sim.System{
		Name: "rude", Doc: "A node that ends the process.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &rude{how} },
		Properties: []sim.Property{sim.Always("all is well", func(sim.View[*rude]) bool { return true })},
	}
}

// mdb restores the terminal, whatever a handler does to its process.
func TestTerminalIsGivenBack(t *testing.T) {
	for how, want := range map[string]string{
		"exit":     "exit status 0",
		"panic":    "panic: on a goroutine of its own",
		"overflow": "stack overflow",
		"quit":     "",
	} {
		t.Run(how, func(t *testing.T) {
			master, slave := terminalPair(t)
			before, err := term.GetState(int(slave.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			mdb := exec.Command(self, "mdb", "rude")
			mdb.Env = append(os.Environ(), asRude+"="+how, "TERM=xterm")
			mdb.Stdin, mdb.Stdout, mdb.Stderr = slave, slave, slave
			mdb.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := mdb.Start(); err != nil {
				t.Fatal(err)
			}
			read := make(chan string)
			go func() { read <- play(master) }()
			err = mdb.Wait()
			after, failed := term.GetState(int(slave.Fd()))
			if failed != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal is not as before: %v", failed)
			}
			slave.Close()
			text := <-read
			_, last, _ := strings.Cut(text, "\x1b[?1049l")
			if !strings.Contains(last, want) || strings.Contains(last, "macemc: a handler ended the process of mdb (") != (want != "") || (err != nil) != (want != "") {
				t.Errorf("%v, and after the screen it said %q", err, last)
			}
		})
	}
}

// play waits until the debugger draws, types a line that takes the first step, and quits. It returns everything
// that was shown.
func play(master *os.File) string {
	var all strings.Builder
	typed := false
	b := make([]byte, 4096)
	for {
		n, err := master.Read(b)
		all.Write(b[:n])
		if !typed && strings.Contains(all.String(), "\x1b[?2026h") { // something is drawn: keys are heard
			typed = true
			_, _ = master.WriteString(":take 0\r:quit\r")
		}
		if err != nil { // the last one closed the other side
			return all.String()
		}
	}
}

// terminalPair returns the two sides of a new terminal: the one that shows it to a person, and the one for
// programs.
func terminalPair(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	var unlock, number uint32
	for _, c := range []struct {
		request uintptr
		value   *uint32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &number}} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), c.request, uintptr(unsafe.Pointer(c.value))); failed != 0 {
			t.Fatal(failed)
		}
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	size := [4]uint16{24, 80}
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, slave.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	return master, slave
}
