package critical

import (
	"testing"

	"macemc/search"
	"macemc/sim"
	"macemc/systems/paxos"
)

// An acceptor that breaks its promise: the run deviates where one that accepted what
// it must not accepts the other value too, long after the race that walks avoid.
func TestDeviates(t *testing.T) {
	params, err := paxos.System.Configure(0, nil, []string{"PX1"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(paxos.System, search.Options{Params: params, Walking: search.WalkWeighted}) // a run whose critical step is not exact
	if err != nil || r.Finding == nil {
		t.Fatal(err, "nothing was found")
	}
	out, err := Explain(paxos.System, r.Finding, Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	d, c := out.Finding.Deviates, out.Finding.Critical
	if d == nil || c == nil || d.Step <= c.Step || d.Did == 0 || d.Kept < 30 {
		t.Fatalf("it deviates: %+v; its critical step: %+v", d, c)
	}
	s := out.Finding.Trace.Steps[d.Step-1]
	if s.Event.Kind != sim.KindMessage || len(s.Effects) == 0 || s.Effects[0].Kind != sim.EffectSend {
		t.Errorf("it deviates in %s, which accepts nothing", d.Event)
	}
	if step := out.Finding.Path.Steps[d.Step-1].Event.What; step != d.Event {
		t.Errorf("step %d is %s, and not %s", d.Step, step, d.Event)
	}
}
