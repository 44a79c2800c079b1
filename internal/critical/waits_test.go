package critical_test

import (
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// fuse ticks for ever, and counts its ticks. Once its fuse is lit, it goes off at some time.
type fuse struct {
	Ticks int
	Off   bool
}

type (
	light struct{}
	bang  struct{}
)

func (f *fuse) Init(env sim.Env) { env.After(time.Second, tick{}) }

func (f *fuse) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (f *fuse) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case tick:
		f.Ticks++
		env.After(time.Second, tick{})
	case light:
		env.After(time.Hour, bang{})
	case bang:
		f.Off = true
	}
}

// A walk in which a timer never fires, although it is set, does not show that its failure can be avoided. So the
// step that sets the timer is critical, and not the one in which it fires.
func TestWaitingIsNoEscape(t *testing.T) {
	sys := &sim.System{
		Name: "fuse", Doc: "A fuse burns.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &fuse{} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{light{}} },
		Weight: func(e sim.Event) float64 {
			if e.Kind == sim.KindTimer && e.Value == (bang{}) {
				return 1e-6
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("nothing goes off", func(v sim.View[*fuse]) bool {
			for _, f := range v.Nodes() {
				return !f.Off
			}
			return true
		})},
	}
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var steps []choose.Step
	for _, what := range []string{"n0 timer tick{}", "n0 timer tick{}", "n0 script light{}", "n0 timer tick{}", "n0 timer tick{}", "n0 timer bang{}"} {
		steps = append(steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}})
	}
	record := choose.NewRecord(choose.NewFollow(nil, steps))
	failure := w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	if failure == nil {
		failure = w.Run.Failed()
	}
	path := record.Path()
	if failure == nil || len(path.Steps) != len(steps) {
		t.Fatalf("%+v after %+v", failure, path.Steps)
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictSafety.String())
	r, err := critical.Find(sys, &search.Finding{Failure: *failure, Path: path}, critical.Options{Exhaust: -1})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Finding.Critical; c == nil || c.Step != 3 || c.Exact {
		t.Errorf("critical is %+v, avoided %+v; want step 3", c, r.Finding.Avoided)
	}
}
