package critical_test

import (
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// late can finish until both its timer has fired and a message has come, in either order.
type late struct{ Fired, Got, Done bool }

type (
	alarm  struct{}
	finish struct{}
	hello  struct{}
)

func (l *late) Init(env sim.Env) {
	if other := env.Peers()[0]; env.Self().Less(other) {
		env.After(time.Second, alarm{})
	} else {
		env.TCP().Send(other, hello{})
	}
}
func (l *late) Deliver(sim.Env, sim.Addr, sim.Message) { l.Got = true }
func (l *late) Handle(_ sim.Env, s sim.Signal) {
	if _, is := s.(alarm); is {
		l.Fired = true
	} else {
		l.Done = true
	}
}
func (l *late) Offers(offer func(sim.Signal)) {
	if !l.Done && (l.Fired || l.Got) && !(l.Fired && l.Got) {
		offer(finish{})
	}
}

// TestExplainKeepsTheCriticalEvent: if two steps may come in either order, the later one in the run is
// critical, and shrinking does not swap them.
func TestExplainKeepsTheCriticalEvent(t *testing.T) {
	sys := &sim.System{
		Name: "late", Doc: "A node finishes before both have come.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &late{} },
		Properties: []sim.Property{sim.Eventually("the first has finished", func(v sim.View[*late]) bool {
			for _, l := range v.Nodes() {
				return l.Done
			}
			return false
		})},
	}
	for _, exhaust := range []int{0, -1} {
		w, err := world.New(sys, sim.Params{}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		record := choose.NewRecord(&chosen{want: []string{"n0 timer", "n0 message"}})
		w.Protect(func() {
			for w.Start(record); w.Step(record) == world.Stepped; {
			}
		})
		path := record.Path()
		path.Header = search.Describe(sys, w.Params())
		path.Add("seed", "1")
		path.Add("verdict", trace.VerdictDead.String())
		f := &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictDead, Step: 2}, Path: path}
		if got := find(t, sys, f, critical.Options{Exhaust: exhaust}).Critical; got.Step != 2 || !strings.HasPrefix(got.Event, "n0 message") {
			t.Fatalf("as it was found, critical is %+v", got)
		}
		r, err := critical.Explain(sys, f, critical.Options{Exhaust: exhaust}, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Finding.Critical; got.Step != 2 || !strings.HasPrefix(got.Event, "n0 message") || got.Exact != (exhaust == 0) {
			t.Errorf("critical is %+v", got)
		}
		checkLive(t, sys, "late", r.Finding)
	}
}

// chosen picks events whose names begin with the texts in want, in this order.
type chosen struct{ want []string }

func (c *chosen) Err() error { return choose.ErrEnd }
func (c *chosen) Answer(q *choose.Question) int {
	for i := range q.N {
		if len(c.want) > 0 && strings.HasPrefix(q.Alternatives.Alternative(i), c.want[0]) {
			c.want = c.want[1:]
			return i
		}
	}
	return -1
}
