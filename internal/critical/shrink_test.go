package critical_test

import (
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// ringer is one of three nodes in a ring that pass a token on. Its mood counts its ticks modulo seven. If the
// mood is 6 when the node gets the token, it may drop the token, which seldom happens. Then no node has the
// token any more, and the nodes tick on.
type ringer struct {
	Holds bool
	Mood  int
	next  sim.Addr
}

type (
	token struct{}
	tick  struct{}
)

func (r *ringer) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (r *ringer) Deliver(env sim.Env, _ sim.Addr, _ sim.Message) {
	if r.Mood == 6 && env.Weighted([]int{60, 1}, "drop it") == 1 {
		return
	}
	r.Holds = true
}

func (r *ringer) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case token: // from the application: the ring begins
		r.Holds = true
	case tick:
		env.After(time.Second, tick{})
		r.Mood = (r.Mood + 1) % 7
		if r.Holds && env.Choose(2, "pass it on") == 1 {
			r.Holds = false
			env.TCP().Send(r.next, token{})
		}
	default:
		panic("ring: no case")
	}
}

func ring() *sim.System {
	return &sim.System{
		Name: "ring", Doc: "Three nodes pass a token on.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			all := p.Addrs()
			for i, a := range all {
				if a == self {
					return &ringer{next: all[(i+1)%len(all)]}
				}
			}
			panic("nobody")
		},
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{token{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Eventually("somebody has the token", func(v sim.View[*ringer]) bool {
			for _, r := range v.Nodes() {
				if r.Holds {
					return true
				}
			}
			return false
		})},
	}
}

// unlucky returns a walk of the ring, of the given number of steps, that loses the token late.
func unlucky(t testing.TB, sys *sim.System, steps int) *search.Finding {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); ; seed++ {
		record, last := choose.NewRecord(choose.NewWalk(seed)), 0
		w.Protect(func() {
			for w.Start(record); w.Run.Steps() < steps && w.Step(record) == world.Stepped; {
				if w.Judge.Live() {
					last = w.Run.Steps()
				}
			}
		})
		if last < steps/2 || last > steps-100 {
			continue
		}
		return calledDead(sys, w.Params(), record.Path(), steps)
	}
}

// TestShrinkLongWalk: a dead walk of thousands of steps becomes a run of the few steps that lose the token:
// the six ticks of the node that gets it, and the way of the token to that node. This needs removing seven
// ticks of a node at once, and whole rounds of the token. The critical event stays the same, and fresh
// walks confirm the shorter run.
func TestShrinkLongWalk(t *testing.T) {
	sys := ring()
	for _, steps := range []int{500, 2_000, 10_000, 1_500, 4_000}[:long.Of(1, 5)] {
		checkShrunk(t, sys, steps, critical.Options{})
	}
	// without exhausting, each step that is taken out costs walks of their full length
	steps := long.Of(200, 1_000)
	checkShrunk(t, sys, steps, critical.Options{Exhaust: -1, Search: search.Options{WalkSteps: steps, MaxWalkSteps: steps}})
}

func checkShrunk(t *testing.T, sys *sim.System, steps int, opts critical.Options) {
	t.Helper()
	f := unlucky(t, sys, steps)
	before := find(t, sys, f, opts).Critical
	began := time.Now()
	r, err := critical.Explain(sys, f, opts, true)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Finding
	t.Logf("%d steps, critical %d, to %d steps in %s", steps, before.Step, len(got.Path.Steps), time.Since(began))
	if n := len(got.Path.Steps); n > 12 || n != got.Critical.Step || got.Critical.Event != before.Event || got.Found != f.Path {
		t.Errorf("of %d steps, %d are left, critical is %+v, was %+v", steps, n, got.Critical, before)
	}
	if opts.Exhaust < 0 && (got.Evidence == nil || got.Evidence.Walks < 100 || got.Evidence.From != len(got.Path.Steps)) {
		t.Errorf("evidence is %+v", got.Evidence)
	}
	again, err := search.Replay(sys, got.Path, search.Options{WalkSteps: 1_000})
	if err != nil || !again.Reproduced || again.Finding.Verdict != trace.VerdictDead {
		t.Errorf("it is not dead when it is taken again: %v, %+v", err, again)
	}
	checkLive(t, sys, "ring", got)
}

// ticker ticks three times on the first node, and does nothing on the others.
type ticker struct {
	first bool
	Ticks int
}

func (k *ticker) Init(env sim.Env) {
	if k.first {
		env.After(time.Second, tick{})
	}
}

func (*ticker) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (k *ticker) Handle(env sim.Env, _ sim.Signal) {
	if k.Ticks++; k.Ticks < 3 {
		env.After(time.Second, tick{})
	}
}

// TestFaultsGoTogether: two faults are removed together if neither can be removed alone. Here the third tick
// is a violation if the number of nodes that are up is odd, and there is a tick between a crash and the
// failure of another node.
func TestFaultsGoTogether(t *testing.T) {
	sys := &sim.System{
		Name: "tickers", Doc: "The first of three nodes ticks.",
		Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:       func(p sim.Params, self sim.Addr) sim.Node { return &ticker{first: self == p.Addr(0)} },
		Tolerates: sim.Faults{Crash: 1, Down: 1},
		Properties: []sim.Property{sim.Always("the third tick sees two", func(v sim.View[*ticker]) bool {
			for _, k := range v.Nodes() {
				if k.Ticks == 3 {
					return v.Len() == 2
				}
			}
			return true
		})},
	}
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	events := []string{"n0 timer tick{}", "n1 crash", "n0 timer tick{}", "n2 down", "n0 timer tick{}"}
	var steps []choose.Step
	for _, what := range events {
		steps = append(steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}})
	}
	record := choose.NewRecord(choose.NewFollow(nil, steps))
	w.Environ.Allow(sys.Tolerates, nil)
	w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	failure, path := w.Run.Failed(), record.Path()
	if failure == nil || len(path.Steps) != len(events) {
		t.Fatalf("%+v after %+v", failure, path.Steps)
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("faults", "crash=1,down=1")
	path.Add("seed", "1")
	path.Add("verdict", failure.Verdict.String())
	r, err := critical.Shrink(sys, &search.Finding{Failure: *failure, Path: path}, critical.Options{})
	if err != nil || r.Stopped {
		t.Fatal(err, r)
	}
	if left := r.Finding.Path.Steps; len(left) != 3 {
		t.Errorf("left are %+v", left)
	}
}
