package live

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/internal/long"
)

var soak = flag.Duration("soak", 250*time.Millisecond, "TestSoak troubles the nodes of each system for this time")

// childOf is the variable that makes a process of the test binary a node. It holds the system,
// the node, the life, the book, the folder and the pace.
const childOf = "MACEMC_LIVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if text := os.Getenv(childOf); text != "" {
		if err := runChild(strings.Split(text, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func runChild(word []string) error {
	sys, err := catalog.Find(word[0])
	if err != nil {
		return err
	}
	file, err := os.Open(word[3])
	if err != nil {
		return err
	}
	book, err := ReadBook(file)
	_ = file.Close()
	if err != nil {
		return err
	}
	p, err := sys.Configure(len(book), nil, nil)
	if err != nil {
		return err
	}
	id, _ := strconv.Atoi(word[1])
	life, _ := strconv.Atoi(word[2])
	pace, _ := strconv.ParseFloat(word[5], 64)
	h, err := Start(sys, Config{
		Params: p, Book: book, Only: []int{id}, Life: life, Dir: word[4], Pace: pace,
		Record: ChildRecord, Weather: NewWeather(uint64(id), Climate{}),
	})
	if err != nil {
		return err
	}
	return Child(context.Background(), h, os.Stdin)
}

// Systems of eight processes form, survive that any of them is killed and starts again, and every
// liveness property holds again. -long kills each process, of all these systems.
func TestProcesses(t *testing.T) {
	all := []string{"randtree", "overcast", "pastry", "transport"}
	for _, name := range all[:long.Of(1, len(all))] {
		t.Run(name, func(t *testing.T) {
			const n = 8
			sys, err := catalog.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := sys.Configure(n, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			follow, err := Follow(sys, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			book, err := Loopback(n)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "book")
			if err := os.WriteFile(file, []byte(book.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			ps, err := Spawn(n, follow, func(node, life int) *exec.Cmd {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d|%d|%s|%s|%g", childOf, name, node, life, file, dir, 0.05))
				cmd.Stderr = os.Stderr
				return cmd
			}, func(i int, err error) { t.Errorf("the process of n%d has ended: %v", i, err) })
			if err != nil {
				t.Fatal(err)
			}
			lives := func(after string) {
				t.Helper()
				if !follow.Wait(patience, func(w *Watch) bool { is, _ := w.Live(); return is || len(w.Violations()) > 0 }) {
					follow.Look(func(w *Watch) {
						_, why := w.Live()
						t.Errorf("%s: not live after %d steps: %s", after, w.Steps(), strings.Join(why, "; "))
					})
				}
			}
			lives("the start")
			for i := range long.Of(2, n) {
				if err := ps.Kill(i); err != nil {
					t.Fatal(err)
				}
				follow.Wait(patience, func(w *Watch) bool { return !w.Statuses()[i].Up })
				if err := ps.Restart(i); err != nil {
					t.Fatal(err)
				}
				lives(fmt.Sprintf("n%d was killed", i))
			}
			if err := ps.Stop(); err != nil {
				t.Error(err)
			}
			follow.Close()
			follow.Look(func(w *Watch) {
				t.Logf("%d steps", w.Steps())
				for _, v := range w.Violations() {
					t.Error(v.String())
				}
			})
		})
	}
}

// Eight nodes in trouble: they are killed, parted and paused, and messages are lost, doubled,
// late and out of order. After healing every liveness property holds again, and nothing
// is left over: no goroutine, no descriptor, no memory that grows.
func TestSoak(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for _, name := range []string{"randtree", "overcast", "pastry", "transport"} {
		t.Run(name, func(t *testing.T) {
			k := run(t, system(t, name), 8, Config{Pace: 0.02, Timeout: time.Second, Weather: NewWeather(1, Climate{})})
			k.lives()
			memory := heap()
			ctx, cancel := context.WithTimeout(t.Context(), *soak)
			defer cancel()
			trouble := Trouble{
				Kill: 200 * time.Millisecond, Cut: 500 * time.Millisecond, Pause: 300 * time.Millisecond,
				Climate: Climate{Loss: 0.05, Dup: 0.05, Reorder: 0.05, Reset: 0.01, Delay: 2 * time.Millisecond},
			}
			if err := trouble.Run(ctx, k.Host, 8, 1, func(string) {}); err != nil {
				t.Error(err)
			}
			k.lives()
			k.Look(func(w *Watch) {
				t.Logf("%d steps; heap %d KiB and then %d KiB, %d goroutines, %d descriptors", w.Steps(), memory>>10, heap()>>10, runtime.NumGoroutine(), descriptors())
			})
			if now := heap(); now > 2*memory+(16<<20) {
				t.Errorf("the heap has grown from %d to %d bytes", memory, now)
			}
		})
	}
	eventually(t, "back to as many goroutines", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	if files > 0 {
		eventually(t, "back to as many descriptors", func() bool { return descriptors() <= files+3 })
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// descriptors returns the number of open files, or 0 if the operating system does not report
// it.
func descriptors() int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}
