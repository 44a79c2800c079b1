package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// flawed is a node whose task panics, breaks the node, or makes it stuck.
type flawed struct{ Broken, Stuck bool }

type flaw struct{}

func (*flawed) Init(env sim.Env)                       { env.Post(flaw{}) }
func (*flawed) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *flawed) Handle(env sim.Env, _ sim.Signal) {
	switch env.Choose(5, "what goes wrong") {
	case 0, 1:
		panic("known for years")
	case 2:
		n.Broken = true
	case 3:
		n.Stuck = true
	}
}

// only returns the system's single node.
func only(v sim.View[*flawed]) (n *flawed) {
	for _, n = range v.Nodes() {
	}
	return n
}

var flaws = &sim.System{
	Name: "flawed", Doc: "Three flaws.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	New: func(sim.Params, sim.Addr) sim.Node { return &flawed{} },
	Properties: []sim.Property{
		sim.Always("whole", func(v sim.View[*flawed]) bool { return !only(v).Broken }),
		sim.Eventually("free", func(v sim.View[*flawed]) bool { return !only(v).Stuck }),
	},
}

// If a failure is ignored, the next flaw is found: by every engine, and by walks.
func TestIgnore(t *testing.T) {
	for _, c := range []struct{ ignore, want string }{
		{"", "panic"},
		{"verdict=panic", "safety whole"},
		{"place=ignore_test.go:25", "safety whole"},
		{"place=search/ignore_test.go", "safety whole"},
		{"place=ignore_test.go:24", "panic"},
		{"verdict=panic; property=whole", "dead free"},
		{"verdict=panic; verdict=safety", "dead free"},
		{"verdict=panic; verdict=dead", "safety whole"},
		{"property=whole", "panic"},
	} {
		for _, o := range []search.Options{
			{Engine: search.EngineMemo, Depth: 4, NoWalks: true}, {Engine: search.EngineLocal, Depth: 4, NoWalks: true},
			{Engine: search.EngineReference, Depth: 4, NoWalks: true}, {Depth: 1},
		} {
			for text := range strings.SplitSeq(c.ignore, "; ") {
				if text == "" {
					continue
				}
				one, err := search.ParseIgnore(text)
				if err != nil || one.String() != text {
					t.Fatal(one, err)
				}
				o.Ignore = append(o.Ignore, one)
			}
			r, err := search.Search(flaws, o)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if f := r.Finding; f != nil {
				got = strings.TrimSpace(f.Verdict.String() + " " + f.Property)
			}
			if got != c.want {
				t.Errorf("without %q, by %q to depth %d: %s, want %s", c.ignore, o.Engine, o.Depth, got, c.want)
			}
			if left := strings.HasPrefix(c.want, "panic"); left == (r.Ignored == 2) && o.Depth > 1 {
				t.Errorf("without %q, by %q: %d runs were left out", c.ignore, o.Engine, r.Ignored)
			}
		}
	}
}

// fragile is a node that chooses one of four ways. It panics if the way's number is less than bad,
// and becomes ready otherwise.
type fragile struct {
	Ready bool
	bad   int
}

func (*fragile) Init(env sim.Env)                       { env.Post(flaw{}) }
func (*fragile) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *fragile) Handle(env sim.Env, _ sim.Signal) {
	if env.Choose(4, "which way") < n.bad {
		panic("known for years")
	}
	n.Ready = true
}

// A space is not reported as exhausted if some of its runs end in an ignored failure, and a walk
// that ends so is not counted as live.
func TestIgnoredIsNotExhausted(t *testing.T) {
	for _, bad := range []int{0, 1, 4} {
		sys := &sim.System{
			Name: "fragile", Doc: "It may panic.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New: func(sim.Params, sim.Addr) sim.Node { return &fragile{bad: bad} },
			Properties: []sim.Property{sim.Eventually("ready", func(v sim.View[*fragile]) bool {
				for _, n := range v.Nodes() {
					return n.Ready
				}
				return false
			})},
		}
		o := search.Options{Ignore: []search.Ignore{{Verdict: trace.VerdictPanic}}, Paths: 40}
		for _, o.Engine = range []search.Engine{search.EngineMemo, search.EngineLocal, search.EngineReference} {
			r, err := search.Search(sys, o)
			if err != nil || r.Finding != nil {
				t.Fatal(err, r.Finding)
			}
			if exhausted := r.Safety.State == search.StateExhausted; exhausted != (bad == 0) || !exhausted && r.Safety.State != search.StateCut || r.Liveness.State == search.StateExhausted && bad > 0 {
				t.Errorf("%d of 4 ways panic, by %s: safety %s, liveness %s, %d ignored", bad, o.Engine, r.Safety.State, r.Liveness.State, r.Ignored)
			}
			s := r.Stats
			if w := s.WalksCut; bad == 0 && w > 0 || bad == 1 && s.Walks > 20 && (w == 0 || w == s.Walks) || bad == 4 && w != s.Walks {
				t.Errorf("%d of 4 ways panic, by %s: of %d walks %d ended so", bad, o.Engine, s.Walks, w)
			}
		}
	}
}

// A failure that cannot be ignored is refused, with an error of one line.
func TestIgnoreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `""; it must be verdict=panic, verdict=safety or the like, property=NAME, place=FILE:LINE, cause=EVENT or because=TEXT`,
		"panic":                  `"panic"; it must be verdict=panic, verdict=safety or the like, property=NAME, place=FILE:LINE, cause=EVENT or because=TEXT`,
		"verdict=pnic":           `"verdict=pnic"; it must be verdict=panic, verdict=safety or the like, property=NAME, place=FILE:LINE, cause=EVENT or because=TEXT`,
		"verdict=none":           `"verdict=none": a run with this verdict is no finding, so there is nothing to ignore`,
		"verdict=divergence":     `"verdict=divergence": a handler that never returns ends the search; it cannot be left out`,
		"verdict=killed":         `"verdict=killed": a handler that ends its process ends the search; it cannot be left out`,
		"verdict=nondeterminism": `"verdict=nondeterminism": other findings about a service that is not deterministic cannot be relied on, so it cannot be left out`,
		"property=nothing":       `flawed has no property "nothing", which is to be ignored`,
	} {
		one, err := search.ParseIgnore(text)
		if err == nil {
			_, err = search.Search(flaws, search.Options{Ignore: []search.Ignore{one}})
		}
		if fmt.Sprint(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	all := []search.Ignore{{Verdict: trace.VerdictSafety}, {Verdict: trace.VerdictDead}}
	_, err := search.Search(flaws, search.Options{Ignore: all})
	if want := "all properties of flawed are ignored (verdict=safety, verdict=dead), so there is nothing to check; ignore fewer"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// After a finding of a panic, the search takes the other steps of the same state. It finds the
// failures that these lead to, and no others.
func TestFindingsBesidePanic(t *testing.T) {
	for _, engine := range []search.Engine{search.EngineMemo, search.EngineLocal, search.EngineReference} {
		r, err := search.Search(flaws, search.Options{Findings: 5, Engine: engine, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			got += strings.TrimSpace(f.Verdict.String()+" "+f.Property) + "; "
		}
		if want := "panic; safety whole; dead free; "; got != want || r.Alike != 1 {
			t.Errorf("%s: %s and %d like these, want %s", engine, got, r.Alike, want)
		}
	}
}

// A run ends at an ignored panic, since it cannot go on. It does not end at the violation of an
// ignored property, which is not checked at all.
func TestIgnoreEndsRuns(t *testing.T) {
	for text, want := range map[string]bool{
		"verdict=panic": true, "place=x.go:3": true, "cause=timer join": true, "because=roots: n0, n1": true, "verdict=safety": false, "verdict=dead": false, "property=p": false,
	} {
		i, err := search.ParseIgnore(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := i.EndsRuns(); got != want {
			t.Errorf("%s ends runs: %v, want %v", text, got, want)
		}
	}
}

// masked climbs, and may trip at each step. Only at the top it may also fall.
type masked struct {
	Height      int
	Down, Stuck bool
	dead        bool // a trip or fall makes it stuck, which is dead; otherwise down, which is unsafe
}

type (
	climb struct{}
	trip  struct{ From, Way int }
	fall  struct{}
)

const top = 6

func (*masked) Init(sim.Env)                           {}
func (*masked) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (m *masked) Offers(offer func(sim.Signal)) {
	if m.Down || m.Stuck {
		return
	}
	for way := range 8 {
		offer(trip{m.Height, way})
	}
	if offer(climb{}); m.Height == top {
		offer(fall{})
	}
}

func (m *masked) Handle(_ sim.Env, s sim.Signal) {
	switch s.(type) {
	case climb:
		m.Height = min(m.Height+1, top)
		return
	case fall:
		m.Height = -1 // a state of its own: an exhaustive search takes each state once, by the event that it first came by
	}
	m.Stuck, m.Down = m.dead, !m.dead
}

// maskeds is a system with one masked node. Nearly all walks trip, so they rarely fall.
func maskeds(dead bool) *sim.System {
	one := func(holds func(*masked) bool) func(sim.View[*masked]) bool {
		return func(v sim.View[*masked]) bool {
			for _, m := range v.Nodes() {
				return holds(m)
			}
			return true
		}
	}
	return &sim.System{
		Name: "masked", Doc: "It trips more often than it falls.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New: func(sim.Params, sim.Addr) sim.Node { return &masked{dead: dead} },
		Properties: []sim.Property{
			sim.Always("up", one(func(m *masked) bool { return !m.Down })),
			sim.Eventually("free", one(func(m *masked) bool { return !m.Stuck })),
		},
	}
}

// A mistake that nearly every walk makes does not hide another one of the same property. If the
// cause of the first is ignored, the other is the first finding; if several findings are wanted, it
// is one of them.
func TestIgnoreCause(t *testing.T) {
	event := func(f *search.Finding) string {
		if f.Verdict == trace.VerdictDead {
			return f.Critical.Event
		}
		return f.Identity
	}
	for _, dead := range []bool{false, true} {
		for _, o := range []search.Options{
			{Depth: 1, Walks: 600, Workers: 1}, {Depth: 1, Walks: 1_200, Workers: 2},
			{Engine: search.EngineMemo}, {Engine: search.EngineLocal}, {Engine: search.EngineReference, Depth: 8},
		} {
			if !*long.On && dead && (o.Workers == 2 || o.Engine == search.EngineReference) {
				continue
			}
			alone := o
			r, err := search.Search(maskeds(dead), alone)
			if err != nil || r.Finding == nil || !strings.Contains(event(r.Finding), "trip") {
				t.Fatalf("%+v, %v: it does not trip first", r, err)
			}
			for k, text := range []string{"cause=action trip", "cause=n3 action trip{From: 2, Way: 1}"} {
				if !*long.On && dead == (k == 0) {
					continue
				}
				one, err := search.ParseIgnore(text)
				if err != nil {
					t.Fatal(err)
				}
				left := o
				left.Ignore = []search.Ignore{one}
				r, err := search.Search(maskeds(dead), left)
				if err != nil || r.Finding == nil || !strings.Contains(event(r.Finding), "fall") || r.Ignored == 0 {
					t.Errorf("dead %v, by %q to depth %d without %s: %+v, %v; want the fall", dead, o.Engine, o.Depth, one, r.Finding, err)
				}
			}
			several := o
			several.Findings = 2
			if r, err = search.Search(maskeds(dead), several); err != nil || len(r.Findings) != 2 || !strings.Contains(event(r.Findings[1]), "fall") {
				t.Errorf("dead %v, by %q to depth %d: %d findings, %v; want the trip and the fall", dead, o.Engine, o.Depth, len(r.Findings), err)
			}
		}
	}
}

// The filter because=TEXT ignores a failure if its message contains the text, whatever the verdict,
// but never nondeterminism.
func TestIgnoreBecause(t *testing.T) {
	for _, verdict := range []trace.Verdict{trace.VerdictSafety, trace.VerdictPanic, trace.VerdictDead, trace.VerdictHot, trace.VerdictUnhandled} {
		f := trace.Failure{Verdict: verdict, Message: "n0 shows <ab> after delete(0,1); n1 shows <b> after delete(0,2)"}
		for text, want := range map[string]bool{
			"after delete(0,1)": true, "delete(0,1)*delete(0,2)": true, "n4 shows <ab>\n     after": true, "*": true,
			"delete(0,2)*delete(0,1)": false, "after delete(1,1)": false, "n0 shows <b*delete(0,3)": false,
		} {
			i, err := search.ParseIgnore("because=" + text)
			if err != nil || i.String() != "because="+text {
				t.Fatal(i, err)
			}
			if got := (search.Options{Ignore: []search.Ignore{i}}).Ignores(&f); got != want {
				t.Errorf("%s by %s: %v, want %v", verdict, i, got, want)
			}
		}
	}
	certain, err := search.ParseIgnore("because=did different things")
	if f := (trace.Failure{Verdict: trace.VerdictNondeterminism, Message: "did different things"}); err != nil || (search.Options{Ignore: []search.Ignore{certain}}).Ignores(&f) {
		t.Error("nondeterminism is left out", err)
	}
}

// A pairing is one of two nodes, each of which makes one of five operations. Two pairs of
// operations violate the property together.
type pairing struct{ Made int }

func (*pairing) Init(env sim.Env)                       { env.Post(flaw{}) }
func (*pairing) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (p *pairing) Handle(env sim.Env, _ sim.Signal)     { p.Made = 1 + env.Choose(5, "which operation") }

// If the message of one pair of operations is ignored, the other pair that violates the same
// property is still found.
func TestIgnorePairs(t *testing.T) {
	for _, dead := range []bool{false, true} {
		told := func(v sim.View[*pairing]) (text string) {
			for at, p := range v.Nodes() {
				text += fmt.Sprintf("%s made op%d ", at, p.Made)
			}
			return text
		}
		alike := func(v sim.View[*pairing]) bool {
			var made []int
			for _, p := range v.Nodes() {
				made = append(made, p.Made)
			}
			return !slices.Equal(made, []int{2, 3}) && !slices.Equal(made, []int{5, 4})
		}
		promise := sim.Always("alike", alike, told)
		if dead {
			promise = sim.Eventually("alike", alike, told)
		}
		sys := &sim.System{
			Name: "pairs", Doc: "Two nodes.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
			New: func(sim.Params, sim.Addr) sim.Node { return &pairing{} }, Properties: []sim.Property{promise},
		}
		known := []string{"because=op2*op3", "because=n0 made op5 n1 made op4"}
		for _, o := range []search.Options{{Engine: search.EngineMemo, Paths: 50}, {Engine: search.EngineLocal, Paths: 50}, {Engine: search.EngineReference, Paths: 50}, {Depth: 1, Paths: 300}} {
			for n := range 3 {
				left := o
				for _, text := range known[:n] {
					one, err := search.ParseIgnore(text)
					if err != nil {
						t.Fatal(err)
					}
					left.Ignore = append(left.Ignore, one)
				}
				r, err := search.Search(sys, left)
				if err != nil || (r.Finding != nil) != (n < 2) || n > 0 && r.Ignored == 0 {
					t.Fatalf("dead %v, by %q without %d: %+v, %v, %d ignored", dead, o.Engine, n, r.Finding, err, r.Ignored)
				}
				if want := []string{"op3", "op4"}; n < 2 && o.Depth == 0 && !strings.Contains(r.Finding.Message, want[n]) {
					t.Errorf("dead %v, by %q without %d: %s, want %s", dead, o.Engine, n, r.Finding.Message, want[n])
				}
			}
		}
	}
}
