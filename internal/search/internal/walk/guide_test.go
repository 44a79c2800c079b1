package walk

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"macemc/sim"
)

// In walks of the manner swarm links, nodes and timers have speeds of their own: which
// differ within a walk, and from walk to walk.
func TestSpeeds(t *testing.T) {
	type hello struct{}
	type tick struct{}
	at := sim.Params{Nodes: 4}.Addrs()
	const walks = 2_000
	var apart, slow, timers int
	for i := range uint64(walks) {
		g := guiding{}
		g.begin(Guide{Manner: Swarm, Key: mix(i + 1), Until: 100})
		g.places = len(at) + 1
		message := func(from, to sim.Addr) int {
			return g.distortion(&sim.Event{Kind: sim.KindMessage, Node: to, From: from, Value: hello{}}, 0)
		}
		if first, again := message(at[0], at[1]), message(at[0], at[1]); first != again {
			t.Fatal("a link changes its speed within a walk")
		}
		if one, other := message(at[1], at[0]), message(at[2], at[0]); one-other >= 4 || other-one >= 4 { // 16 times
			apart++
		}
		all := 0 // links to one node beside those to another: ten times slower
		for _, from := range at[2:] {
			if message(from, at[1])-message(from, at[0]) >= 3 {
				all++
			}
		}
		if all == 2 {
			slow++
		}
		rare := 0
		for _, a := range at {
			if g.distortion(&sim.Event{Kind: sim.KindTimer, Node: a, Value: tick{}}, 0) <= -4 {
				rare++
			}
		}
		if rare == len(at) {
			timers++
		}
	}
	if apart < walks/6 || slow < walks/10 || timers < walks/10 || timers > walks/2 {
		t.Errorf("of %d walks, in %d two links differ by 16 times, in %d a node is slower to all, in %d timers of a type are rare", walks, apart, slow, timers)
	}
}

// Different types have different numbers, and a type has the same number wherever it is met.
func TestTypesHaveNumbers(t *testing.T) {
	type hello struct{}
	type bye struct{}
	at := sim.Params{Nodes: 2}.Addrs()
	g := &guiding{}
	of := map[string]int{}
	for range 3 {
		for _, node := range at {
			for _, v := range []any{hello{}, bye{}, 1, nil, hello{}} {
				name := fmt.Sprintf("%T", v)
				n := g.number(&sim.Event{Kind: sim.KindMessage, Node: node, Value: v})
				if was, known := of[name]; known && was != n {
					t.Errorf("%s is %d, and was %d", name, n, was)
				}
				of[name] = n
			}
		}
	}
	if numbers := slices.Sorted(maps.Values(of)); !slices.Equal(numbers, []int{0, 1, 2, 3}) || of["<nil>"] != 0 {
		t.Errorf("numbers are %v", of)
	}
}
