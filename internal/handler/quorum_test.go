package handler

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/sim"
)

// vote is a message for a ballot. A vote for a lower ballot than the node's own does not count.
type vote struct{ ballot, word int }

type counter struct{ enough, ballot int }

func (c *counter) size() int { return c.enough }
func (c *counter) match(_ sim.Addr, v vote) (ballot int, ok bool) {
	return v.ballot, v.ballot >= c.ballot
}
func (c *counter) counted(sim.Env, []sim.Sent[vote]) {}
func (c *counter) heard(sim.Env, sim.Addr, string)   {}

var counters = sim.Handle(sim.OnQuorum((*counter).size, (*counter).match, (*counter).counted), sim.OnMessage((*counter).heard))

// TestQuorums checks that Find lists each set of pending messages that forms a quorum once, and no others, by
// trying all sets of messages.
func TestQuorums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	addrs := sim.Params{Nodes: 5}.Addrs()
	var find Quorums
	for range 3000 {
		c := &counter{enough: 1 + r.IntN(3), ballot: r.IntN(2)}
		g := GuardsOf(counters.Node(c))
		var pending []sim.Sent[sim.Message]
		for _, from := range addrs {
			for range r.IntN(3) {
				pending = append(pending, sim.Sent[sim.Message]{From: from, Message: []any{vote{r.IntN(3), r.IntN(2)}, "a word"}[min(1, r.IntN(6)/5)]})
			}
		}
		var got, want []string
		find.Find(&g, pending, func(places []int32) { got = append(got, fmt.Sprint(places)) })
		for set := range 1 << len(pending) {
			if places, fits := quorumOf(c, pending, uint(set)); fits {
				want = append(want, fmt.Sprint(places))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v of %v finds\n%v, want\n%v", *c, pending, got, want)
		}
	}
}

// quorumOf reports whether a set of pending messages is a quorum, by the rules of OnQuorum.
func quorumOf(c *counter, pending []sim.Sent[sim.Message], set uint) (places []int, fits bool) {
	ballots, senders := map[int]bool{}, map[sim.Addr]bool{}
	for i, m := range pending {
		if set&(1<<i) == 0 {
			continue
		}
		v, is := m.Message.(vote)
		if !is || v.ballot < c.ballot {
			return nil, false
		}
		ballots[v.ballot], senders[m.From] = true, true
		places = append(places, i)
	}
	n := bits.OnesCount(set)
	return places, n == c.enough && len(senders) == n && len(ballots) == 1
}

// TestAwaits checks that a message with an OnQuorum is not taken by itself, unless it also has an OnMessage.
func TestAwaits(t *testing.T) {
	g := GuardsOf(counters.Node(&counter{enough: 2}))
	if from := (sim.Addr{}); g.Accept(from, vote{}) || !g.Accept(from, "a word") || !g.Awaits(vote{}) {
		t.Error("a vote is accepted alone, or a word is not")
	}
}
