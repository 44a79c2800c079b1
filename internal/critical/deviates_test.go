package critical

import (
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/systems/lease"
	"macemc/systems/paxos"
	"macemc/systems/storage"
	"macemc/systems/twophase"
	"macemc/trace"
)

// TestDeviatesByTheBug: for a known bug, the step that deviates is the one in which the bug acts, such as
// an acceptor that breaks its promise, or a writer that goes on with too few answers. It may be another
// step than the critical one.
func TestDeviatesByTheBug(t *testing.T) {
	for _, c := range []struct {
		sys       *sim.System
		bug, does string
	}{
		{storage.System, "RS1", "message write{number: 1}"},
		{twophase.System, "TP1", "n0 action commit{}"}, // its nodes are made otherwise
		{lease.System, "LE2", ""},                      // a timer is set at the start
		{paxos.System, "PX1", "message write{ballot: 1,"},
		{paxos.System, "PX2", "n1 message readRepl{ballot: 2, accepted: {ballot: 1,"},
		{paxos.System, "PX3", "n5 message accept{"},
		{storage.System, "RS2", "n4 message value{"},
		{storage.System, "RS3", "n0 message ack{"},
		{storage.System, "RS4", "n4 message value{"},
	}[:long.Of(3, 9)] {
		params, err := c.sys.Configure(0, nil, []string{c.bug})
		if err != nil {
			t.Fatal(err)
		}
		r, err := search.Search(c.sys, search.Options{Params: params})
		if err != nil || r.Finding == nil {
			t.Fatal(c.bug, err, "nothing was found")
		}
		out, err := Explain(c.sys, r.Finding, Options{NoLive: true}, true)
		if err != nil {
			t.Fatal(err)
		}
		d := out.Finding.Deviates
		if d == nil || len(d.Without) != 1 || string(d.Without[0]) != c.bug || !strings.Contains(d.Event, c.does) || (d.Step == 0) != (c.does == "") {
			t.Errorf("%s: it deviates: %+v", c.bug, d)
		}
	}
}

// unwise wraps a node of paxos. In its Env the bug PX1 is always switched on, so macemc does not learn where
// the code asks for the bug.
type unwise struct{ sim.Node }

func (u unwise) Upper() sim.Node { return u.Node }

func (u unwise) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	u.Node.Deliver(unknowing{env}, from, m)
}

type unknowing struct{ sim.Env }

func (unknowing) Bug(id sim.BugID) bool { return id == paxos.PX1 }

// TestDeviates: if macemc does not know where a bug acts, walks find the step that deviates. Here an acceptor
// accepts a value that it must not accept. That is long after the critical step, the race that walks avoid.
func TestDeviates(t *testing.T) {
	sys := *paxos.System
	sys.New = func(p sim.Params, self sim.Addr) sim.Node { return unwise{paxos.System.New(p, self)} }
	r, err := search.Search(&sys, search.Options{Walking: search.WalkWeighted, Reduce: search.ReduceNone}) // a run whose critical step is not exact
	if err != nil || r.Finding == nil {
		t.Fatal(err, "nothing was found")
	}
	out, err := Explain(&sys, r.Finding, Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	d, c := out.Finding.Deviates, out.Finding.Critical
	if d == nil || c == nil || d.Step <= c.Step || d.Did == 0 || d.Kept < 30 || d.Without != nil {
		t.Fatalf("it deviates: %+v; its critical step: %+v", d, c)
	}
	s := out.Finding.Trace.Steps[d.Step-1]
	if s.Event.Kind != sim.KindMessage || len(s.Effects) == 0 || s.Effects[0].Kind != trace.EffectSend {
		t.Errorf("it deviates in %s, which accepts nothing", d.Event)
	}
	if step := out.Finding.Path.Steps[d.Step-1].Event.What; step != d.Event {
		t.Errorf("step %d is %s, and not %s", d.Step, step, d.Event)
	}
}

// TestDeviatesInNoStepAlone: if each step also occurs in runs that keep the property, the result says so and
// names no step.
func TestDeviatesInNoStepAlone(t *testing.T) {
	sys := *paxos.System
	sys.New = func(p sim.Params, self sim.Addr) sim.Node { return unwise{paxos.System.New(p, self)} }
	var all []*search.Deviates
	for seed := range uint64(6) { // it depends on the run that is found whether a step is named
		r, err := search.Search(&sys, search.Options{Seed: seed + 1, Depth: 1})
		if err != nil || r.Finding == nil {
			t.Fatal(err, "nothing was found")
		}
		out, err := Explain(&sys, r.Finding, Options{NoLive: true}, true)
		if err != nil {
			t.Fatal(err)
		}
		d := out.Finding.Deviates
		if d != nil && d.Step == 0 && d.Harmless && d.Broke >= 30 {
			return
		}
		all = append(all, d)
	}
	t.Errorf("the runs deviate in %+v", all)
}
