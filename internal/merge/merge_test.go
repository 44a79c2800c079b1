package merge

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/internal/codec"
	"macemc/internal/codecs"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/live"
	"macemc/sim"
)

// tapes keep the records of a run.
type tapes struct {
	mu  sync.Mutex
	all []*tape
}

type tape struct{ bytes.Buffer }

func (t *tape) Close() error { return nil }

func (t *tapes) keep(int, int) (io.WriteCloser, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := new(tape)
	t.all = append(t.all, one)
	return one, nil
}

func (t *tapes) readers() (all []io.Reader) {
	for _, one := range t.all {
		all = append(all, bytes.NewReader(one.Bytes()))
	}
	return all
}

// recorded runs live nodes of a system, causes trouble in each round, waits until the system is live again, and returns
// the records.
func recorded(t *testing.T, name string, nodes, steps int, c live.Config, trouble func(h *live.Host, follow *live.Follower)) (*sim.System, *tapes) {
	t.Helper()
	sys, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(nodes, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(tapes)
	follow, err := live.Follow(sys, p, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	c.Params, c.Record = p, follow.Record
	h, err := live.Start(sys, c)
	if err != nil {
		t.Fatal(err)
	}
	lives := func() {
		if !follow.Wait(time.Minute, func(w *live.Watch) bool { is, _ := w.Live(); return is && w.Steps() >= steps }) {
			follow.Look(func(w *live.Watch) {
				_, why := w.Live()
				t.Errorf("%s is not live after %d steps: %s", name, w.Steps(), strings.Join(why, "; "))
			})
		}
	}
	lives()
	if trouble != nil {
		trouble(h, follow)
		lives()
	}
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
	follow.Close()
	follow.Look(func(w *live.Watch) {
		for _, v := range w.Violations() {
			t.Error(v.String())
		}
	})
	return sys, kept
}

// explained reports whether simulation and reality differ in one of the ways that docs/live.md
// lists.
func explained(r *Result) bool { return strings.HasSuffix(r.Differences[len(r.Differences)-1], knot) }

// TestLiveRunsAreSimulated checks that the records of nodes on real sockets can be merged into a run of the simulator with
// equal states, and that its path can be replayed like any other.
func TestLiveRunsAreSimulated(t *testing.T) {
	for name, trouble := range map[string]func(*live.Host, *live.Follower){
		"randtree": func(h *live.Host, _ *live.Follower) {
			for i := range 3 {
				_ = h.Kill(i * 2)
				_ = h.Restart(i * 2)
			}
		},
		"overcast": func(h *live.Host, _ *live.Follower) { _ = h.Kill(1); _ = h.Restart(1) },
	} {
		t.Run(name, func(t *testing.T) {
			sys, kept := recorded(t, name, 5, 100, live.Config{Pace: 0.01}, trouble)
			r, err := Merge(sys, kept.readers())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d steps, %d faults, %d left, %q", r.Steps, r.Faults, r.Left, r.Differences)
			if r.Parted && !explained(r) || r.Failure != nil {
				t.Fatalf("parted; failure %+v", r.Failure)
			}
			again, err := search.Replay(sys, r.Path, search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !again.Reproduced {
				t.Errorf("the path comes to %+v", again.Finding)
			}
		})
	}
}

// TestLongLiveRunsAreSimulated merges the records of a run of ten thousand steps, in which nodes are killed, separated
// and paused, and the links are bad. The merged run must have equal states, or differ in a way that docs/live.md
// lists. Without -long the run is short.
func TestLongLiveRunsAreSimulated(t *testing.T) {
	all := []string{"transport", "randtree", "overcast", "pastry"}
	for _, name := range all[:long.Of(1, len(all))] {
		t.Run(name, func(t *testing.T) {
			steps := long.Of(1000, 10_000)
			c := live.Config{Pace: 0.01, Timeout: time.Second, Weather: live.NewWeather(1, live.Climate{})}
			sys, kept := recorded(t, name, 5, 1, c, func(h *live.Host, follow *live.Follower) {
				ctx, heal := context.WithTimeout(t.Context(), 5*time.Minute)
				go func() {
					defer heal()
					follow.Wait(5*time.Minute, func(w *live.Watch) bool { return w.Steps() >= steps })
				}()
				if err := (live.Trouble{
					Kill: 100 * time.Millisecond, Cut: 500 * time.Millisecond, Pause: 300 * time.Millisecond,
					Climate: live.Climate{Loss: 0.05, Dup: 0.05, Reorder: 0.05, Reset: 0.01, Delay: time.Millisecond},
				}).Run(ctx, h, 5, 1, func(string) {}); err != nil {
					t.Error(err)
				}
			})
			r, err := Merge(sys, kept.readers())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d steps with equal states, %d faults between them, %d left, %q", r.Steps, r.Faults, r.Left, r.Differences)
			if r.Parted && !explained(r) || r.Failure != nil {
				t.Errorf("parted; failure %+v", r.Failure)
			}
		})
	}
}

// wrong is a faulty codec of an adapter: now and then it returns the message before, which may have been another
// node's, in place of a message of another type.
type wrong struct {
	*codec.Codec
	mu   sync.Mutex
	last any
	n    int
}

func (w *wrong) Name() string { return "wrong" }

func (w *wrong) Decode(data []byte) (any, error) {
	v, err := w.Codec.Decode(data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n++; w.n > 20 && reflect.TypeOf(w.last) != reflect.TypeOf(v) {
		v, w.last, w.n = w.last, v, 0
		return v, nil
	}
	w.last = v
	return v, err
}

// TestWrongAdapterIsCaught checks that the merge reports a difference if the adapter of live nodes is faulty.
func TestWrongAdapterIsCaught(t *testing.T) {
	sys, err := catalog.Find("randtree")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(5, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(tapes)
	follow, err := live.Follow(sys, p, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	h, err := live.Start(sys, live.Config{Params: p, Pace: 0.01, Record: follow.Record, Codec: &wrong{Codec: codecs.Of(sys)},
		Failed: func(sim.Addr, error) {}}) // a node may well panic about it
	if err != nil {
		t.Fatal(err)
	}
	if !follow.Wait(time.Minute, func(w *live.Watch) bool { return w.Steps() > 150 }) {
		t.Error("no 150 steps")
	}
	_ = h.Stop()
	follow.Close()
	r, err := Merge(sys, kept.readers())
	if err != nil {
		t.Fatal(err)
	}
	if t.Log(r.Differences); !r.Parted {
		t.Errorf("nobody has noticed in %d steps", r.Steps)
	}
}
