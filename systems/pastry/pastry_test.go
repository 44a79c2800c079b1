package pastry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

func addr(i int) sim.Addr { return params(most).Addr(i) }

func params(nodes int) sim.Params {
	p, err := System.Configure(nodes, nil, nil)
	if err != nil {
		panic(err)
	}
	return p
}

// env is the part of an Env that the leaf set needs. No known bug is switched on.
type env struct{ sim.Env }

func (env) Bug(sim.BugID) bool { return false }

// In whatever order nodes are placed, and placed again after they were left out, the leaves are the nearest
// nodes on both sides. Routing among nodes that know all others reaches the closest one.
func TestLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		keys, half := keyset(r.IntN(len(of))), 1+r.IntN(3)
		all := r.Perm(most)[:2+r.IntN(20)]
		self := addr(all[0])
		n := &node{self: self, keys: keys, most: half}
		others := all[1:]
		for range 3 {
			r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
			for _, i := range others {
				n.place(env{}, addr(i))
				n.note(addr(i), true)
			}
		}
		var want []sim.Addr
		for s := range n.half {
			slices.SortFunc(others, func(i, j int) int { return n.dist(side(s), addr(i)).compare(n.dist(side(s), addr(j))) })
			for _, i := range others[:min(half, len(others))] {
				want = with(want, addr(i))
			}
		}
		if len(others) <= 2*half {
			want = nil
			for _, i := range others {
				want = with(want, addr(i))
			}
		}
		if got := n.leaves(); !slices.Equal(got, want) {
			t.Fatalf("%v of %v has the leaves %v, want %v", self, all, got, want)
		}
		for s := range n.half {
			for _, a := range n.half[s].leaves {
				if n.dist(side(s), n.half[s].bound).less(n.dist(side(s), a)) {
					t.Fatalf("%v is beyond the bound %v", a, n.half[s].bound)
				}
			}
		}
		for _, i := range all {
			next := n.next(keys.of(addr(i)), sim.Addr{}, false)
			if (next == self) != (addr(i) == self) {
				t.Fatalf("%v sends what is for %v to %v", self, addr(i), next)
			}
		}
	}
}

// A cell has eight candidates at most, and proven ones take the places of others.
func TestCells(t *testing.T) {
	for keys := range of {
		n := &node{self: addr(0), keys: keyset(keys), most: 2}
		for _, proven := range []bool{false, true} {
			for i := range most {
				n.note(addr(i), proven)
			}
			cells, full := map[[2]int]int{}, false
			for i, c := range n.table {
				row := n.row(c.addr)
				digit := fmt.Sprintf("%040x", number(n.keys.of(c.addr)))[row]
				cells[[2]int{row, int(digit)}]++
				full = full || cells[[2]int{row, int(digit)}] == candidates
				if cells[[2]int{row, int(digit)}] > candidates || c.proven != proven || i > 0 && !n.table[i-1].addr.Less(c.addr) {
					t.Fatalf("noted %t: the table is %v", proven, n.table)
				}
			}
			if !full && keyset(keys) == hashed {
				t.Errorf("noted %t: no cell of the table is full", proven)
			}
		}
	}
}

func find(t *testing.T, nodes int, settings []string, o search.Options, bugs ...string) *search.Result {
	t.Helper()
	var err error
	if o.Params, err = System.Configure(nodes, settings, bugs); err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(System, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With two nodes, and a fault of any kind at any step, every state to some depth is visited. From the states at
// the end the nodes become one ring.
func TestSpace(t *testing.T) {
	for _, faults := range []sim.Faults{{Crash: 1}, {Reset: 1}, {Partition: 1}, {Loss: 1, Dup: 1}} {
		r := find(t, 2, []string{"keys=small"}, search.Options{Conditions: sim.Conditions{Faults: &faults}, Depth: 9, Paths: 20})
		if f := r.Finding; f != nil {
			t.Errorf("%s: %s: %s: %s", faults, f.Verdict, f.Property, f.Message)
		}
		t.Logf("%s: %d states", faults, r.Stats.States)
	}
}

// Walks of more nodes, through storms of faults, end with one ring.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		settings []string
		faults   sim.Faults
	}{
		{1, nil, sim.Faults{Crash: 1}},
		{3, []string{"peers=earlier"}, sim.Faults{Crash: 2, Reset: 2, Partition: 1}},
		{4, []string{"leaves=2", "keys=small"}, sim.Faults{Crash: 2, Reset: 2, Partition: 2}},
		{8, []string{"leaves=4"}, sim.Faults{Crash: 2, Partition: 1}},
		{5, []string{"leaves=2", "app=lookup"}, sim.Faults{Crash: 2, Reset: 2, Partition: 1}},
		{8, []string{"leaves=4", "keys=small", "peers=earlier"}, sim.Faults{Crash: 3, Reset: 3, Loss: 2, Dup: 1}},
	} {
		r := find(t, c.nodes, c.settings, search.Options{Conditions: sim.Conditions{Faults: &c.faults}, Depth: 1, Paths: long.Of(15, 60), WalkLeast: 3_000})
		if f := r.Finding; f != nil {
			t.Errorf("%d nodes, %s, %s: %s: %s: %s", c.nodes, c.settings, c.faults, f.Verdict, f.Property, f.Message)
		}
	}
}
