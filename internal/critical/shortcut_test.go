package critical_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// viewer begins a round now and then. A round is a view, whose number every message of the round carries. The
// property is violated if two views in a row are won. An answer that comes after its view has ended is ignored.
type viewer struct {
	View, Won int
	Twice     bool
	other     sim.Addr // the node that it asks, which only answers
}

type (
	begin struct{}
	query struct{ View int }
	yes   struct{ View int }
)

func (a *viewer) Init(env sim.Env) {
	if !a.other.IsZero() {
		env.After(time.Second, begin{})
	}
}

func (a *viewer) Handle(env sim.Env, _ sim.Signal) {
	a.View++
	env.UDP().Send(a.other, query{a.View})
	env.After(time.Second, begin{})
}

func (a *viewer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case query:
		env.UDP().Send(from, yes(m))
	case yes:
		if m.View == a.View {
			a.Twice = a.Won == m.View-1 && a.Won > 0
			a.Won = m.View
		}
	}
}

func viewers() *sim.System {
	return &sim.System{
		Name: "viewers", Doc: "A node asks another one, in views.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			if self == p.Addr(0) {
				return &viewer{other: p.Addr(1)}
			}
			return &viewer{}
		},
		Properties: []sim.Property{sim.Always("no two views in a row are won", func(v sim.View[*viewer]) bool {
			for _, a := range v.Nodes() {
				if a.Twice {
					return false
				}
			}
			return true
		})},
	}
}

// TestShrinkDropsRounds: rounds that were not won are removed, although all later messages have other view
// numbers without them. Long walks become as short as the shortest run that fails.
func TestShrinkDropsRounds(t *testing.T) {
	sys := viewers()
	shortest := 0
	for depth := 1; shortest == 0; depth++ {
		res, err := search.Search(sys, search.Options{Depth: depth, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil {
			shortest = len(res.Finding.Path.Steps)
		}
	}
	for _, least := range []int{15, 20, 25} {
		f := violating(t, sys, least)
		r, err := critical.Shrink(sys, f, critical.Options{})
		if err != nil || r.Stopped {
			t.Fatal(err, r)
		}
		if n := len(r.Finding.Path.Steps); n != shortest {
			t.Errorf("of %d steps, %d are left, and the shortest run has %d: %+v", len(f.Path.Steps), n, shortest, r.Finding.Path.Steps)
		}
	}
}

// TestShrinkTakesShortcuts: if no step of a run can be removed, but there is a shorter way to the same
// failure, the run is replaced by that.
func TestShrinkTakesShortcuts(t *testing.T) {
	const long = 5
	g := &graph{to: make([][]int, 18), bad: map[[2]int]bool{{long - 1, long}: true, {16, 17}: true}}
	for v := range long {
		g.to[v] = []int{v + 1}
	}
	g.to[0], g.to[16] = []int{1, 16}, []int{17}
	sys := g.system(false)
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var steps []choose.Step
	for v := range long {
		steps = append(steps, choose.Step{Event: choose.Choice{What: fmt.Sprintf("n0 action ramble{To: %d}", v+1)}})
	}
	record := choose.NewRecord(choose.NewFollow(nil, steps))
	for w.Start(record); w.Step(record) == world.Stepped; {
	}
	path := record.Path()
	if len(path.Steps) != long {
		t.Fatalf("of %d steps, %d are possible", long, len(path.Steps))
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictSafety.String())
	f := &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictSafety, Property: "no bad edge", Step: long}, Path: path}
	r, err := critical.Shrink(sys, f, critical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Finding.Path.Steps); n != 2 {
		t.Errorf("%d steps are left, want the 2 by 16", n)
	}
}

// pacer goes a long way in paces, or the same way in two leaps. Only walks find the leaps, since a run of paces has no
// event of their form.
type pacer struct{ Paces, Leaps int }

type (
	pace struct{}
	leap struct{}
)

func (*pacer) Init(sim.Env)                           {}
func (*pacer) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (p *pacer) Offers(offer func(sim.Signal)) {
	if p.Leaps == 0 {
		offer(pace{})
	}
	if p.Paces == 0 {
		offer(leap{})
	}
}

func (p *pacer) Handle(_ sim.Env, s sim.Signal) {
	if s == (leap{}) {
		p.Leaps++
	} else {
		p.Paces++
	}
}

// shrinkPaces shrinks a run of long paces to the end of the way, and returns the number of steps that are left. A leap has
// the given weight beside a pace.
func shrinkPaces(t *testing.T, long int, weight float64, seed int, opts critical.Options) int {
	t.Helper()
	sys := &sim.System{
		Name: "pacer", Doc: "A node goes a long way.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &pacer{} },
		Weight: func(e sim.Event) float64 {
			if e.Value == (leap{}) {
				return weight
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("the end is not reached", func(v sim.View[*pacer]) bool {
			p, _ := v.At(v.Params().Addr(0))
			return p.Paces < long && p.Leaps < 2
		})},
	}
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	step := choose.Step{Event: choose.Choice{Kind: choose.Event, What: "n0 action pace{}"}}
	record := choose.NewRecord(choose.NewFollow(nil, slices.Repeat([]choose.Step{step}, long)))
	for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
	}
	failure, path := w.Run.Failed(), record.Path()
	if failure == nil || len(path.Steps) != long {
		t.Fatalf("%+v after %d steps", failure, len(path.Steps))
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", fmt.Sprint(seed))
	path.Add("verdict", failure.Verdict.String())
	r, err := critical.Shrink(sys, &search.Finding{Failure: *failure, Path: path}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return len(r.Finding.Path.Steps)
}

// TestShrinkTakesShortcutsBeforeMoving: steps of a run that a shortcut replaces are not moved before.
func TestShrinkTakesShortcutsBeforeMoving(t *testing.T) {
	tried := 0
	opts := critical.Options{Search: search.Options{EvidenceWalks: 30}, Enough: func() bool { tried++; return tried > 2_000 }}
	if n := shrinkPaces(t, 60, 1, 1, opts); n != 2 {
		t.Errorf("%d steps are left when %d candidates were tried, want two leaps", n, tried)
	}
}

// TestShrinkTakesMoreWalksAtLast: when moving steps was in vain, more walks are taken for shortcuts than before.
func TestShrinkTakesMoreWalksAtLast(t *testing.T) {
	const seeds, walks = 12, 25
	found := 0
	for seed := range seeds {
		if shrinkPaces(t, 8, 1.0/(3*walks), seed+1, critical.Options{Search: search.Options{EvidenceWalks: walks}}) == 2 {
			found++
		}
	}
	if found < 10 {
		t.Errorf("the leaps are found on %d of %d seeds, want at least 10", found, seeds)
	}
}

// TestShrinkOfARunThatFailsAsItStarts: a run that fails before its first step is returned unchanged, and no
// walks are taken from it.
func TestShrinkOfARunThatFailsAsItStarts(t *testing.T) {
	sys := viewers()
	sys.Properties = []sim.Property{sim.Always("a node has begun", func(sim.View[*viewer]) bool { return false })}
	res, err := search.Search(sys, search.Options{})
	if err != nil || res.Finding == nil {
		t.Fatal(err, res)
	}
	r, err := critical.Shrink(sys, res.Finding, critical.Options{})
	if err != nil || len(r.Finding.Path.Steps) != 0 {
		t.Errorf("shrinking returns %+v, %v; want the run without steps", r, err)
	}
}

// A run without faults is replaced by a shorter one to the same failure that needs a fault, if the run might have had one.
func TestShrinkTakesShortcutsWithFaults(t *testing.T) {
	const long = 40
	sys := &sim.System{
		Name: "clocks", Doc: "Three nodes tick.",
		Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:       func(sim.Params, sim.Addr) sim.Node { return &clocks{} },
		Tolerates: sim.Faults{Crash: 1},
		Properties: []sim.Property{sim.Always("no node has two ticks while another one is down, or forty", func(v sim.View[*clocks]) bool {
			for _, c := range v.Nodes() {
				if c.Ticks == long || c.Ticks >= 2 && v.Len() < 3 {
					return false
				}
			}
			return true
		})},
	}
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tick := choose.Step{Event: choose.Choice{Kind: choose.Event, What: "n0 timer toll{}"}}
	record := choose.NewRecord(choose.NewFollow(nil, slices.Repeat([]choose.Step{tick}, long)))
	w.Environ.Allow(sys.Tolerates, nil)
	for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
	}
	failure, path := w.Run.Failed(), record.Path()
	if failure == nil || len(path.Steps) != long {
		t.Fatalf("%+v after %d steps", failure, len(path.Steps))
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("faults", "crash=1")
	path.Add("seed", "1")
	path.Add("verdict", failure.Verdict.String())
	r, err := critical.Shrink(sys, &search.Finding{Failure: *failure, Path: path}, critical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Finding.Path.Steps); n != 3 {
		t.Errorf("%d steps are left, want two ticks and a crash", n)
	}
	if again, err := search.Replay(sys, r.Finding.Path, search.Options{}); err != nil || !again.Reproduced {
		t.Errorf("what is left does not come to the same failure: %v, %+v", err, again)
	}
}
