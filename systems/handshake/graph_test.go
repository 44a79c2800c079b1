package handshake

import (
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// graph is the whole state space: every state that can be reached, before and after Heal. No handler tosses
// coins, so an event leads to exactly one state.
type graph struct {
	states []place
	known  map[string]int // by hash, and whether it was healed
}

type place struct {
	path   []string // the events that lead here, by the shortest way
	picks  []int    // the same by number; heal is -1
	healed bool
	live   bool
	next   []int // in a healed state: by what is not rare
}

const heal = -1

func explore(t *testing.T, faults sim.Faults, bugs ...string) *graph {
	t.Helper()
	params, err := System.Configure(0, nil, bugs)
	if err == nil {
		err = System.Validate(params)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{Conditions: sim.Conditions{Faults: &faults}, Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	g := &graph{known: map[string]int{}}
	g.visit(t, w, nil)
	for from := 0; from < len(g.states); from++ {
		p := g.states[from]
		if !p.healed {
			g.visit(t, w, append(slices.Clone(p.picks), heal))
		}
		for k := range g.enabled(t, w, p.picks) {
			to := g.visit(t, w, append(slices.Clone(p.picks), k))
			g.states[from].next = append(g.states[from].next, to)
		}
	}
	return g
}

// enabled goes to a state and returns the number of events that are possible there.
func (g *graph) enabled(t *testing.T, w *world.World, picks []int) int {
	t.Helper()
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for _, k := range picks {
			if k == heal {
				w.Heal(choose.NewFixed())
			} else if w.Step(choose.NewFixed(k)) != world.Stepped {
				t.Fatalf("%v: %v", picks, w.Run.Err())
			}
			w.Judge.Check()
		}
	}); f != nil {
		t.Fatalf("%s: %s", f.Property, f.Message)
	}
	return w.Events.Count()
}

// visit goes to a state, and keeps it if it is new.
func (g *graph) visit(t *testing.T, w *world.World, picks []int) int {
	t.Helper()
	g.enabled(t, w, picks)
	p := place{picks: picks, healed: slices.Contains(picks, heal), live: w.Judge.Live()}
	key := w.State.Hash().String()
	if p.healed {
		key += " healed"
	}
	if at, known := g.known[key]; known {
		return at
	}
	for _, step := range w.Run.Trace().Steps {
		p.path = append(p.path, step.Identity)
	}
	g.known[key] = len(g.states)
	g.states = append(g.states, p)
	return g.known[key]
}

// dead returns the states after Heal from which no live one can be reached.
func (g *graph) dead() (dead []place) {
	recovers := make([]bool, len(g.states))
	for changed := true; changed; {
		changed = false
		for i, p := range g.states {
			if !recovers[i] && (p.live || slices.ContainsFunc(p.next, func(to int) bool { return recovers[to] })) {
				recovers[i], changed = true, true
			}
		}
	}
	for i, p := range g.states {
		if p.healed && !recovers[i] {
			dead = append(dead, p)
		}
	}
	return dead
}

func (g *graph) count(healed bool) (n int) {
	for _, p := range g.states {
		if p.healed == healed {
			n++
		}
	}
	return n
}
