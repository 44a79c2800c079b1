package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"macemc/internal/catalog"
	"macemc/internal/jobs"
	"macemc/internal/known"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/sim"
)

// brisk has the waiting times of tests: short ones for workers that are silent, and long ones for answers,
// since the machine may be busy.
var brisk = pace{
	call: 2 * time.Second, retry: 20 * time.Millisecond, ack: 500 * time.Millisecond, tell: 100 * time.Millisecond, stuck: 20 * time.Second, gone: 4 * time.Minute, span: 40 * time.Millisecond,
}

// subject is a search that is taken alone and by workers.
type subject struct {
	sys  *sim.System
	opts search.Options
}

// found returns a search that finds something by a walk. clean returns one that finds nothing.
func found(t testing.TB) subject {
	e, err := known.Find(catalog.Bugs(), []string{"RT14"})
	if err != nil {
		t.Fatal(err)
	}
	p, faults, err := e[0].Configure("RT14")
	if err != nil {
		t.Fatal(err)
	}
	opts := search.Options{Params: p, Depth: 2, Walks: 1500, Workers: 1}
	opts.Faults = faults
	return subject{e[0].System, opts}
}

func clean(t testing.TB, walks int) subject {
	sys, err := known.System(catalog.Systems(), "commit")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return subject{sys, search.Options{Params: p, Depth: 2, Walks: walks, Workers: 1}}
}

// came returns the result of a search without measurements.
func came(t testing.TB, r *search.Result) (out map[string]any) {
	t.Helper()
	var text bytes.Buffer
	if err := report.ResultJSON(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "measured")
	for _, f := range r.Findings {
		text.Reset()
		if _, err := f.Path.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		out["path "+f.Verdict.String()] = text.String()
	}
	return out
}

func (s subject) alone(t testing.TB) map[string]any {
	t.Helper()
	r, err := search.Search(s.sys, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	return came(t, r)
}

// rig is a coordinator and workers in this process.
type rig struct {
	t testing.TB
	subject
	of   settings // of the coordinator; url "" means a server of its own
	job  jobs.Job
	c    *coordinator
	join string
	dir  string // of the coordinator
	all  sync.WaitGroup
	ctx  context.Context
	stop context.CancelFunc

	said notes
}

// notes is a text that grows. A test can wait for a part of it.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed when the text grows
}

func (n *notes) Write(text []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.more != nil {
		close(n.more)
		n.more = nil
	}
	return n.text.Write(text)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// hears waits until the text contains one of the parts. It returns false if over is closed before that.
func (n *notes) hears(over <-chan struct{}, parts ...string) bool {
	for {
		n.mu.Lock()
		text := n.text.String()
		if n.more == nil {
			n.more = make(chan struct{})
		}
		more := n.more
		n.mu.Unlock()
		if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) }) {
			return true
		}
		select {
		case <-more:
		case <-over:
			return false
		}
	}
}

func newRig(t testing.TB, s subject, of settings) *rig {
	t.Helper()
	g := &rig{t: t, subject: s, of: of}
	if g.of.listen == "" {
		g.of.listen = "127.0.0.1:0"
	}
	_, g.of.hasty = t.(*testing.T) // benchmarks measure what syncs cost
	if g.of.pace.ack == 0 {
		g.of.pace = brisk
	}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.dir = t.TempDir()
	g.begins()
	t.Cleanup(func() {
		g.stop()
		g.all.Wait()
		g.c.end()
	})
	return g
}

// outlives makes a worker die when it reaches a point for the nth time. Another worker continues, and compare
// compares the result.
func (g *rig) outlives(point string, nth int32, compare func(what string)) {
	g.t.Helper()
	ctx, cancel := context.WithCancel(g.ctx)
	defer cancel()
	dead := make(chan struct{})
	var met atomic.Int32
	g.workerWith(ctx, 1, func(at, _ string) {
		if at == point && met.Add(1) == nth {
			cancel()
			close(dead)
			runtime.Goexit()
		}
	})
	g.all.Go(func() {
		select {
		case <-dead:
			g.worker(1, nil)
		case <-g.ctx.Done():
		}
	})
	compare(point)
	select {
	case <-dead:
	default:
		g.t.Errorf("no worker died after %s", point)
	}
}

// begins starts a coordinator, which continues the search of an earlier one if there was one.
func (g *rig) begins() {
	g.t.Helper()
	c, err := g.of.coordinate(g.job, g.dir, g.say, g.status)
	if err != nil {
		g.t.Fatal(err)
	}
	g.c, g.join = c.Afar.(*coordinator), c.Join[1]
}

func (g *rig) say(text string) { fmt.Fprintln(&g.said, text) }

// status is the status of the search as the command has it, with names that are not plain text.
func (g *rig) status() jobs.Status {
	return jobs.Status{Line: "<b>halfway</b>", Elapsed: 3 * time.Second, Findings: []string{`safety: "<script>alert(1)</script>"`}}
}

func (g *rig) heard(part string) bool { return strings.Contains(g.said.String(), part) }

// worker starts a worker of n goroutines. Calls of at may end it, or hold it up.
func (g *rig) worker(n int, at func(point, id string)) { g.workerWith(g.ctx, n, at) }

func (g *rig) workerWith(ctx context.Context, n int, at func(point, id string)) {
	of := g.of
	of.url, of.at = g.join, at
	hands := jobs.Hands{
		N: n, Say: g.say,
		Taker: func(jobs.Job) (*search.Taker, error) { return search.NewTaker(g.sys, g.opts) },
		Remotes: func(_ jobs.Job, shards int) (func() (*search.Remote, error), error) {
			return search.NewRemotes(g.sys, g.opts, shards), nil
		},
		Lone: func(_ context.Context, l jobs.Lone, over func() bool) (came []byte, _ int, err error) {
			if l.Shards > 0 {
				remote, err := search.NewRemotes(g.sys, g.opts, l.Shards)()
				if err != nil {
					return came, -1, err
				}
				defer remote.Close()
				came, err = remote.Alone(l.Group, l.Leave, func(int) {})
				return came, -1, err
			}
			taker, err := search.NewTaker(g.sys, g.opts)
			if err == nil && l.Group != nil {
				came, err = taker.EnumerateAlone(l.Group, l.Leave, func(int) {})
				return came, -1, err
			}
			if err == nil {
				err = taker.Learn(l.Known)
			}
			if err != nil {
				return came, -1, err
			}
			span, whole, err := taker.Take(l.Span, func(int) search.Next {
				if over() {
					return search.NextStop
				}
				return search.NextTake
			})
			if err == nil && !whole {
				err = jobs.ErrUnwanted
			}
			if err != nil {
				return came, -1, err
			}
			came, err = json.Marshal(span)
			return came, -1, err
		},
	}
	g.all.Go(func() {
		if err := of.work(ctx, hands); err != nil {
			g.say("worker: " + err.Error())
		}
	})
}

// losesNothing reports spans that were acknowledged before their results were stored.
func (g *rig) losesNothing() {
	g.t.Helper()
	if g.heard("got lost") {
		g.t.Error("a span was acknowledged before its result was stored")
	}
}

// search takes the search, whose walks the workers take.
func (g *rig) search() map[string]any {
	g.t.Helper()
	opts := g.opts
	opts.Afar = g.c
	defer g.patience()()
	r, err := search.Search(g.sys, opts)
	if err != nil {
		g.t.Fatal(err)
	}
	return came(g.t, r)
}

// patience makes the process of the test panic if a search does not end. This happens before go test's own
// limit, which would not print the messages of the search.
func (g *rig) patience() (ends func() bool) {
	return time.AfterFunc(4*time.Minute, func() {
		all := make([]byte, 1<<20)
		panic(fmt.Sprintf("the search does not end:\n%s\n%s", g.said.String(), all[:runtime.Stack(all, true)]))
	}).Stop
}

// holds reports a difference between two results.
func holds(t testing.TB, what string, want, got map[string]any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: another result (-alone +cluster):\n%s", what, diff)
	}
}
