package search_test

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// desk sells the tickets of a show. Clients order, pay and cancel, and the desk confirms each step. It has two
// mistakes. If a client sends its order again, the desk panics, which happens in nearly every walk, soon after a
// timer has fired. If a ticket is cancelled while it is being paid, it is sold once more but stays the first
// client's, too; this takes a whole sale of one client and then another's.
type desk struct {
	Orders map[sim.Addr]string // by client: ordered, paid
	Free   int
	Sold   int
}

type buyer struct {
	State string // asked, ordered, paid, done
	Gave  bool   // it has cancelled
}

type (
	buy       struct{}
	askAgain  struct{}
	order     struct{}
	pay       struct{}
	giveBack  struct{}
	confirmed struct{ What string }
)

func (d *desk) Init(sim.Env)               {}
func (d *desk) Handle(sim.Env, sim.Signal) {}
func (d *desk) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m.(type) {
	case order:
		if d.Orders[from] != "" {
			panic("ordered twice")
		}
		if d.Free == 0 {
			return
		}
		d.Free--
		d.Orders[from] = "ordered"
		env.TCP().Send(from, confirmed{"ordered"})
	case pay:
		d.Orders[from] = "paid"
		d.Sold++
		env.TCP().Send(from, confirmed{"paid"})
	case giveBack:
		d.Free++ // and Sold-- is forgotten
		env.TCP().Send(from, confirmed{"done"})
	}
}

func (b *buyer) Init(sim.Env) {}
func (b *buyer) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case buy:
		b.State = "asked"
	case askAgain:
		if b.State != "asked" {
			return
		}
	}
	env.TCP().Send(env.Peers()[0], order{})
	if _, first := s.(buy); first {
		env.Post(askAgain{})
	}
}

func (b *buyer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch b.State = m.(confirmed).What; b.State {
	case "ordered":
		env.TCP().Send(from, pay{})
	case "paid":
		if env.Self() == env.Peers()[len(env.Peers())-1] || !b.Gave {
			b.Gave = true
			env.TCP().Send(from, giveBack{})
		}
	}
}

const tickets = 2

var desks = &sim.System{
	Name: "desk", Doc: "It sells tickets.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 4} },
	New: func(p sim.Params, self sim.Addr) sim.Node {
		if self.Index() == 0 {
			return &desk{Orders: map[sim.Addr]string{}, Free: tickets}
		}
		return &buyer{}
	},
	Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
		if self.Index() == 0 {
			return nil
		}
		return []sim.Signal{buy{}}
	},
	Properties: []sim.Property{sim.Always("no more is sold than there is", func(v sim.View[*desk]) bool {
		for _, d := range v.Nodes() {
			if d.Sold > tickets {
				return false
			}
		}
		return true
	})},
}

// A mistake that nearly every walk makes does not keep walks from finding another one. Once it is found, or if it
// is ignored, walks go around it. Without that, each of these searches needs 420 walks. It needs the same number if
// walks only delay the event that failed and never one that caused it, since a delayed event happens later.
func TestWalksGoAroundWhatIsKnown(t *testing.T) {
	const seeds, most = 10, 60
	for _, left := range []bool{false, true} {
		walks, detours := 0, 0
		for seed := range uint64(seeds) {
			opts := search.Options{Seed: seed + 1, Depth: 1, Walks: 300, Workers: 1, Findings: 2}
			if left {
				opts.Findings, opts.Ignore = 1, []search.Ignore{{Verdict: trace.VerdictPanic}}
			}
			r, err := search.Search(desks, opts)
			if err != nil || r.Finding == nil || r.Findings[len(r.Findings)-1].Verdict != trace.VerdictSafety {
				t.Fatalf("left out %v, seed %d: %d findings, %v; the last should be of safety", left, seed, len(r.Findings), err)
			}
			walks, detours = walks+r.Stats.Walks, detours+r.Stats.Detours
		}
		if walks > seeds*most || detours == 0 {
			t.Errorf("left out %v: %d walks and %d detours; want at most %d walks", left, walks, detours, seeds*most)
		}
	}
}

// The detours that walks take do not depend on the number of workers.
func TestDetoursOfSeveral(t *testing.T) {
	told := func(workers int) string {
		opts := search.Options{Seed: 3, Depth: 1, Walks: 1_400, Workers: workers, Findings: 5, Ignore: []search.Ignore{{Verdict: trace.VerdictPanic}}}
		r, err := search.Search(desks, opts)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v, %d findings, %d alike, %d ignored", r.Stats, len(r.Findings), r.Alike, r.Ignored)
	}
	if one, several := told(1), told(3); one != several || !strings.Contains(one, " Masked:1") {
		t.Errorf("one worker: %s\nthree:      %s", one, several)
	}
}
