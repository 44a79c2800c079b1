package eventgraph

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/choose"
)

// A window has the rows of its steps, and of the arrows and bands of the whole those that
// begin, end or pass there.
func TestWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	arrows := 0
	for name, p := range plays(t) {
		g := p.graph(t, Marks{})
		picture, n := g.Picture(), g.Steps()
		whole := picture.Window(0, n)
		for range 30 {
			from := rng.IntN(n + 1)
			to := from + rng.IntN(n+3-from)
			got, want := picture.Window(from, to), Window{}
			for _, r := range whole.Rows {
				if from <= r.Step && r.Step <= to {
					want.Rows = append(want.Rows, r)
				}
			}
			if !slices.Equal(got.Rows, want.Rows) {
				t.Fatalf("%s: rows %d to %d are %v; want %v", name, from, to, got.Rows, want.Rows)
			}
			for _, a := range whole.Arrows {
				meets := false
				for i := a.From; i <= max(a.From, a.To); i++ {
					meets = meets || from <= i && i <= to
				}
				if slices.Contains(got.Arrows, a) != meets {
					t.Errorf("%s: the window %d to %d has %+v: %t; want %t", name, from, to, a, !meets, meets)
				}
				arrows++
			}
			for _, b := range whole.Bands {
				meets := false
				for i := from; i <= to; i++ {
					meets = meets || b.From <= i && (b.To < 0 || i <= b.To)
				}
				if slices.Contains(got.Bands, b) != meets {
					t.Errorf("%s: the window %d to %d has %+v: %t; want %t", name, from, to, b, !meets, meets)
				}
			}
		}
	}
	if arrows < 500 {
		t.Errorf("%d arrows were looked at", arrows)
	}
}

// A trace for Perfetto is JSON with a slice for each start and step on the track of its
// node, and a flow from the slice that sent a message to the slice that took it.
func TestPerfetto(t *testing.T) {
	flows := 0
	for name, p := range plays(t) {
		g := p.graph(t, Marks{Critical: 1})
		var b bytes.Buffer
		if err := g.Perfetto(&b, "title", Part{}); err != nil {
			t.Fatal(err)
		}
		var trace struct{ TraceEvents []slice }
		if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b.String())
		}
		type end struct{ thread, step int }
		steps, begins, ends := map[end]int{}, map[int]end{}, map[int]end{}
		for _, s := range trace.TraceEvents {
			at := end{s.Thread, s.Time / stepTakes}
			switch s.Phase {
			case "X":
				steps[at]++
			case "s":
				begins[s.ID] = at
			case "f":
				ends[s.ID] = at
			}
		}
		all := 0
		for _, n := range steps {
			all += n
		}
		if all != len(g.points) || len(begins) != len(ends) {
			t.Errorf("%s: %d slices of %d points; %d flows begin, and %d end", name, all, len(g.points), len(begins), len(ends))
		}
		for id, from := range begins {
			flows++
			to, is := ends[id]
			if !is || steps[from] == 0 || steps[to] == 0 || from.step > to.step {
				t.Errorf("%s: flow %d goes from %v to %v (%t)", name, id, from, to, is)
			}
		}
	}
	if flows < 15 {
		t.Errorf("there were %d flows", flows)
	}
}

// The row of a step says that the node crashes within it.
func TestRowSaysTheCrashWithin(t *testing.T) {
	g := plays(t)["crash"].graph(t, Marks{})
	before := g.Picture().Window(2, 2).Rows[0].Text
	p := &g.points[g.starts+1]
	p.Coins = append(p.Coins, choose.Choice{Kind: choose.Coin, Of: 2, Pick: 1, What: "does n1 crash within the step: after effect 1, sync"})
	if got, want := g.Picture().Window(2, 2).Rows[0].Text, before+", crashes within"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
}
