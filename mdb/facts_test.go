package mdb

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/systems/jointree"
	"macemc/systems/randtree"
)

// The facts of a place are those of its pages.
func TestFacts(t *testing.T) {
	s := explored(t, randtree.System, Settings{})
	must(t, s, "walk 60; jump 20; walk 30 seed 2; branch trunk")
	rng := rand.New(rand.NewPCG(1, 1))
	taken := 0
	for range 25 {
		branch := []string{"trunk", "b1"}[rng.IntN(2)]
		end, _ := s.At(branch, nil)
		step := rng.IntN(end.Len() + 1)
		at, err := s.At(branch, &step)
		if err != nil {
			t.Fatal(err)
		}
		page, err := at.StatePage()
		state, err2 := at.State()
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for _, l := range state {
			if !strings.Contains("\n"+page.String(), "\n"+strings.TrimRight((l.Mark + "  ")[:2]+l.Path+": "+l.Value, " ")+"\n") {
				t.Errorf("%s %d: the page has no %+v:\n%s", branch, step, l, page)
			}
		}
		facts, err := s.Facts(at)
		changes, err2 := at.ChangesPage(step)
		if err != nil || err2 != nil || len(facts.Changes)+len(facts.Down) != len(changes) {
			t.Errorf("%s %d: %d changes and %d nodes down, and the page has\n%s (%v, %v)", branch, step, len(facts.Changes), len(facts.Down), changes, err, err2)
		}
		all, err := at.Alternatives()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			if a.Taken {
				taken++
				if next := step + 1; a.Text != at.run.shown(at.here.at(next)) {
					t.Errorf("%s %d: %q is said to be taken", branch, step, a.Text)
				}
			}
		}
		held, live, err := at.Properties()
		if err != nil || live != at.run.verdicts[at.here.verdict(step)].live {
			t.Fatal(err)
		}
		for k, strip := range s.Strips(at)[:len(held)] {
			holds := strip.First
			for _, turn := range strip.Turns {
				if turn <= step {
					holds = !holds
				}
			}
			if holds != held[k].Holds {
				t.Errorf("%s %d: %s holds: %t, and by its strip %t", branch, step, strip.Name, held[k].Holds, holds)
			}
		}
		cone := s.Cone(at)
		for _, i := range cone {
			if i != step && !s.drawings.of(at.Cursor).graph.Before(i, step) {
				t.Errorf("%s %d: step %d is in the cone, and did not happen before", branch, step, i)
			}
		}
	}
	if taken < 15 {
		t.Errorf("of 25 places only %d go on with one of their alternatives", taken)
	}
}

// A curve samples a bounded number of distinct states, the critical step's first, and goes
// closer where the share falls.
func TestCurvePlan(t *testing.T) {
	for _, steps := range []int{0, 1, 2, 31, 48, 49, 333, 10_000} {
		for _, critical := range []int{0, 1, steps / 3, steps} {
			fall := steps * 5 / 7
			c := &curve{steps: steps, critical: critical, points: map[int]Point{}}
			for n := 0; ; n++ {
				at, is := c.next()
				if !is {
					break
				}
				if _, known := c.points[at]; known || at < 0 || at > steps {
					t.Fatalf("of %d steps, step %d is sampled (again: %t)", steps, at, known)
				}
				if critical > 0 && n < 2 && at != critical-1+n {
					t.Errorf("of %d steps with the critical step %d, step %d is sampled at %d", steps, critical, at, n)
				}
				c.points[at] = Point{Step: at, Low: 0, High: 0.1}
				if at < fall {
					c.points[at] = Point{Step: at, Well: curveWalks, Low: 0.9, High: 1}
				}
				if n > 60 {
					t.Fatalf("of %d steps, more than 60 are sampled", steps)
				}
			}
			want := []int{0, steps}
			if steps > 0 && fall > 0 {
				want = append(want, fall, fall-1)
			}
			for _, at := range want {
				if _, known := c.points[at]; !known {
					t.Errorf("of %d steps with a fall at %d, step %d is not sampled", steps, fall, at)
				}
			}
			if steps <= curveAll && len(c.points) != steps+1 {
				t.Errorf("of %d steps %d are sampled", steps, len(c.points))
			}
		}
	}
}

// The share at a point of a curve agrees with that of other walks from the same state.
func TestCurve(t *testing.T) {
	s := explored(t, jointree.System, Settings{})
	defer s.Close()
	must(t, s, "walk 8")
	at, _ := s.At("", nil)
	c, err := s.Curve(at, 3)
	if err != nil || len(c.Points) != 3 || c.Done || c.States != 9 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, p := range c.Points {
		well := 0
		for seed := range 40 {
			b := explored(t, jointree.System, Settings{})
			must(t, b, "walk 8")
			must(t, b, "jump "+strconv.Itoa(p.Step))
			if page, err := b.Do("walk live seed " + strconv.Itoa(seed+100)); err == nil && strings.Contains(page.String(), "live") && !strings.Contains(page.String(), "not live") {
				well++
			}
		}
		if share := float64(well) / 40; share < p.Low-0.2 || share > p.High+0.2 {
			t.Errorf("from step %d %d of 40 walks recover; the curve says %d, %g to %g", p.Step, well, p.Well, p.Low, p.High)
		}
	}
	steps := []int{}
	for _, p := range c.Points {
		steps = append(steps, p.Step)
	}
	if !slices.IsSorted(steps) {
		t.Errorf("the points are of the steps %v", steps)
	}
}

// A path that can be taken to its end, but does not end there as was recorded, says so in the summary and
// in the description that the page shows. One that ends as recorded says nothing.
func TestEndsOtherwise(t *testing.T) {
	const was = "It was recorded as "
	for _, c := range []struct{ do, verdict, violates, want string }{
		{"walk 20", "safety", "P", was + `safety, "P"; with the code as it is now it does not fail.`},
		{"walk 20", "panic", "", was + "panic; with the code as it is now it does not fail."},
		{"walk 1", "dead", "all joined", was + `dead, "all joined"; with the code as it is now it does not fail: live states can be reached from its end.`},
		{"walk live", "dead", "all joined", was + `dead, "all joined"; with the code as it is now its end is live.`},
		{"walk 20", "none", "", ""},
	} {
		s := explored(t, randtree.System, Settings{})
		must(t, s, c.do)
		header := append(s.settings(), choose.Field{Key: "verdict", Value: c.verdict})
		if c.violates != "" {
			header = append(header, choose.Field{Key: "violates", Value: c.violates})
		}
		name := filepath.Join(t.TempDir(), "error.path")
		writePath(t, name, s.here.path(header, s.Len()))
		saysOtherwise(t, name, c.want)
	}
	for _, example := range []string{"brokentree-BT1", "handshake-HS1", "randtree-RT15", "brokentree-BT2"} {
		saysOtherwise(t, filepath.Join("../docs/examples", example), "")
	}
}

func saysOtherwise(t *testing.T, name, want string) {
	t.Helper()
	s, err := Opener{Find: systems, Tool: "macemc"}.Open(name, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	summary, parted := s.SummaryPage().String(), s.About().Parted
	if parted != want || !strings.Contains(summary, want) || want == "" && strings.Contains(summary, "with the code as it is now") {
		t.Errorf("%s: the page says %q, want %q; the summary is\n%s", name, parted, want, summary)
	}
}
