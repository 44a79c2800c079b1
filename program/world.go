package program

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// A Program is a node made of goroutines. It returns when ctx is cancelled.
type Program func(ctx context.Context, h *Host)

// A World is the hosts of one run, with the network between them.
type World struct {
	mu      lock
	net     *network
	hosts   []*Host
	lives   uint32
	last    time.Time // the time of the latest arrival; no two arrivals have the same time
	lines   []string
	noted   int
	t       Test
	watch   func(string) // gets each line as it is logged; may be nil
	ended   time.Duration
	latency latencies
	observe func(Event)  // gets each event as it happens; may be nil
	numbers atomic.Int64 // the last number given to something that was sent
}

type latencies struct{ least, most time.Duration }

// linesMost is the largest number of lines of the log that are kept.
const linesMost = 5000

// A Test is the part of testing.T that a world uses: Error for failures of the programs,
// and Skip if the world cannot do what the body wants.
type Test interface {
	Error(...any)
	Skip(...any)
}

// New returns a world without hosts. It belongs to the testing/synctest bubble in which the caller
// runs.
func New(t Test) *World {
	w := &World{t: t, latency: latencies{time.Millisecond, 8 * time.Millisecond}}
	w.net = &network{world: w}
	w.net.listeners.mu, w.net.packets.mu = &w.net.mu, &w.net.mu
	return w
}

// lock is a mutex. In a program that was built with macemc's overlay, no goroutine ever waits for
// it, since there the scheduler never pauses a goroutine that holds one.
type lock struct{ taken atomic.Bool }

func (l *lock) Lock() {
	bubble.Hush()
	for !l.taken.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (l *lock) Unlock() {
	l.taken.Store(false)
	bubble.Unhush()
}

// Choose returns a number below n, chosen by the search. Answer 0 should be the undisturbed
// case: a failing run is made smaller by replacing answers by 0.
func (w *World) Choose(n int) int { return bubble.Choose(n) }

// Latency sets how long segments and datagrams are under way. By default it is between 1
// and 8 milliseconds.
func (w *World) Latency(least, most time.Duration) { w.latency = latencies{least, max(least, most)} }

// Logf adds a line to the log. The report of a failing run shows the log with times.
func (w *World) Logf(format string, args ...any) { w.note(fmt.Sprintf(format, args...)) }

func (w *World) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noted++
	if len(w.lines) == linesMost {
		w.lines = slices.Delete(w.lines, 0, linesMost/2)
	}
	line = fmt.Sprintf("%12s  %s", time.Since(epoch), line)
	w.lines = append(w.lines, line)
	if w.watch != nil {
		w.watch(line)
	}
}

// Watch calls f with each line as it is logged.
func (w *World) Watch(f func(line string)) { w.watch = f }

// Ended returns the time of the world at its end.
func (w *World) Ended() time.Duration { return w.ended }

// epoch is the time at which every bubble begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Lines returns the last lines of the log. dropped is the number of lines before them,
// which were not kept.
func (w *World) Lines() (lines []string, dropped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lines), w.noted - len(w.lines)
}

// Host returns the host with this name, and creates it if necessary. It need not be
// running.
func (w *World) Host(name string) *Host {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.hosts {
		if h.name == name {
			return h
		}
	}
	h := &Host{world: w, name: name, disk: Disk{world: w, host: name}}
	w.hosts = append(w.hosts, h)
	return h
}

// Names returns the names of the hosts, in the order in which they were first used.
func (w *World) Names() (names []string) {
	for _, h := range w.hosts {
		names = append(names, h.name)
	}
	return names
}

// Start begins a life of a host that is not running. It does not wait for the program.
func (w *World) Start(name string, p Program) *Host {
	h := w.Host(name)
	if h.Running() {
		panic(fmt.Sprintf("host %s is running; crash or stop it before it starts again", name))
	}
	if w.lives++; w.lives > livesMost {
		panic(fmt.Sprintf("a world has at most %d lives", livesMost))
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.begin(&life{number: w.lives, cancel: cancel, returned: make(chan struct{}), program: p, mail: sync.OnceValue(func() chan Mail { return make(chan Mail, mailMost) })})
	w.note(fmt.Sprintf("%s starts", name))
	w.happened(Event{Kind: happens.Start, Host: name})
	h.winds()
	h.life.run(ctx, h)
	return h
}

// Restart begins a new life with the program of the last one.
func (w *World) Restart(name string) *Host { return w.Start(name, w.Host(name).life.program) }

// livesMost is the number of lives that the runtime can distinguish.
const livesMost = 255

// Crash ends the life of a host like a power failure. A part of the unsynced data is lost,
// and peers find their connections reset.
func (w *World) Crash(name string) {
	h := w.Host(name)
	if !h.Running() {
		return
	}
	if err := bubble.Exact(); err != nil {
		w.t.Skip(fmt.Sprintf("host %s cannot crash: %v; only the overlay keeps its goroutines from running", name, err))
	}
	w.Wait()
	w.note(fmt.Sprintf("%s crashes", name))
	w.happened(Event{Kind: happens.Crash, Host: name})
	bubble.Kill(h.life.number)
	h.life.end()
	w.net.drop(h)
	h.disk.crash()
}

// Stop cancels the context of a host and waits until its program has returned. If
// goroutines of the life are still running then, the run fails with their stacks.
func (w *World) Stop(name string) {
	h := w.Host(name)
	if !h.Running() {
		return
	}
	w.note(fmt.Sprintf("%s stops", name))
	w.happened(Event{Kind: happens.Stop, Host: name})
	h.life.cancel()
	select {
	case <-h.life.returned:
	case <-time.After(time.Minute):
		w.t.Error(fmt.Sprintf("%s does not return, a minute after its context was cancelled%s", name, h.left()))
	}
	for range 100 { // a goroutine that merely pauses is not left behind
		if !h.lasts() {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.life.end()
	w.net.drop(h)
	if left := h.left(); left != "" {
		bubble.Kill(h.life.number) // they are a failure now, and not once more at the end
		w.t.Error(fmt.Sprintf("%s has stopped, and left goroutines behind:%s", name, left))
	}
}

// End ends the remaining lives, without a failure. It is the last call.
func (w *World) End() {
	w.ended = time.Since(epoch)
	if len(w.hosts) == 0 {
		return
	}
	w.net.heal()            // otherwise segments under way would wait for the end of the partition
	time.Sleep(time.Second) // a goroutine that merely pauses is not left behind
	for _, h := range w.hosts {
		if h.Running() {
			if bubble.Exact() == nil {
				bubble.Kill(h.life.number)
			} else { // without the overlay it has to end by itself
				h.life.cancel()
				time.Sleep(time.Minute)
			}
			h.life.end()
			w.net.drop(h)
		}
	}
}
