package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/sim"
)

// A saying is a message with a text for people.
type saying struct{ Number int }

func (s saying) String() string { return fmt.Sprintf("in words %d", s.Number) }

// sayer sends a saying. Its field fails names the way in which it fails: "panics" when it gets a saying,
// "is heard" when a property notices that, and so on.
type sayer struct {
	fails string
	Heard bool
}

type say struct{}

var sayings int // an accident: what is sent depends on it

func (s *sayer) Init(sim.Env) {}

func (s *sayer) Handle(env sim.Env, _ sim.Signal) {
	if s.fails == "is random" {
		sayings++
	}
	for _, p := range env.Peers() {
		env.Bag().Send(p, saying{sayings})
	}
	if s.fails == "stores" {
		env.Store().Put("k", "v")
	}
}

func (s *sayer) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	if s.Heard = true; s.fails == "panics" {
		panic("no")
	}
}

func says(fails string, faults sim.Faults) *sim.System {
	return &sim.System{
		Name: "says", Doc: "A node says something.", Tolerates: faults,
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &sayer{fails: fails} },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			return []sim.Signal{say{}}[:count(self.Index() == 0)]
		},
		Properties: []sim.Property{sim.Always("nobody hears anything", func(v sim.View[*sayer]) bool {
			for _, s := range v.Nodes() {
				if s.Heard && (fails == "is heard" || fails == "stores" && v.Len() == 1) {
					return false
				}
			}
			return true
		})},
	}
}

// A message is shown by its String method in what two runs did differently, in the choice of
// where a node crashes within a step, and in the steps of a finding.
func TestMessagesAreShown(t *testing.T) {
	walker, err := canon.New(canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fails  string
		faults sim.Faults
		want   string
	}{
		{"is random", sim.Faults{}, "did different things: send saying(in words "},
		{"is heard", sim.Faults{}, "message saying(in words "},
		{"panics", sim.Faults{}, "message saying(in words "},
		{"stores", sim.Faults{Down: 1}, "does n0 crash within the step: for good, after effect 1, send saying(in words "},
	} {
		res, err := Search(says(c.fails, c.faults), Options{NoWalks: true, Depth: 2})
		if err != nil || res.Finding == nil {
			t.Fatal(c.fails, res, err)
		}
		told := res.Finding.Message
		for i := range res.Finding.Trace.Steps {
			step := &res.Finding.Trace.Steps[i]
			told += "\n" + step.Shown(walker.Text)
			for _, coin := range step.Coins {
				told += "\n" + coin.What
			}
		}
		if !strings.Contains(told, c.want) {
			t.Errorf("%s: %q is not in: %s", c.fails, c.want, told)
		}
	}
}
