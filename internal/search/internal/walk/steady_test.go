package walk

import (
	"testing"

	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// A walk is in steady state when it was live for Calm steps and nothing is under way, or when it was
// live for 2*Calm steps.
func TestSteady(t *testing.T) {
	const calm = 5
	for _, c := range []struct {
		echoes bool
		want   int // steps
	}{{false, calm}, {true, 2 * calm}} {
		w, err := world.New(&sim.System{
			Name: "echoes", Doc: "Nodes send back what they get, or have nobody to send it to.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 2} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &echo{} },
			Properties: []sim.Property{
				sim.Eventually("they are there", func(sim.View[*echo]) bool { return true }),
			},
		}, sim.Params{Nodes: map[bool]int{false: 1, true: 2}[c.echoes]}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s := &Steady{Walk: New(1), Calm: calm}
		s.Begin(Plan{Climate: run.Fair, Length: Length{Most: 100}})
		steps := 0
		if f := w.Protect(func() {
			for w.Start(s); s.Visit(w, w.Run.Steps()) && run.Fair.Step(w, s) == world.Stepped; steps++ {
			}
		}); f != nil || !s.Done || steps != c.want {
			t.Errorf("something under way: %v; %v, steady %v after %d steps, want %d", c.echoes, f, s.Done, steps, c.want)
		}
	}
}
