package search

import (
	"testing"

	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/paxos"
)

// A failure of one node commutes with the steps of others, so a reduction visits less than a fourth of the states
// of paxos with a node that may fail.
func TestReducedWhileNodesMayFail(t *testing.T) {
	const whole = 646_148
	res := search(t, paxos.System, 0, nil, Options{NoWalks: true, Effort: 1 << 30, Reduce: ReduceStubborn, Workers: 1, once: true, Conditions: sim.Conditions{
		Faults: &sim.Faults{Down: 1}, Properties: []string{paxos.System.Properties[0].Name},
	}})
	if res.Safety.State != StateExhausted || 4*res.Stats.States > whole {
		t.Errorf("%d states of %d were visited, and safety is %v", res.Stats.States, whole, res.Safety)
	}
}

// A late learner ignores lessons until its second request.
type late struct {
	Shown, Learns bool
	Heard         int
}

type (
	present struct{}
	attend  struct{}
	lesson  struct{}
)

func (l *late) begin(env sim.Env) {
	if env.Self().Index() > 0 {
		env.Bag().Send(env.Peers()[0], lesson{})
	}
}
func (l *late) present(sim.Env, present) { l.Shown = true }
func (l *late) attend(sim.Env, attend)   { l.Learns = true }
func (l *late) lesson(sim.Env, sim.Addr, lesson) {
	if l.Learns {
		l.Heard++
	}
}

// A reduction may leave out a step that does not commute, since it was never taken and so nothing was observed of
// it. An audit finds this out, and the states in question are expanded again.
func TestAuditTeaches(t *testing.T) {
	handlers := sim.Handle(sim.OnInit((*late).begin), sim.OnSignal((*late).present), sim.OnSignal((*late).attend), sim.OnMessage((*late).lesson))
	sys := &sim.System{
		Name: "late", Doc: "A late learner.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&late{}) },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{present{}, attend{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Takes(sim.Always("not all are shown", func(v sim.View[*late]) bool {
			for _, l := range v.Nodes() {
				if !l.Shown {
					return true
				}
			}
			return false
		}), func(l *late) any { return l.Shown })},
	}
	opts := Options{Engine: EngineLocal, Conditions: sim.Conditions{Faults: &sim.Faults{}}}
	whole, _ := shows(t, sys, opts, 1000, nil)
	opts.Reduce = ReduceStubborn
	var r *explore.Reduction
	part, _ := shows(t, sys, opts, 1000, func(x *explore.Reduction) { r = x })
	compareShown(t, whole, part)
	if r == nil || r.Stats.Audited == 0 || r.Stats.Voided == 0 {
		t.Errorf("no audit has taught anything: %+v", r)
	}
}

// Node 1 passes the messages that it gets on to node 3, and does not change; node 3 notes the order
// in which they come.
type passer struct{ Kept string }

type heirloom struct{ Who string }

func (r *passer) begin(env sim.Env) {
	if i := env.Self().Index(); i < 2 {
		env.Bag().Send(env.Peers()[1], heirloom{string(rune('a' + i))})
	}
}

func (r *passer) heirloom(env sim.Env, _ sim.Addr, s heirloom) {
	if env.Self().Index() == 3 {
		r.Kept += s.Who
		return
	}
	env.UDP().Send(env.Peers()[2], s)
}

// Two events of one node do not commute if both send on one channel in order, even if neither changes the node.
func TestOneChannel(t *testing.T) {
	handlers := sim.Handle(sim.OnInit((*passer).begin), sim.OnMessage((*passer).heirloom))
	sys := &sim.System{
		Name: "passer", Doc: "Passes on what it gets.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 4} },
		New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&passer{}) },
	}
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		opts := Options{Engine: engine, Conditions: sim.Conditions{Faults: &sim.Faults{}}}
		whole, _ := shows(t, sys, opts, 1000, nil)
		opts.Reduce = ReduceStubborn
		part, _ := shows(t, sys, opts, 1000, nil)
		compareShown(t, whole, part)
		if part.states == 0 {
			t.Error("the space was not reduced")
		}
	}
}

// A courier with an even number sends the next courier a datagram.
type courier struct{ Got bool }

type gift struct{}

func (c *courier) begin(env sim.Env) {
	if i := env.Self().Index(); i%2 == 0 {
		env.UDP().Send(env.Peers()[i], gift{})
	}
}

func (c *courier) gift(sim.Env, sim.Addr, gift) { c.Got = true }

// The loss of a datagram commutes with the steps of other nodes.
func TestReducedWhileDatagramsMayBeLost(t *testing.T) {
	handlers := sim.Handle(sim.OnInit((*courier).begin), sim.OnMessage((*courier).gift))
	sys := &sim.System{
		Name: "courier", Doc: "Three pairs, of which one sends the other a datagram.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 6, Least: 6, Most: 6} },
		New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&courier{}) },
	}
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		opts := Options{Engine: engine, Conditions: sim.Conditions{Faults: &sim.Faults{Loss: sim.Unlimited}}}
		whole, _ := shows(t, sys, opts, 1000, nil)
		opts.Reduce = ReduceStubborn
		part, _ := shows(t, sys, opts, 1000, nil)
		compareShown(t, whole, part)
		if whole.states != 3*3*3 || part.states != 1+2+4+8 {
			t.Errorf("%s: %d states and %d, and there should be 27 and 15", engine, whole.states, part.states)
		}
	}
}
