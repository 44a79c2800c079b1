package critical

import (
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
)

// asker asks once, by a datagram, and then takes steps for ever. If the datagram is lost, it gets no answer.
type asker struct{ to sim.Addr }

type (
	ask  struct{}
	look struct{}
	talk struct{}
	word struct{}
)

type ( // facts
	asked  struct{}
	served struct{}
)

var askers = sim.Handle(sim.OnSignal((*asker).ask), sim.OnSignal((*asker).look), sim.OnSignal((*asker).talk), sim.OnMessage((*asker).word))

func (a *asker) ask(env sim.Env, _ ask) {
	env.Emit(asked{})
	env.UDP().Send(a.to, word{})
	env.After(time.Second, look{})
}

func (a *asker) look(env sim.Env, _ look)             { env.After(time.Second, look{}) }
func (a *asker) talk(env sim.Env, _ talk)             { env.UDP().Send(env.Self(), word{}) }
func (a *asker) word(env sim.Env, _ sim.Addr, _ word) { env.Emit(served{}) }

type open struct{ hot bool }

func (o *open) observe(_ sim.Addr, fact any) { _, o.hot = fact.(asked) }
func (o *open) isHot() bool                  { return o.hot }

// TestHotIsExplained: the critical step of a hot run is the loss of the datagram, since every fair run becomes
// cold if the environment heals before it. A run that walks have met is also made shorter.
func TestHotIsExplained(t *testing.T) {
	sys := &sim.System{
		Name: "askers", Doc: "Askers. One asks.",
		New:   func(p sim.Params, self sim.Addr) sim.Node { return askers.Node(&asker{p.Addr(1)}) },
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{ask{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Cools("every question is served", (*open).observe, (*open).isHot)},
	}
	for _, depth := range []int{1, 0} { // by walks, and on the whole space
		res, err := search.Search(sys, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Loss: 1}}, Depth: depth, Paths: 50})
		if err != nil || res.Finding == nil {
			t.Fatal(err, res)
		}
		out, err := Explain(sys, res.Finding, Options{}.For(res), true)
		if err != nil {
			t.Fatal(err)
		}
		f := out.Finding
		if f.Critical == nil || !f.Critical.Exact || wording.Identify(f.Critical.Event).Kind != sim.KindLose {
			t.Errorf("depth %d: the critical step is %+v of %v", depth, f.Critical, f.Path.Steps)
		}
		if len(f.Path.Steps) != 4 || f.Lasso.Since != 1 || f.Lasso.From != 3 { // ask, lose, heal, and look again and again
			t.Errorf("depth %d: %d steps, %+v", depth, len(f.Path.Steps), f.Lasso)
		}
		if again, err := search.Replay(sys, f.Path, search.Options{}); err != nil || !again.Reproduced {
			t.Errorf("depth %d: replayed, %v %+v", depth, err, again)
		}
	}
}
