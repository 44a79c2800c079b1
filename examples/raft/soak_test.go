package raft

import (
	"context"
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"macemc/live"
)

var soak = flag.Duration("soak", 0, "TestSoak troubles the servers for this time (default: it is skipped)")

// Eight servers, whose logs are files, run live. They are killed, parted and paused, with bad links, and
// recover, and they leave nothing behind: no goroutine, no descriptor. Package live has the same test for
// systems of the catalogue.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("-soak says for how long")
	}
	goroutines, files := runtime.NumGoroutine(), descriptors()
	const n = 8
	p, err := System.Configure(n, []string{"storage=files", "compact=20"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	follow, err := live.Follow(System, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := live.Start(System, live.Config{
		Params: p, Record: follow.Record, Dir: t.TempDir(), Pace: 0.2, Weather: live.NewWeather(1, live.Climate{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	lives := func() {
		t.Helper()
		if !follow.Wait(time.Minute, func(w *live.Watch) bool { is, _ := w.Live(); return is || len(w.Violations()) > 0 }) {
			follow.Look(func(w *live.Watch) {
				_, why := w.Live()
				t.Errorf("not live after %d steps: %s", w.Steps(), strings.Join(why, "; "))
			})
		}
	}
	lives()
	memory := heap()
	ctx, cancel := context.WithTimeout(t.Context(), *soak)
	defer cancel()
	trouble := live.Trouble{
		Kill: 2 * time.Second, Cut: 5 * time.Second, Pause: 3 * time.Second,
		Climate: live.Climate{Loss: 0.05, Dup: 0.05, Reorder: 0.05, Delay: 2 * time.Millisecond},
	}
	if err := trouble.Run(ctx, h, n, 1, func(string) {}); err != nil {
		t.Error(err)
	}
	lives()
	t.Logf("heap %d KiB and then %d KiB, %d goroutines, %d descriptors", memory>>10, heap()>>10, runtime.NumGoroutine(), descriptors())
	if now := heap(); now > 2*memory+(16<<20) {
		t.Errorf("the heap has grown from %d to %d bytes", memory, now)
	}
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
	follow.Close()
	if err := follow.Err(); err != nil {
		t.Error(err)
	}
	follow.Look(func(w *live.Watch) {
		t.Logf("%d steps", w.Steps())
		for _, v := range w.Violations() {
			t.Error(v.String())
		}
	})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= goroutines+2 && descriptors() <= files+3 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines and %d descriptors are left, of %d and %d before", runtime.NumGoroutine(), descriptors(), goroutines, files)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// descriptors returns the number of open files, or 0 if the operating system does not report it.
func descriptors() int {
	all, _ := os.ReadDir("/proc/self/fd")
	return len(all)
}
