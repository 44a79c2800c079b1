package account

import (
	"testing"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Beyond names the faults of a run that exceed what the system promises to survive: too many of a kind, or at nodes
// for which nothing is promised.
func TestBeyond(t *testing.T) {
	ran := &trace.Trace{}
	for _, e := range []sim.Event{{Node: addr(0), Kind: sim.KindCrash}, {Node: addr(1), Kind: sim.KindMessage}, {Node: addr(1), Kind: sim.KindCrash}, {Node: addr(0), Kind: sim.KindLose}} {
		s := trace.Step{Event: e}
		if k := e.Kind.Budget(); k >= 0 {
			s.Spent = []int{k}
		}
		ran.Steps = append(ran.Steps, s)
	}
	for _, c := range []struct {
		promised sim.Faults
		want     string
	}{
		{sim.Faults{Crash: 2, Loss: 1}, ""},
		{sim.Faults{Crash: sim.Unlimited, Loss: 1}, ""},
		{sim.Faults{Crash: 1, Loss: 1}, "2 × crash, where 1 is survived"},
		{sim.Faults{Crash: 1}, "2 × crash, where 1 is survived; 1 × loss, where 0 is survived"},
		{sim.Faults{Crash: 2, Loss: 1, Only: "crash@n0"}, "1 × crash at a place where crash=2@n0,loss=1 allows none"},
		{sim.Faults{Crash: 2, Loss: 1, Only: "crash@n0+n1"}, ""},
	} {
		a := Of(&search.Result{System: &sim.System{Tolerates: c.promised}, Params: sim.Params{Nodes: 2}}, &search.Finding{Trace: ran})
		if got := a.Beyond(); got != c.want {
			t.Errorf("%s: %q, want %q", c.promised, got, c.want)
		}
	}
}

func addr(i int) sim.Addr { return sim.Params{Nodes: 2}.Addr(i) }

// careless expects that a sync never fails.
type careless struct{ Lost bool }

func (*careless) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*careless) Handle(sim.Env, sim.Signal)             {}
func (c *careless) Init(env sim.Env) {
	env.Store().Put("written", "1")
	c.Lost = env.Store().Sync() != nil
}

// Faults within a step count, too: here a sync fails, and no event of the run shows that.
func TestBeyondWithin(t *testing.T) {
	sys := &sim.System{
		Name: "careless", Doc: "It writes.", New: func(sim.Params, sim.Addr) sim.Node { return &careless{} },
		Properties: []sim.Property{sim.Always("nothing is lost", func(v sim.View[*careless]) bool {
			for _, c := range v.Nodes() {
				if c.Lost {
					return false
				}
			}
			return true
		})},
	}
	res, err := search.Search(sys, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Disk: 1}}, Workers: 1})
	if err != nil || res.Finding == nil {
		t.Fatal(res, err)
	}
	if got, want := Of(res, res.Finding).Beyond(), "1 × disk, where 0 is survived"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
