package search

import (
	"testing"

	"macemc/internal/search/internal/explore"
	"macemc/sim"
	"macemc/systems/paxos"
)

// A failure commutes with the steps of other nodes, so most states of paxos with a node that may fail need not be visited.
func TestReducedWhileNodesMayFail(t *testing.T) {
	const whole = 646_148
	res := search(t, paxos.System, 0, nil, Options{NoWalks: true, Effort: 1 << 30, Reduce: ReduceStubborn, Workers: 1, once: true, Conditions: sim.Conditions{
		Faults: &sim.Faults{Down: 1}, Properties: []string{paxos.System.Properties[0].Name},
	}})
	if res.Safety.State != StateExhausted || 4*res.Stats.States > whole {
		t.Errorf("%d states of %d were visited, and safety is %v", res.Stats.States, whole, res.Safety)
	}
}

// A late learner ignores words until its second request.
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

// A step that was left out before anyone had taken it may not commute, as an audit finds out. Then the states are taken
// up again.
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
