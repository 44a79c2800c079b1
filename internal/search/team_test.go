package search

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/jointree"
	"macemc/systems/paxos"
	"macemc/systems/simtcp"
	"macemc/systems/storage"
	"macemc/systems/twophase"
	"macemc/trace"
)

// TestWorkersAgree: the states, transitions and coverage do not depend on the number of workers, with
// every engine, and with states kept as vectors or as fingerprints.
func TestWorkersAgree(t *testing.T) {
	for _, c := range []struct {
		sys   *sim.System
		nodes int
		depth int
	}{{jointree.System, 4, 6}, {brokentree.System, 3, 12}, {simtcp.System, 2, 8}, {twophase.System, 0, 20}} {
		for _, kept := range []Visited{VisitedVectors, VisitedFingerprint} {
			for _, engine := range []Engine{EngineMemo, EngineLocal} {
				if !*long.On && (kept == VisitedVectors) != (engine == EngineMemo) {
					continue // two of the four take the race detector to all meetings
				}
				first := ""
				for _, workers := range []int{1, 3, 5}[:long.Of(2, 3)] {
					res := search(t, c.sys, c.nodes, nil, Options{Engine: engine, Visited: kept, Depth: c.depth, NoWalks: true, once: true, Workers: workers, team: 1})
					s := res.Stats
					said := fmt.Sprint(s.States, s.Transitions, s.Executed, s.Duplicates, res.Safety, res.Liveness, len(res.Never), res.Held)
					if first == "" {
						first = said
					}
					if said != first {
						t.Errorf("%s, %s, %s, %d workers: %s; one: %s", c.sys.Name, engine, kept, workers, said, first)
					}
				}
			}
		}
	}
}

// TestWorkersLearnFromEachOther: if one member of a team has run a handler, another member looks up the
// result and does not run the handler again.
func TestWorkersLearnFromEachOther(t *testing.T) {
	for _, c := range []struct {
		sys    *sim.System
		faults sim.Faults
	}{{paxos.System, sim.Faults{}}, {storage.System, sim.Faults{Down: 1}}, {simtcp.System, sim.Faults{Crash: 1}}} {
		r, x := rooted(t, c.sys, Options{Conditions: sim.Conditions{Faults: &c.faults}, Depth: 7, Workers: 2, team: 1, once: true})
		defer x.Close()
		x.ByMemo()
		if bad, err := r.owner.Guarded(x.Taker, x.Roots); bad != nil || err != nil {
			t.Fatal(bad, err)
		}
		team, err := r.together(x, x.Level())
		if err != nil {
			t.Fatal(err)
		}
		var ran [2]int
		for level, depth := (explore.Frontier{{From: 0, To: 1}}), 0; depth < 7; depth++ {
			for i, x := range team.pool.Hands {
				x.h.counted()
				if bad, err := x.h.owner.Guarded(x.Taker, func() error { return expandSome(x.Explorer, level) }); bad != nil || err != nil {
					t.Fatal(bad, err)
				}
				ran[i] += x.h.counted().HandlerRuns
			}
			level = x.Level()
		}
		r.disband()
		if ran[0] == 0 || ran[1] > 0 {
			t.Errorf("%s: one ran %d handlers, and another one then %d of the same steps", c.sys.Name, ran[0], ran[1])
		}
	}
}

// The finding does not depend on the number of workers: it has the same depth and the same kind,
// and of several failures at that depth the same one is reported.
func TestWorkersFindTheSame(t *testing.T) {
	for _, c := range []struct {
		sys *sim.System
		bug sim.BugID
	}{{brokentree.System, brokentree.BT2}, {twophase.System, twophase.TP1}, {brokentree.System, brokentree.BT1}, {simtcp.System, simtcp.ST2}} {
		params, err := c.sys.Configure(0, nil, []string{string(c.bug)})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, workers := range []int{1, 2, 2, 4} {
			res, err := Search(c.sys, Options{Params: params, Depth: 40, NoWalks: true, once: true, Workers: workers, team: 1})
			if err != nil || res.Finding == nil {
				t.Fatal(c.bug, workers, err)
			}
			f := res.Finding
			all = append(all, fmt.Sprintf("%s %s at %d", f.Verdict, f.Property, f.Step))
			if all[0] != all[len(all)-1] {
				t.Errorf("%s, %d workers: %s; one: %s", c.bug, workers, all[len(all)-1], all[0])
			}
		}
	}
}

// lone calls does at its third request, which may panic, loop, or end the goroutine.
type lone struct {
	N    int
	does func()
}

func (k *lone) Init(sim.Env)                           {}
func (k *lone) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (k *lone) Handle(sim.Env, sim.Signal) {
	if k.N++; k.N == 3 {
		k.does()
	}
}

func third() { panic("third") }

func loneSystem(does func()) *sim.System {
	return &sim.System{
		Name: "lone", Doc: "It does as told at its third request.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		Opaque: []string{"search.lone.does"},
		New:    func(sim.Params, sim.Addr) sim.Node { return &lone{does: does} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal {
			return []sim.Signal{nudge{}, nudge{}, nudge{}, nudge{}}
		},
	}
}

// An ignored failure hides no other step of its state, and the counts do not depend on the number
// of workers.
func TestWorkersIgnoreTheSame(t *testing.T) {
	sys := loneSystem(third)
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		first := ""
		for _, workers := range []int{1, 2, 3, 5} {
			res, err := Search(sys, Options{
				Engine: engine, Depth: 20, NoWalks: true, Workers: workers, team: 1, once: true, Ignore: []Ignore{{Verdict: trace.VerdictPanic}},
			})
			if err != nil || res.Finding != nil {
				t.Fatal(engine, workers, err, res.Finding)
			}
			said := fmt.Sprint(res.Stats.Uncopied, res.Stats.States, res.Stats.Transitions, res.Stats.Duplicates, res.Safety)
			if first == "" {
				first = said
			}
			if said != first {
				t.Errorf("%s, %d workers: %s; one: %s", engine, workers, said, first)
			}
		}
	}
}

// TestWorkersFail: if a handler panics or ends its goroutine, the finding is the same with several
// workers as with one.
func TestWorkersFail(t *testing.T) {
	for _, does := range []func(){third, runtime.Goexit} {
		res, err := Search(loneSystem(does), Options{Depth: 20, Workers: 3, team: 1})
		if err != nil || res.Finding == nil || res.Finding.Verdict != trace.VerdictPanic || len(res.Finding.Path.Steps) != 3 || res.Stats.Uncopied != "" {
			t.Errorf("%v: %+v", err, res)
		}
	}
}

// TestWorkersFillALevel: workers expand a level to its end although a step of it fails. The service has
// 20 states, of at most three requests; in three of them a handler panics, and the other 17 are visited.
func TestWorkersFillALevel(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		for _, workers := range []int{2, 3, 5} {
			res, err := Search(loneSystem(third), Options{Engine: engine, Depth: 20, NoWalks: true, Workers: workers, team: 1})
			if err != nil || res.Stats.Uncopied != "" || res.Stats.States != 17 {
				t.Errorf("%s, %d workers: %v, %+v", engine, workers, err, res.Stats)
			}
		}
	}
}

var waiting = make(chan struct{})

func waits() { <-waiting }

// The monitor reports a handler of a worker that never returns, with its path.
func TestWorkerStuck(t *testing.T) {
	told := make(chan *Result, 1)
	ended := make(chan struct{})
	opts := Options{Depth: 20, Workers: 3, team: 1, NoWalks: true, Stuck: 50 * time.Millisecond, OnStuck: func(r *Result) { told <- r }}
	go func() {
		defer close(ended)
		Search(loneSystem(waits), opts)
	}()
	res := <-told
	close(waiting)
	<-ended
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictDivergence || len(f.Path.Steps) != 3 {
		t.Errorf("%+v", res.Finding)
	}
}

// watched is the runner of TestWorkersAreWatched, and watchedMost the largest number of hands that its
// monitor watched at a time, apart from the first one. They are package variables, since a node that
// holds a closure with variables cannot be copied.
var (
	watched     atomic.Pointer[runner]
	watchedMost atomic.Int64
)

func watch() {
	if r := watched.Load(); r != nil {
		watchedMost.Store(max(watchedMost.Load(), int64(len(r.monitor.all())-1)))
	}
}

// TestWorkersAreWatched: the monitor watches every worker.
func TestWorkersAreWatched(t *testing.T) {
	r, err := newRunner(loneSystem(watch), Options{Engine: EngineLocal, Depth: 20, Workers: 4, team: 1, NoWalks: true})
	if err != nil {
		t.Fatal(err)
	}
	watched.Store(r)
	if res, err := r.search(); err != nil || res.Stats.Uncopied != "" || watchedMost.Load() != 3 {
		t.Errorf("%v: besides the first, %d of 4 are watched: %+v", err, watchedMost.Load(), res.Stats)
	}
}

// Workers stop when the search stops.
func TestWorkersStop(t *testing.T) {
	asked := 0
	res := search(t, jointree.System, 4, nil, Options{Depth: 30, Workers: 3, team: 1, NoWalks: true, Stop: func() Stop {
		if asked++; asked > 300 { // asked by one at a time
			return StopInterrupted
		}
		return ""
	}})
	if res.Stop != StopInterrupted || res.Safety.State != StateBounded {
		t.Errorf("stopped: %s, safety %s", res.Stop, res.Safety.State)
	}
}

// dial ticks modulo 4, and the first dial modulo 12. With its last tick, the first dial may become
// doomed, and then stays so.
type dial struct {
	At, Of int
	Doomed bool
}

func (c *dial) Init(env sim.Env)                       { env.After(time.Second, "tick") }
func (c *dial) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *dial) Handle(env sim.Env, _ sim.Signal) {
	env.After(time.Second, "tick")
	c.At = (c.At + 1) % c.Of
	if c.Of == 12 && c.At == 0 && env.Choose(2, "doom") == 1 {
		c.Doomed = true
	}
}

// TestNearestDeadState: the search decides about dead states that are not at rest when all states were
// visited. It reports the nearest one, for any number of workers, although the numbers of the states
// depend on the workers.
func TestNearestDeadState(t *testing.T) {
	dials := long.Of(5, 7)
	sys := &sim.System{
		Name: "clocks", Doc: "Clocks tick.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: dials, Least: dials, Most: dials} },
		New: func(_ sim.Params, self sim.Addr) sim.Node {
			if self.String() == "n0" {
				return &dial{Of: 12}
			}
			return &dial{Of: 4}
		},
		Properties: []sim.Property{sim.Eventually("all are at 0", func(v sim.View[*dial]) bool {
			for _, c := range v.Nodes() {
				if c.At != 0 || c.Doomed {
					return false
				}
			}
			return true
		})},
	}
	for _, workers := range []int{1, 4, 4} {
		r, err := Search(sys, Options{NoWalks: true, Depth: 100, Workers: workers, team: 1})
		if err != nil || r.Verdict() != trace.VerdictDead {
			t.Fatal(workers, err, r)
		}
		if f := r.Finding; f.Step != 12 || f.Critical == nil || f.Critical.Step != 12 {
			t.Errorf("%d workers: dead after %d steps, critical %+v; n0 alone needs 12", workers, f.Step, f.Critical)
		}
	}
}

// tosser asks a coin when it starts. The coin has more sides than are all tried, so they are sampled.
type tosser struct{ N, Side int }

func (k *tosser) Init(env sim.Env)                       { k.Side = env.Choose(1<<30, "side") % 3 }
func (k *tosser) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (k *tosser) Handle(sim.Env, sim.Signal)             { k.N++ }

// The result reports that answers were sampled, even if only the first worker met such a question.
func TestWorkersTellOfSamples(t *testing.T) {
	sys := &sim.System{
		Name: "tosser", Doc: "It tosses a coin.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &tosser{} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{nudge{}, nudge{}, nudge{}} },
	}
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		for _, workers := range []int{1, 2, 5} {
			res, err := Search(sys, Options{Engine: engine, Depth: 20, NoWalks: true, Workers: workers, team: 1})
			if err != nil || res.Safety.State != StateSampled {
				t.Errorf("%s, %d workers: %v, %s", engine, workers, err, res.Safety.State)
			}
		}
	}
}
