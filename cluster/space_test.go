package cluster

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/report"
	"macemc/internal/search"
)

// visitPoints are the steps of a commit of visited states between which a worker may die.
var visitPoints = []string{"read", "expanded", "passed", "recorded"}

// whole returns a search that visits all states of a system to a depth, without walks.
func whole(t testing.TB, name string, nodes int, params, bugs []string, depth int) subject {
	sys, err := known.System(catalog.Systems(), name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Configure(nodes, params, bugs)
	if err != nil {
		t.Fatal(err)
	}
	return subject{sys, search.Options{Params: p, Depth: depth, NoWalks: true, Workers: 1, Reduce: search.ReduceNone}}
}

// small returns a search of a space of some levels.
func small(t testing.TB) subject {
	return whole(t, "peterson", 0, []string{"n=3"}, nil, long.Of(11, 200))
}

// covered has the parts of the result of an exhaustive phase that must not depend on who visits the states.
type covered struct {
	Safety                                 search.Safety
	Stop                                   search.Stop
	States, Transitions, Duplicates, Depth int
}

func coveredBy(r *search.Result) covered {
	return covered{r.Safety, r.Stop, r.Stats.States, r.Stats.Transitions, r.Stats.Duplicates, r.Stats.Depth}
}

// visits takes the search, whose states are in shards.
func (g *rig) visits() *search.Result {
	g.t.Helper()
	opts := g.opts
	opts.Afar = g.c
	defer g.patience()()
	r, err := search.Search(g.sys, opts)
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// visited compares a search in shards with one in this process.
func (g *rig) visited(what string) *search.Result {
	g.t.Helper()
	want, err := search.Search(g.sys, g.opts)
	if err != nil {
		g.t.Fatal(err)
	}
	got := g.visits()
	if want, got := coveredBy(want), coveredBy(got); want != got {
		g.t.Errorf("%s: another result:\n alone   %+v\n cluster %+v\n%s", what, want, got, g.said.String())
	}
	return got
}

// The counts of a search in shards are those of one process: with one node and with several, with faults
// and coins, to a depth and to the end.
func TestShardsComeToTheSame(t *testing.T) {
	t.Parallel()
	for _, s := range []subject{
		whole(t, "peterson", 0, []string{"n=3"}, nil, 200),
		whole(t, "randtree", 3, nil, nil, 6),
		whole(t, "simtcp", 2, nil, nil, 6),
		whole(t, "paxos", 0, nil, nil, 9),
		whole(t, "twophase", 0, nil, nil, 200),
		whole(t, "peterson", 0, []string{"n=4"}, nil, 200),
	}[:long.Of(3, 6)] {
		g := newRig(t, s, settings{shards: 3})
		g.worker(2, nil)
		r := g.visited(s.sys.Name)
		t.Logf("%s: %+v", s.sys.Name, coveredBy(r))
	}
}

// Liveness is not decided in shards: a search that is exhaustive alone says that walks have sampled it, and
// that nothing was tried if there are no walks.
func TestShardsSampleLiveness(t *testing.T) {
	t.Parallel()
	s := whole(t, "peterson", 0, []string{"n=2"}, nil, 200)
	for noWalks, want := range map[bool]search.State{false: search.StateSampled, true: search.StateNone} {
		s.opts.NoWalks, s.opts.Walks = noWalks, 100
		alone, err := search.Search(s.sys, s.opts)
		if err != nil {
			t.Fatal(err)
		}
		g := newRig(t, s, settings{shards: 2})
		g.worker(1, nil)
		got := g.visits()
		if alone.Liveness.State != search.StateExhausted || got.Liveness.State != want || got.Safety.State != search.StateExhausted {
			t.Errorf("without walks: %v: liveness %s, safety %s, want %s; alone %s", noWalks, got.Liveness.State, got.Safety.State, want, alone.Liveness.State)
		}
		var text strings.Builder
		if err := report.Result(&text, got); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "liveness    "+string(want)) {
			t.Errorf("the report does not say %s:\n%s", want, text.String())
		}
		g.stop()
	}
}

// A failure is found as near to the start as one process finds it, and its run leads to it again.
func TestShardsFind(t *testing.T) {
	t.Parallel()
	for _, bug := range []struct{ system, id string }{{"peterson", "PE2"}, {"commit", "CM1"}, {"brokentree", "BT1"}} {
		s := whole(t, bug.system, 0, nil, []string{bug.id}, 12)
		want, err := search.Search(s.sys, s.opts)
		if err != nil {
			t.Fatal(err)
		}
		g := newRig(t, s, settings{shards: 3})
		g.worker(2, nil)
		got := g.visits()
		if want.Finding == nil || got.Finding == nil {
			t.Errorf("%s: found %v, alone %v", bug.id, got.Finding, want.Finding)
			continue
		}
		if w, g := want.Finding, got.Finding; w.Verdict != g.Verdict || w.Property != g.Property || w.Step != g.Step {
			t.Errorf("%s: %s of %q at step %d; alone %s of %q at step %d", bug.id, g.Verdict, g.Property, g.Step, w.Verdict, w.Property, w.Step)
		}
		t.Logf("%s: %s of %q at step %d; %+v", bug.id, got.Finding.Verdict, got.Finding.Property, got.Finding.Step, coveredBy(got))
	}
}

// A worker that dies between two steps of a commit costs nothing but time.
func TestVisitorDiesBetweenSteps(t *testing.T) {
	t.Parallel()
	for _, point := range visitPoints {
		g := newRig(t, small(t), settings{shards: 2})
		g.outlives(point, 9, func(what string) { g.visited(what) })
	}
}

// A goroutine of a worker stops before it stores states, its shard gets another goroutine of the same worker as
// owner, and then both die. The other goroutine has left out states that the first one was to store, so it must
// not have recorded its own group as visited.
func TestVisitorReliesOnAnother(t *testing.T) {
	t.Parallel()
	of := settings{shards: 1, pace: brisk}
	of.pace.stuck = 300 * time.Millisecond
	g := newRig(t, small(t), of)
	ctx, cancel := context.WithCancel(g.ctx)
	defer cancel()
	held, dies := make(chan struct{}), make(chan struct{})
	var first, last sync.Once
	over := func() { last.Do(func() { close(dies) }) }
	g.workerWith(ctx, 2, func(at, id string) {
		switch at + " " + id {
		case "expanded shard.0.7":
			is := false
			if first.Do(func() { is = true }); is {
				close(held)
				select {
				case <-dies:
				case <-g.ctx.Done():
				}
				runtime.Goexit()
			}
		case "recorded shard.0.7":
			over()
			runtime.Goexit()
		}
	})
	g.all.Go(func() {
		select {
		case <-held:
		case <-g.ctx.Done():
			return
		}
		if g.said.hears(dies, "states are visited again") {
			over()
		}
		cancel()
		g.worker(1, nil)
	})
	g.visited("a worker of two goroutines")
	select {
	case <-held:
	default:
		t.Error("no goroutine was held up")
	}
}

// A worker that stops beyond its lease and then continues appends nothing.
func TestZombieVisitorChangesNothing(t *testing.T) {
	t.Parallel()
	for _, point := range visitPoints[:3] {
		g := newRig(t, small(t), settings{shards: 2})
		held, back := make(chan string), make(chan struct{})
		var met atomic.Int32
		var stopped atomic.Bool
		g.worker(1, func(at, id string) {
			if at == "asks" && stopped.Load() {
				<-back
			}
			if at == point && met.Add(1) == 9 {
				stopped.Store(true)
				select {
				case held <- id:
				case <-g.ctx.Done():
				}
				<-back
			}
		})
		g.all.Go(func() {
			var once sync.Once
			comes := func() { close(back) }
			defer once.Do(comes)
			select {
			case id := <-held:
				g.worker(1, func(at, of string) {
					if at == "recorded" && of == id {
						once.Do(comes)
					}
				})
				<-g.ctx.Done()
			case <-g.ctx.Done():
			}
		})
		g.visited(point)
		if !stopped.Load() {
			t.Errorf("no worker was held up after %s", point)
		}
	}
}

// Workers that come and go all the time change nothing.
func TestSpareVisitorsComeAndGo(t *testing.T) {
	t.Parallel()
	g := newRig(t, small(t), settings{shards: 4})
	g.worker(1, nil)
	g.all.Go(func() {
		for n := 0; n < long.Of(4, 40) && g.ctx.Err() == nil; n++ {
			ctx, cancel := context.WithCancel(g.ctx)
			gone := make(chan struct{})
			var met atomic.Int32
			g.workerWith(ctx, 1, func(at, _ string) {
				if at == "recorded" && met.Add(1) == 3 {
					cancel()
					close(gone)
				}
			})
			select {
			case <-gone:
			case <-g.ctx.Done():
			}
			cancel()
		}
	})
	g.visited("spares")
}

// The coordinator looks at the ends of two shards one after another. Meanwhile states reach the first one,
// after it was looked at, and before the second one has read everything. The coordinator must not take the
// level for the last.
func TestLevelEndsAtOneInstant(t *testing.T) {
	t.Parallel()
	s := whole(t, "peterson", 0, []string{"n=2"}, nil, 200)
	want, err := search.Search(s.sys, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	holding, due := make(chan struct{}), make(chan struct{}) // a worker is held up before it passes states on, and may go on
	recorded := make(chan struct{})
	var armed atomic.Bool
	armed.Store(true)
	g := newRig(t, s, settings{shards: 2, at: func(point, shard string) {
		if point != "looked" || shard != "0" {
			return
		}
		select {
		case <-holding: // shard 0 has read everything, if the level has states of shard 1 only
			due <- struct{}{}
			<-recorded
		default:
		}
	}})
	g.worker(1, func(at, id string) {
		if !armed.Load() || len(id) < 8 || id[:8] != "shard.1." {
			return
		}
		switch at {
		case "expanded":
			select {
			case holding <- struct{}{}:
				<-due
			case <-g.ctx.Done():
			}
		case "recorded":
			select {
			case recorded <- struct{}{}:
			case <-g.ctx.Done():
			}
		}
	})
	got := g.visits()
	if want, got := coveredBy(want), coveredBy(got); want != got {
		t.Errorf("another result:\n alone   %+v\n cluster %+v", want, got)
	}
	if g.c.survey.refused == 0 {
		t.Error("no mark was refused: nothing reached a shard between the passes")
	}
	t.Logf("%d marks were refused", g.c.survey.refused)
}
