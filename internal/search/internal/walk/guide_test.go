package walk

import (
	"fmt"
	"testing"

	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// In walks with the manner Swarm, links, nodes and timers have speeds, which differ within a walk
// and from walk to walk.
func TestSpeeds(t *testing.T) {
	at := sim.Params{Nodes: 4}.Addrs()
	const walks = 2_000
	var apart, slow, timers int
	for i := range uint64(walks) {
		g := guiding{}
		g.begin(Guide{Manner: Swarm, Key: mix(i + 1), Until: 100})
		message := func(from, to sim.Addr) int {
			return g.distortion(nil, &world.Glance{Kind: sim.KindMessage, Node: place(to), From: place(from)}, 0, 0)
		}
		if first, again := message(at[0], at[1]), message(at[0], at[1]); first != again {
			t.Fatal("a link changes its speed within a walk")
		}
		if one, other := message(at[1], at[0]), message(at[2], at[0]); one-other >= 4 || other-one >= 4 { // a factor of 16
			apart++
		}
		all := 0 // the links to at[0] that are about ten times slower than those to at[1]
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
			if g.distortion(nil, &world.Glance{Kind: sim.KindTimer, Node: place(a)}, 0, 0) <= -4 {
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

// Different types have different hashes, and a type has the same hash wherever it is met.
func TestTypesHaveHashes(t *testing.T) {
	type hello struct{}
	type bye struct{}
	g, of := &guiding{}, map[uint64]string{}
	for range 3 {
		for _, v := range []any{hello{}, bye{}, 1, nil, hello{}} {
			name := fmt.Sprintf("%T", v)
			sum := g.named(&sim.Event{Kind: sim.KindMessage, Value: v})
			if was, known := of[sum]; known && was != name || (sum == 0) != (v == nil) {
				t.Errorf("%s has hash %d, as %s", name, sum, was)
			}
			of[sum] = name
		}
	}
	if len(of) != 4 {
		t.Errorf("hashes are %v", of)
	}
}

// The distortions in the cache are those that would be drawn for the events anew, also after the
// next walk has begun.
func TestDistortionsAreRemembered(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{}), New(1)
	for i := range uint64(50) {
		take(t, w, s, Plan{Number: i, Climate: run.Fair, Judged: 30, Length: Length{Most: 1}, Guide: Guide{Manner: Swarm, Key: mix(i + 1), Until: 30}})
		g := &s.guide
		w.Events.Count()
		g.possible = w.Events.Glances(g.possible, true)
		for k := range g.possible {
			e := w.Events.Glance(k)
			if got, want := g.distortion(w, &e, k, 30), g.drawn(&e, g.named(w.Events.Look(k))); got != want {
				t.Errorf("walk %d: %s has %d, want %d", i, w.Events.Identity(k), got, want)
			}
		}
	}
}
