package search

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/internal/spec"
	"macemc/sim"
)

// TestPackedNodes compares explorations that keep nodes as they are with explorations that
// pack all but the first of a place: of every system and of random services, with faults and
// without. The states are the same, and each node is the same by identity and text.
func TestPackedNodes(t *testing.T) {
	packed := 0
	for _, sys := range catalog.Systems() {
		for _, faults := range []string{"crash=1,reset=1", "none"}[:long.Of(1, 2)] {
			budgets, err := sim.ParseFaults(faults)
			if err != nil {
				t.Fatal(err)
			}
			opts := Options{Conditions: sim.Conditions{Faults: &budgets}, Depth: long.Of(3, 7)}
			if n := packedOrNot(t, sys, opts); n == 0 {
				t.Logf("%s: no node is packed", sys.Name)
			} else {
				packed++
			}
		}
	}
	for seed := range uint64(long.Of(6, 200)) {
		s := spec.Draw(seed)
		opts := conditions(s)
		opts.Depth = 5
		if packed += packedOrNot(t, s.System(), opts); t.Failed() {
			t.Fatalf("service %d: %s", seed, s)
		}
	}
	if packed < 10 {
		t.Errorf("the nodes of %d systems were packed", packed)
	}
}

// packedOrNot explores a system with packed nodes and with nodes kept as they are, and compares the
// states. It returns 1 if nodes of the system can be packed, and 0 otherwise.
func packedOrNot(t *testing.T, sys *sim.System, opts Options) int {
	t.Helper()
	var all [2][]string
	why := ""
	for i := range all {
		opts.live = i
		opts.once = true
		r, x := rooted(t, sys, opts)
		defer x.Close()
		x.ByMemo()
		bad, err := r.owner.Guarded(x.Taker, x.Roots)
		for level, depth := x.Level(), 0; err == nil && bad == nil && depth < opts.Depth && x.Set.Len() < long.Of(200, 20_000); depth++ {
			bad, err = r.owner.Guarded(x.Taker, func() error { return expandSome(x, level) })
			level = x.Level()
		}
		why = x.Bank.Unpacked()
		all[i] = keptStates(t, x)
		all[i] = append(all[i], fmt.Sprint(err, bad))
	}
	comparesStates(t, sys, opts, all)
	if why != "" {
		t.Logf("%s: %s", sys.Name, why)
		return 0
	}
	return 1
}

// comparesStates compares the states of two explorations; the last line of each is how it ended.
func comparesStates(t *testing.T, sys *sim.System, opts Options, all [2][]string) {
	t.Helper()
	if !slices.Equal(all[0], all[1]) {
		k := 0
		for k < min(len(all[0]), len(all[1]))-1 && all[0][k] == all[1][k] {
			k++
		}
		t.Errorf("%s with %v: %d and %d states; they differ at %d: %s | %s", sys.Name, opts.Faults, len(all[0])-1, len(all[1])-1, k, all[0][k], all[1][k])
	}
}

// expandSome expands the first states of a level.
func expandSome(x *explore.Explorer, level explore.Frontier) (err error) {
	level.Some(0, min(level.Len(), long.Of(8, 20_000)), func(_ int, at uint32) bool {
		if !x.Outside(at) {
			err = x.Expand(at)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return x.Settle()
}

// keptStates returns all states of an explorer as text. The identity of each node is computed
// anew.
func keptStates(t *testing.T, x *explore.Explorer) (all []string) {
	for s := range x.Each {
		x.Get(s, x.From)
		x.World.State.Load(x.Bank, x.From)
		for i := range x.World.Params().Nodes {
			if got, want := x.World.State.NodeSum(i), x.Bank.Sum(i, x.From[i]); got != want {
				t.Errorf("node %d of state %d has the identity %x and had %x", i, s, got, want)
			}
		}
		all = append(all, fmt.Sprint(x.From, x.Origin(s), x.Live(s), x.Outside(s), x.World.Text.Lines()))
	}
	return all
}

// A lender is a node without pointers. The messages that it sends share memory with it.
type lender struct {
	sent bool
	list [2]uint8
}

type lent struct{ list []uint8 }

type (
	lends  uint8
	counts uint8
)

var lenders = sim.Handle(sim.OnSignal((*lender).lend), sim.OnSignal((*lender).count), sim.OnMessage((*lender).take))

func (l *lender) Offers(offer func(sim.Signal)) {
	if !l.sent {
		offer(lends(0))
	}
	if l.list[0] < 3 {
		offer(counts(0))
	}
}

func (l *lender) lend(env sim.Env, _ lends) {
	l.sent = true
	env.Bag().Send(env.Peers()[0], lent{l.list[:]})
}
func (l *lender) count(sim.Env, counts)              { l.list[0]++ }
func (l *lender) take(_ sim.Env, _ sim.Addr, m lent) { l.list[1] = m.list[0] }

// TestLentMemory: a message that shares memory with its sender does not change when a later step changes
// the sender, although the world loads packed nodes into the same memory again. If a node that crashed
// is its own next life (System.Crash), the next life does not share memory with the world either.
func TestLentMemory(t *testing.T) {
	sys := &sim.System{
		Name: "lender", Doc: "Nodes that send their own memory.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return lenders.Node(&lender{}) },
		Crash: func(_ sim.Params, _ sim.Addr, dead sim.Node) sim.Node { return dead },
	}
	for _, faults := range []sim.Faults{{}, {Crash: 1}} {
		if packedOrNot(t, sys, Options{Conditions: sim.Conditions{Faults: &faults}, Depth: 5}) == 0 {
			t.Error("the nodes are not packed")
		}
	}
}
