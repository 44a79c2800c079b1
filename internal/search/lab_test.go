package search

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/randtree"
	"macemc/trace"
)

// stray goes to places at random. Home is live; in the ruin it may end its goroutine or panic.
type stray struct{ At string }

type goTo string

func (s *stray) Init(sim.Env)                           {}
func (s *stray) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *stray) Offers(offer func(sim.Signal)) {
	if s.At != "home" {
		for _, to := range []string{"away", "here", "home", "ruin", "there"} {
			offer(goTo(to))
		}
	}
}

func (s *stray) Handle(env sim.Env, to sim.Signal) {
	s.At = string(to.(goTo))
	if s.At != "ruin" {
		return
	}
	switch env.Choose(20, "how") {
	case 0:
		runtime.Goexit()
	case 1:
		panic("ruined")
	}
}

func strays() *sim.System {
	return &sim.System{
		Name: "stray", Doc: "It walks about.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &stray{} },
		Weight: func(e sim.Event) float64 {
			if e.Value == goTo("home") {
				return 0.02
			}
			return 1
		},
		Properties: []sim.Property{sim.Eventually("it is home", func(v sim.View[*stray]) bool {
			for _, s := range v.Nodes() {
				return s.At == "home"
			}
			return false
		})},
	}
}

// labOf returns a lab, and a case of two steps.
func labOf(t *testing.T, sys *sim.System, opts Options) (*Lab, *Case) {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	record := choose.NewRecord(choose.NewFixed(0, 1))
	w.Protect(func() {
		w.Start(record)
		w.Step(record)
		w.Step(record)
	})
	path := record.Path()
	path.Header = Describe(sys, w.Params())
	lab, err := NewLab(sys, path, opts)
	if err != nil {
		t.Fatal(err)
	}
	of, err := lab.Take(path)
	if err != nil || of.Steps() != 2 || len(of.Live) != 3 {
		t.Fatal(of, err)
	}
	return lab, of
}

// The number of walks of a lab that count, their results and their failures do not depend on the
// number of hands, even if handlers end their goroutines.
func TestLabWalks(t *testing.T) {
	tell := func(workers int, q Walks) string {
		lab, of := labOf(t, strays(), Options{Workers: workers})
		defer lab.Close()
		w, err := lab.Walk(of, q)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintln(&b, w.Taken)
		for _, s := range w.Success {
			path, err := lab.PathOf(of, s)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, s.Number, s.Steps, s.Shared, len(path.Steps))
		}
		for _, f := range w.Failed {
			fmt.Fprintln(&b, f.Number, f.Failure.Verdict, f.Failure.Message)
		}
		return b.String()
	}
	for _, q := range []Walks{
		{From: 2, Count: 60, Steps: 40},
		{From: 1, Count: 60, Steps: 40, All: true},
		{From: 0, Count: 60, Steps: 30, Survive: true, All: true, Salt: 7},
	} {
		one := tell(1, q)
		for _, what := range []string{"ruined", "Goexit"} {
			if q.All && !strings.Contains(one, what) {
				t.Errorf("%+v: no walk ends by %s:\n%s", q, what, one)
			}
		}
		for _, workers := range []int{2, 3, 8} {
			if many := tell(workers, q); many != one {
				t.Errorf("%+v: one runner says\n%s\n%d say\n%s", q, one, workers, many)
			}
		}
	}
}

// A failure of a lab's walk is confirmed as a finding of its own, and the whole of a live walk
// is recorded.
func TestLabRecords(t *testing.T) {
	lab, of := labOf(t, strays(), Options{Workers: 2})
	defer lab.Close()
	w, err := lab.Walk(of, Walks{From: 1, Count: 100, Steps: 60, All: true})
	if err != nil || len(w.Success) == 0 || len(w.Failed) == 0 {
		t.Fatal(w, err)
	}
	live, err := lab.Record(of, w.Success[0])
	if err != nil || live.Verdict != trace.VerdictNone || len(live.Path.Steps) != 1+w.Success[0].Steps || live.Trace == nil {
		t.Errorf("%v, %+v", err, live)
	}
	if r, err := Replay(strays(), throughText(t, live.Path), Options{}); err != nil || !r.Reproduced {
		t.Errorf("%v, %+v", err, r)
	}
	for _, f := range w.Failed {
		if !strings.Contains(f.Failure.Message, "ruined") {
			continue
		}
		panicked, err := lab.Confirm(of, f)
		if err != nil || panicked.Verdict != trace.VerdictPanic || panicked.Step != f.Failure.Step {
			t.Errorf("%v, %+v", err, panicked)
		}
		break
	}
}

// Lab.Way repeats the steps by which a walk recovered, with the same result as the walk. Without the last step, the
// others reach no live state.
func TestWaysAreRepeated(t *testing.T) {
	lab, of := labOf(t, strays(), Options{Workers: 1})
	defer lab.Close()
	w, err := lab.Walk(of, Walks{From: 2, Count: 60, Steps: 40, All: true})
	if err != nil || len(w.Success) == 0 {
		t.Fatal(w, err)
	}
	for _, s := range w.Success {
		path, err := lab.PathOf(of, s)
		if err != nil {
			t.Fatal(err)
		}
		way := path.Steps[2:]
		again, err := lab.Way(of, 2, way)
		if err != nil || again == nil || again.Steps != s.Steps {
			t.Fatalf("of a way of %d steps comes %+v, %v", s.Steps, again, err)
		}
		if same, err := lab.PathOf(of, *again); err != nil || !slices.EqualFunc(same.Steps, path.Steps, func(a, b choose.Step) bool { return a.Event == b.Event }) {
			t.Errorf("%v: the way is not the walk", err)
		}
		if none, err := lab.Way(of, 2, way[:len(way)-1]); err != nil || none != nil {
			t.Errorf("without its last step, a way comes to %+v, %v", none, err)
		}
	}
}

// If Options.Stop asks a lab to stop, its walks return ErrStopped.
func TestLabStops(t *testing.T) {
	n := 0
	lab, of := labOf(t, strays(), Options{Workers: 1, Stop: func() Stop {
		if n++; n > 5 {
			return StopInterrupted
		}
		return ""
	}})
	defer lab.Close()
	if _, err := lab.Walk(of, Walks{From: 1, Count: 100, Steps: 60, All: true}); err != ErrStopped || !lab.Stopped() {
		t.Errorf("it says %v", err)
	}
}

// A storm before walks has the wanted number of steps, is the same whether or not the walks use
// weights, and is not part of the results of the walks.
func TestLabStorms(t *testing.T) {
	const storm, count = 12, 30
	params, err := randtree.System.Configure(4, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	header := Describe(randtree.System, params)
	walk := func(uniform bool) (storms [][]string, faults int) {
		path := &choose.Path{Header: slices.Clone(header)}
		path.Add("faults", "crash=1,reset=1")
		opts := Options{}
		if uniform {
			opts.Walking = WalkUniform
		}
		lab, err := NewLab(randtree.System, path, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer lab.Close()
		of, err := lab.Take(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lab.Walk(of, Walks{Count: count, Steps: 100_000, Storm: storm, All: true})
		if err != nil || len(got.Success) != count {
			t.Fatalf("%d of %d walks became live, error %v", len(got.Success), count, err)
		}
		for _, s := range got.Success {
			f, err := lab.Record(of, s)
			if err != nil {
				t.Fatal(err)
			}
			steps := f.Path.Steps
			var begin []string
			choices := 0
			for i, step := range steps {
				what := step.Event.What
				if i < storm {
					begin = append(begin, fmt.Sprint(what, step.Event.Pick, step.Event.Of))
					if f.Trace.Steps[i].Event.Kind.Fault() {
						faults++
					}
				}
				if (i == storm) != (what == sim.KindHeal.String()) {
					t.Fatalf("walk %d: step %d is %s", s.Number, i+1, what)
				}
				for _, c := range append([]choose.Choice{step.Event}, step.Coins...) {
					if i > storm && c.Of > 1 {
						choices++
					}
				}
			}
			if s.Steps != len(steps)-storm-1 || s.Choices != choices {
				t.Errorf("walk %d: %d steps and %d choices, of a run that has %d and %d after the storm",
					s.Number, s.Steps, s.Choices, len(steps)-storm-1, choices)
			}
			storms = append(storms, begin)
		}
		return storms, faults
	}
	weighted, faults := walk(false)
	uniform, _ := walk(true)
	if faults < count/2 {
		t.Errorf("%d storms of %d steps had %d faults", count, storm, faults)
	}
	if d := cmp.Diff(weighted, uniform); d != "" {
		t.Errorf("storms differ (-weighted +uniform):\n%s", d)
	}

	calm := &choose.Path{Header: header}
	lab, err := NewLab(randtree.System, calm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	of, err := lab.Take(calm)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Walk(of, Walks{Count: 1, Steps: 10, Storm: storm}); err == nil {
		t.Error("there was a storm in a run without faults")
	}
}

// awake ticks for ever.
type awake struct{ Ticks int }

func (n *awake) Init(env sim.Env)                     { env.Post(goTo("")) }
func (*awake) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *awake) Handle(env sim.Env, _ sim.Signal) {
	n.Ticks++
	env.Post(goTo(""))
}

// A walk with Walks.Survive takes all of its steps, even if it is live before.
func TestLabSurvives(t *testing.T) {
	sys := &sim.System{
		Name: "awake", Doc: "It is awake.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &awake{} },
		Properties: []sim.Property{sim.Eventually("it is awake", func(sim.View[*awake]) bool { return true })},
	}
	lab, of := labOf(t, sys, Options{Workers: 1})
	defer lab.Close()
	for _, q := range []Walks{{From: 2, Count: 3, Steps: 40, Survive: true, All: true}, {From: 1, Count: 3, Steps: 7, Survive: true, All: true}} {
		w, err := lab.Walk(of, q)
		if err != nil || len(w.Success) != 3 {
			t.Fatal(err, w)
		}
		for _, s := range w.Success {
			if s.Steps != q.Steps {
				t.Errorf("a walk of %d steps from step %d survives %d", q.Steps, q.From, s.Steps)
			}
		}
	}
}
