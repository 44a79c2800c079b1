package search_test

import (
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// dial counts up to an end, and then stays there.
type dial struct {
	At, End int
	Marks   []int
}

type turn struct{}

func (*dial) Init(env sim.Env)                       { env.After(time.Second, turn{}) }
func (*dial) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (d *dial) Handle(env sim.Env, _ sim.Signal) {
	if d.At++; d.At < d.End {
		env.After(time.Second, turn{})
	}
}

// TestSettleRunsFewHandlers checks that whether a run can recover is not decided exactly if too many handlers of
// large nodes would have to run, even where few states follow.
func TestSettleRunsFewHandlers(t *testing.T) {
	for _, c := range []struct {
		end, marks int
		want       bool
	}{{30_000, 0, true}, {12_000, 500, false}} {
		sys := &sim.System{
			Name: "dials", Doc: "A node counts.",
			Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:        func(sim.Params, sim.Addr) sim.Node { return &dial{End: c.end, Marks: make([]int, c.marks)} },
			Properties: []sim.Property{sim.Eventually("it is beyond its end", func(v sim.View[*dial]) bool { return false }, nil)},
		}
		w, err := world.New(sys, sim.Params{}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		record := choose.NewRecord(choose.NewWalk(1))
		w.Start(record)
		w.Step(record)
		path := record.Path()
		path.Header = search.Describe(sys, w.Params())
		path.Add("seed", "1")
		lab, err := search.NewLab(sys, path, search.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer lab.Close()
		of, err := lab.Take(path)
		if err != nil {
			t.Fatal(err)
		}
		if last, decided, err := lab.Settle(of, 0, search.SettleMost); decided != c.want || c.want && last != -1 || err != nil {
			t.Errorf("%+v: the last state that recovers is %d, decided %v, %v", c, last, decided, err)
		}
	}
}
