package search

import (
	"fmt"
	"testing"

	"macemc/sim"
)

// A blind node has no state at all. States differ only in the messages under way or in the set.
type blind struct{ by sim.Link }

type (
	toss struct{}
	coin struct{ side int }
)

func (b *blind) toss(env sim.Env, _ toss) {
	link := map[sim.Link]sim.Port{sim.LinkTCP: env.TCP(), sim.LinkUDP: env.UDP(), sim.LinkSet: env.Set(), sim.LinkBag: env.Bag()}[b.by]
	link.Send(env.Peers()[0], coin{env.Choose(2, "side")})
}

func (b *blind) coin(sim.Env, sim.Addr, coin) {}

func (b *blind) Accepts(sim.Addr, sim.Message) bool { return false }

var blinds = sim.Handle(sim.OnSignal((*blind).toss), sim.OnMessage((*blind).coin))

func blindly(by sim.Link, p sim.Property) *sim.System {
	return &sim.System{
		Name: "blindly", Doc: "Tosses coins.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return blinds.Node(&blind{by}) },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{toss{}, toss{}}
			}
			return nil
		},
		Properties: []sim.Property{p},
	}
}

func tossed(v sim.View[*blind]) (seen [2]int) {
	for c := range sim.UnderWay[coin](v) {
		if c.From.Index() != 0 || c.To.Index() != 1 {
			panic("the hop is another one")
		}
		seen[c.Message.side]++
	}
	return seen
}

// If a property looks at the messages under way, its value in a state is not reused for another
// state with the same nodes. So every engine finds the same as the reference engine, which
// remembers no values.
func TestLooksAtMessages(t *testing.T) {
	properties := map[string]sim.Property{
		"safety": sim.Always("no two sides", func(v sim.View[*blind]) bool { s := tossed(v); return s[0] == 0 || s[1] == 0 }),
		"dead":   sim.Eventually("heads", func(v sim.View[*blind]) bool { return tossed(v)[0] > 0 }),
		"clean":  sim.Always("at most two", func(v sim.View[*blind]) bool { s := tossed(v); return s[0]+s[1] <= 2 }),
	}
	for _, link := range []sim.Link{sim.LinkTCP, sim.LinkUDP, sim.LinkSet, sim.LinkBag} {
		for want, p := range properties {
			var first string
			for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
				res, err := Search(blindly(link, p), Options{Engine: engine, NoWalks: true, once: true})
				if err != nil {
					t.Fatal(err)
				}
				got := "nothing in " + fmt.Sprint(res.Stats.States)
				for _, f := range res.Findings {
					got = fmt.Sprint(f.Verdict, " at ", f.Step) // which states were visited by then may differ
				}
				if found := len(res.Findings) > 0; found != (want != "clean") {
					t.Errorf("%s by %s, %s: %s", want, link, engine, got)
				}
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("%s by %s: %s comes to %q, reference to %q", want, link, engine, got, first)
				}
			}
		}
	}
}
