package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// A cashier pays an order as soon as enough auditors approve of it, no matter which. Each auditor
// approves by a link of another kind, and may approve of another sum than was asked for.
type cashier struct {
	enough int
	paid   []sim.Addr // the auditors whose approvals it took
	sum    int
	later  int // approvals that came alone, after that
}

type auditor struct{ link int }

type (
	audit   struct{}
	approve struct{ sum int }
)

func (c *cashier) quorum() int { return c.enough }

func (c *cashier) matches(_ sim.Addr, a approve) (sum int, ok bool) { return a.sum, c.paid == nil }

func (c *cashier) pay(_ sim.Env, of []sim.Sent[approve]) {
	for _, a := range of {
		c.paid, c.sum = append(c.paid, a.From), c.sum+a.Message.sum
	}
}

func (c *cashier) late(sim.Env, sim.Addr, approve) { c.later++ }

// Accepts takes an approval alone if the order is paid.
func (c *cashier) Accepts(sim.Addr, sim.Message) bool { return c.paid != nil }

func (c *cashier) broken(sim.Env, sim.PeerError) {}

func (a *auditor) audit(env sim.Env, _ audit) {
	to, m := env.Peers()[0], approve{1 + env.Choose(2, "the sum")}
	switch a.link {
	case 0:
		env.TCP().Send(to, m)
	case 1:
		env.UDP().Send(to, m)
	case 2:
		env.Set().Send(to, m)
	default:
		env.Bag().Send(to, m)
		env.Bag().Send(to, m)
	}
}

func (a *auditor) broken(sim.Env, sim.PeerError) {}

var (
	auditors = sim.Handle(sim.OnSignal((*auditor).audit), sim.OnSignal((*auditor).broken))
	cashiers = sim.Handle(sim.OnQuorum((*cashier).quorum, (*cashier).matches, (*cashier).pay), sim.OnSignal((*cashier).broken))
	lenients = sim.Handle(sim.OnQuorum((*cashier).quorum, (*cashier).matches, (*cashier).pay), sim.OnSignal((*cashier).broken),
		sim.OnMessage((*cashier).late))
)

// paying returns a system of a cashier, and an auditor for each of links. The property is violated if
// more than most is paid. If late is true, the cashier also takes approvals after it has paid.
func paying(enough, most int, late bool, links ...int) *sim.System {
	n := len(links) + 1
	return &sim.System{
		Name: "paying", Doc: "Pays what is approved.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: n, Least: n, Most: n} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			switch {
			case self != p.Addr(0):
				return auditors.Node(&auditor{links[self.Index()-1]})
			case late:
				return lenients.Node(&cashier{enough: enough})
			}
			return cashiers.Node(&cashier{enough: enough})
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return nil
			}
			return []sim.Signal{audit{}}
		},
		Properties: []sim.Property{
			sim.Always("no more is paid than may be", func(v sim.View[*cashier]) bool {
				for _, c := range v.Nodes() {
					if c.sum > most {
						return false
					}
				}
				return true
			}),
		},
	}
}

// TestQuorumsAgree: all engines visit the same states, whether the messages of a quorum come by one
// kind of link or by several, with faults and without.
func TestQuorumsAgree(t *testing.T) {
	for _, faults := range []string{"none", "crash=1", "partition=1", "pause=1,down=1", "loss=1,dup=1,reorder=1", "reset=1"} {
		budgets, err := sim.ParseFaults(faults)
		if err != nil {
			t.Fatal(err)
		}
		for _, links := range [][]int{{2, 3}, {0, 1}, {0, 1, 2}, {0, 0, 0}, {1, 1}, {3, 3, 3}}[:long.Of(2, 6)] {
			for _, late := range []bool{false, true} {
				t.Run(fmt.Sprint(faults, links, late), func(t *testing.T) { agree(t, paying(2, 4, late, links...), sim.Params{}, budgets) })
			}
		}
	}
}

// The number of states is the one counted on paper: each auditor has approved of one of two
// sums, or not yet. If two have approved of the same one, both may have been taken.
func TestQuorumsAreCounted(t *testing.T) {
	want := 0
	for of := range 27 { // 0 means not yet
		sums := [3]int{of % 3, of / 3 % 3, of / 9}
		want++
		for i := range sums {
			for j := range i {
				if sums[i] == sums[j] && sums[i] > 0 {
					want++
				}
			}
		}
	}
	for link := range 2 {
		res := search(t, paying(2, 4, false, link, link, link), 0, nil, Options{Depth: 100, NoWalks: true})
		if res.Safety.State != StateExhausted || res.Stats.States != want {
			t.Errorf("link %d: %s, %d states, want %d", link, res.Safety.State, res.Stats.States, want)
		}
	}
}

// TestQuorumIsReplayed: a walk finds a failure that needs a quorum of three messages. A replay
// reproduces it, and its last step names the three messages and the steps that sent them.
func TestQuorumIsReplayed(t *testing.T) {
	sys := paying(3, 5, false, 0, 1, 3, 2)
	res := search(t, sys, 0, nil, Options{Depth: 1, EvidenceWalks: 200, Seed: 3})
	f := res.Finding
	if f == nil {
		t.Fatal("nothing was found, though three twos are six")
	}
	again, err := Replay(sys, f.Path, Options{})
	if err != nil || again.Finding == nil {
		t.Fatalf("replayed: %v, %v", again, err)
	}
	steps := again.Finding.Trace.Steps
	last := &steps[len(steps)-1]
	q, is := last.Event.Value.(sim.Quorum)
	if !is || len(q) != 3 || len(last.Causes) != 3 || len(last.Took) != 3 || !strings.HasPrefix(last.Identity, "n0 quorum approve{sum: 2} from n1 by tcp, ") {
		t.Fatalf("the last step is %+v", last)
	}
	for i, taken := range q {
		sent := &steps[last.Causes[i]-1]
		if sent.Node != taken.From || !slices.ContainsFunc(sent.Effects, func(e trace.Effect) bool { return int(e.Number) == last.Took[i] && e.Link == taken.Link }) {
			t.Errorf("%v was not sent as number %d in step %d", taken, last.Took[i], last.Causes[i])
		}
	}
}
