package macetest

import (
	"context"
	crypto "crypto/rand"
	"fmt"
	"hash/maphash"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/program"
)

// A trap is a small world in which the overlay must handle something with care.
type trap struct {
	name string
	body func(t *testing.T, w *World)
	says []string // texts that the report must contain
}

// trapArgs has the flags with which some traps are run, by their names.
var trapArgs = map[string]string{
	"each host has its clocks":       "-macetest.walk=weighted",
	"all that deviate once or twice": "-macetest.deviate=2 -macetest.scale=2",
	"all that deviate once":          "-macetest.deviate=1",
	"worlds follow a prefix":         "-macetest.prefix=testdata/prefix.tape",
}

var count int // the worlds of this process

var traps = []trap{
	{"package variables live on", func(t *testing.T, w *World) {
		if count++; count > 3 {
			t.Error("too many")
		}
	}, []string{"replay is not exact, and nothing is kept", "package variables"}},

	{"system calls keep their order", func(t *testing.T, w *World) {
		var order string
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				fmt.Fprintln(os.Stderr, "goroutine", i, "logs a line")
				order += fmt.Sprint(i)
			})
		}
		all.Wait()
		if order[0] != '0' {
			t.Error(order)
		}
	}, []string{"replay: exact"}},

	{"garbage waits for the end of the world", func(t *testing.T, w *World) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pool := sync.Pool{New: func() any { t.Error("the pool was emptied"); return new(int) }}
		pool.Put(new(int))
		over, ran := false, false
		runtime.SetFinalizer(new([8]int), func(*[8]int) { ran = ran || !over })
		for range 20 {
			waste = make([]byte, 1<<20)
			time.Sleep(time.Millisecond)
		}
		pool.Get()
		over = true
		if runtime.ReadMemStats(&after); after.NumGC != before.NumGC || ran {
			t.Error("garbage was collected")
		}
	}, []string{"worlds pass"}},

	{"crypto/rand and maphash are drawn", func(t *testing.T, w *World) {
		t.Fatal(crypto.Text(), maphash.String(maphash.MakeSeed(), "x"))
	}, []string{"replay: exact"}},

	{"pointers are keys of maps", func(t *testing.T, w *World) {
		set := map[*int]int{}
		for i := range 50 {
			set[new(int)] = i
		}
		for _, i := range set {
			t.Fatal(i)
		}
	}, []string{"replay"}},

	{"a mutex is held over a sleep", func(t *testing.T, w *World) {
		var mu sync.Mutex
		go func() { mu.Lock(); time.Sleep(time.Second); mu.Unlock() }()
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if d := time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); d != time.Second {
			t.Errorf("locked after %v", d)
		}
	}, []string{"worlds pass"}},

	{"two mutexes deadlock", func(t *testing.T, w *World) {
		var a, b sync.Mutex
		var all sync.WaitGroup
		both := func(first, then *sync.Mutex) {
			first.Lock()
			defer first.Unlock()
			then.Lock()
			defer then.Unlock()
		}
		all.Go(func() { both(&a, &b) })
		all.Go(func() { both(&b, &a) })
		all.Wait()
	}, []string{"deadlock", "sync.Mutex.Lock", "careful_test.go:", "replay: exact"}},

	{"the real network is refused", func(t *testing.T, w *World) {
		net.Dial("tcp", "127.0.0.1:9")
	}, []string{"macemc: the real network is dialled in a world: use Host.Dial", "careful_test.go:"}},

	{"processes are refused", func(t *testing.T, w *World) {
		exec.Command("true").Run()
	}, []string{"macemc: a process is started in a world", "careful_test.go:"}},

	{"C is refused", func(t *testing.T, w *World) {
		if _, err := exec.LookPath("gcc"); err != nil {
			t.Skip("there is no C compiler, so package os/user has no C")
		}
		user.LookupId("4711")
	}, []string{"macemc: C is called in a world", "careful_test.go:"}},

	{"two processes differ", func(t *testing.T, w *World) {
		name := os.Getenv("MACETEST_TRAP_FILE") // a real file, which no tape has
		text, _ := os.ReadFile(name)
		os.WriteFile(name, append(text, 'x'), 0o644)
		c, d := make(chan int, 1), make(chan int, 1)
		var all sync.WaitGroup
		all.Go(func() {
			for range len(text) {
				c, d = make(chan int, 1), make(chan int, 1)
				select {
				case c <- 1:
				case d <- 1:
				}
			}
		})
		all.Wait()
		t.Error("it fails")
	}, []string{"replay is not exact, and nothing is kept", "is the first that differs", "once:  step", "again: step",
		"goroutine 1 (sync.(*WaitGroup).Go.func1, started at", "in macemc/macetest.", "careful_test.go:"}},

	{"what is left after a stop has stacks", func(t *testing.T, w *World) {
		w.Start("h", func(ctx context.Context, h *program.Host) {
			go func() { select {} }()
			<-ctx.Done()
		})
		time.Sleep(time.Second)
		w.Stop("h")
	}, []string{"h has stopped, and left goroutines behind:", "select (no cases)", "careful_test.go:", "replay: exact"}},

	{"all goroutines are blocked", func(t *testing.T, w *World) {
		<-make(chan int)
	}, []string{"deadlock", "chan receive", "careful_test.go:", "replay: exact"}},

	{"a partition may last to the end", func(t *testing.T, w *World) {
		w.Start("a", func(ctx context.Context, h *program.Host) {
			l, _ := h.Listen("tcp", ":1")
			l.Accept()
			<-ctx.Done()
		})
		w.Start("b", func(ctx context.Context, h *program.Host) {
			c, err := h.Dial("tcp", "a:1")
			for err == nil {
				_, err = c.Write([]byte("x"))
				time.Sleep(time.Second)
			}
			<-ctx.Done()
		})
		time.Sleep(3 * time.Second)
		w.Partition(nil, []string{"b"})
		time.Sleep(3 * time.Second)
	}, []string{"worlds pass"}},

	{"a test that fails says so, whatever is left", func(t *testing.T, w *World) {
		go func() { select {} }()
		t.Fatal("this is wrong")
	}, []string{"world 0: failed", "this is wrong", "replay: exact"}},

	{"a select is fair in the end", func(t *testing.T, w *World) {
		done, other := make(chan int), make(chan int)
		close(done)
		close(other)
		for { // turns round until the second case is taken, as net/http does after a deadline
			select {
			case <-done:
				continue
			case <-other:
			}
			return
		}
	}, []string{"worlds pass"}},

	{"goroutines of before are refused", func(t *testing.T, w *World) {}, []string{"a goroutine was started before the body ran", "careful_test.go:"}},

	{"each host has its clocks", func(t *testing.T, w *World) {
		type reading struct{ wall, since time.Duration }
		var got []reading
		w.Start("h", func(ctx context.Context, h *program.Host) {
			began := time.Now()
			for {
				select {
				case <-time.After(time.Second):
					now := time.Now()
					got = append(got, reading{time.Duration(now.UnixNano() - 946684800e9), now.Sub(began)})
				case <-ctx.Done():
					return
				}
			}
		})
		time.Sleep(1500 * time.Millisecond)
		w.Jump("h", -time.Minute)
		time.Sleep(time.Second)
		w.Drift("h", 100_000) // its second takes 909 ms
		time.Sleep(10 * time.Second)
		w.RightClock("h")
		time.Sleep(time.Second)
		if n := len(got); n < 13 || n > 14 {
			t.Fatalf("%d ticks: %v", n, got)
		}
		for i, r := range got {
			if want := time.Duration(i+1) * time.Second; i < 11 && (r.since-want).Abs() > 200*time.Millisecond {
				t.Errorf("tick %d after %v", i, r.since)
			}
		}
		if got[0].wall.Round(time.Second) != time.Second || got[1].wall.Round(time.Second) != -58*time.Second {
			t.Errorf("the wall clock is at %v, and %v after it jumped by a minute", got[0].wall, got[1].wall)
		}
		if last := got[len(got)-1]; last.since < last.wall+900*time.Millisecond {
			t.Errorf("after 10 s at 110%% the monotonic clock is at %v, and the wall clock, set right, at %v", last.since, last.wall)
		}
	}, []string{"worlds pass"}},

	{"all that deviate once or twice", func(t *testing.T, w *World) {
		a, b := w.Choose(3), w.Choose(4)
		if a == 2 && b == 3 {
			t.Error("both")
		}
	}, []string{": failed", "2 of 3", "3 of 4", "replay: exact"}},

	{"all that deviate once", func(t *testing.T, w *World) {
		if w.Choose(3) == 2 && w.Choose(4) == 3 {
			t.Error("both")
		}
	}, []string{"worlds that deviate at most 1 times pass"}},

	{"worlds follow a prefix", func(t *testing.T, w *World) {
		a := w.Choose(1 << 30)
		time.Sleep(time.Second)
		if b := w.Choose(4); a != 41234 {
			t.Error("the prefix is not followed")
		} else if b == 3 {
			t.Error("found")
		}
	}, []string{"found", "41234 of 1073741824", "3 of 4"}},
}

var waste []byte

// TestTrap runs one trap. TestCarefulOverlay runs it in other processes.
func TestTrap(t *testing.T) {
	name := os.Getenv("MACETEST_TRAP")
	for _, trap := range traps {
		if trap.name != name {
			continue
		}
		if strings.HasPrefix(name, "goroutines of before") {
			go func() { select {} }()
		}
		Explore(t, trap.body)
		return
	}
	t.Skip("no process of another test")
}

func TestCarefulOverlay(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("the overlay compiles the standard library: with -long")
	}
	tape := filepath.FromSlash("testdata/macemc/TestTrap.tape")
	for _, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			os.Remove(tape)
			defer os.Remove(tape)
			cmd := exec.Command(os.Args[0], "-test.run=^TestTrap$", "-test.v", "-macetest.scale=0.1")
			cmd.Args = append(cmd.Args, strings.Fields(trapArgs[trap.name])...)
			cmd.Env = append(os.Environ(), "MACETEST_TRAP="+trap.name, "MACETEST_TRAP_FILE="+filepath.Join(t.TempDir(), "count"))
			out, _ := cmd.CombinedOutput() // the output says whether the test failed
			for _, says := range trap.says {
				if !strings.Contains(string(out), says) {
					t.Errorf("%q is not said:\n%s", says, out)
				}
			}
			t.Logf("%s", out)
		})
	}
}
