package decide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// standard returns the test with the default bounds of a search, for a slowest recovery of this
// number of steps.
func standard(recovery int) Test {
	return Test{Walks: 60, WalkSteps: 10_000, MaxWalkSteps: 80_000, Recovery: recovery}
}

// The rounds go from many short walks to a few long ones. Their lengths depend on the slowest
// recovery.
func TestRounds(t *testing.T) {
	short, hopeless := standard(5), standard(0)
	hopeless.Hopeless = true
	short.WalkSteps, short.MaxWalkSteps = 20, 20
	for _, c := range []struct {
		of     Test
		rounds []Round
	}{
		{standard(30), []Round{{240, 128}, {15, 512}, {4, 2_048}, {4, 10_000}, {1, 80_000}}},
		{standard(1), []Round{{240, 128}, {15, 512}, {4, 2_048}, {4, 10_000}, {1, 80_000}}},
		{standard(500), []Round{{75, 2_000}, {15, 8_000}, {4, 32_000}, {1, 80_000}}},
		{standard(5_000), []Round{{60, 20_000}, {15, 80_000}}},
		{standard(50_000), []Round{{60, 80_000}}},
		{standard(0), []Round{{240, 500}, {15, 2_000}, {4, 10_000}, {1, 80_000}}},
		{hopeless, []Round{{240, 500}, {15, 2_000}, {4, 8_000}, {4, 32_000}, {4, 80_000}}},
		{short, []Round{{60, 20}}},
	} {
		if got := c.of.Rounds(); !slices.Equal(got, c.rounds) {
			t.Errorf("%+v: the rounds are %v, not %v", c.of, got, c.rounds)
		}
		if c.of.Cost() != cost(c.rounds) {
			t.Errorf("%+v: they cost %d, not %d", c.of, c.of.Cost(), cost(c.rounds))
		}
	}
}

func cost(rounds []Round) (steps int) {
	for _, r := range rounds {
		steps += r.Walks * r.Steps
	}
	return steps
}

// For any bounds and any slowest recovery, each round has longer walks than the one before, and
// not more of them; no walk is longer than MaxWalkSteps, and the longest have WalkSteps at least.
func TestRoundsOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		c := Test{Walks: 1 + r.IntN(200), WalkSteps: 1 + r.IntN(20_000), Recovery: r.IntN(2) * r.IntN(30_000), Hopeless: r.IntN(4) == 0}
		c.MaxWalkSteps = c.WalkSteps * (1 + r.IntN(8))
		rounds := c.Rounds()
		last := rounds[len(rounds)-1]
		if last.Walks == 1 && len(rounds) > 1 && last.Steps == c.MaxWalkSteps {
			rounds = rounds[:len(rounds)-1]
			last = rounds[len(rounds)-1]
		}
		if rounds[0].Walks < c.Walks || rounds[0].Steps != c.Shortest() || last.Steps > c.MaxWalkSteps || last.Steps < c.WalkSteps || c.Hopeless && last.Steps < c.MaxWalkSteps || len(rounds) > 8 {
			t.Fatalf("%+v: the rounds are %v", c, rounds)
		}
		for i, r := range rounds[1:] {
			if before := rounds[i]; r.Steps <= before.Steps || r.Walks > max(before.Walks, fewestWalks) || r.Walks < fewestWalks {
				t.Fatalf("%+v: round %d of %v", c, i+1, rounds)
			}
		}
	}
}

// miss returns the probability that the test calls a state dead, if the function chance returns
// the chance that a walk of a number of steps becomes live.
func miss(rounds []Round, chance func(steps int) float64) float64 {
	p := 1.0
	for _, r := range rounds {
		p *= math.Pow(1-chance(r.Steps), float64(r.Walks))
	}
	return p
}

// within returns the chances of walks that become live with one chance if they have at least a
// number of steps, and never otherwise.
func within(steps int, chance float64) func(int) float64 {
	return func(n int) float64 {
		if n < steps {
			return 0
		}
		return chance
	}
}

// TestMissAsDocumented checks that the probabilities, stated in the package comment, with which a run that can recover is
// called dead are those that the code computes.
func TestMissAsDocumented(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^//\t *([0-9,]+) +([0-9.]+) +([0-9.e-]+)$`).FindAllStringSubmatch(string(text), -1)
	for _, row := range rows {
		steps, _ := strconv.Atoi(strings.ReplaceAll(row[1], ",", ""))
		chance, _ := strconv.ParseFloat(row[2], 64)
		if p := fmt.Sprintf("%.2g", miss(standard(30).Rounds(), within(steps, chance))); p != row[3] {
			t.Errorf("within %d steps with %v: it is %s, and %s is stated", steps, chance, p, row[3])
		}
	}
	if len(rows) < 10 {
		t.Errorf("there are %d rows", len(rows))
	}
}

// slow is a lab of a run of one step. From its start, every walk becomes live after the same number
// of steps. From its end, a walk becomes live after a number of steps that the function after
// draws, or never.
type slow struct {
	mortal
	before int
	after  func(*rand.Rand) int // steps until a walk becomes live; 0 means never
	seed   uint64
	taken  int // steps
}

func (s *slow) Walk(q Walks) (*Walked, error) {
	out := &Walked{}
	if q.Spells {
		s.taken += q.Count * q.Steps
		return &Walked{Taken: q.Count, Spell: s.before}, nil
	}
	for i := range q.Count {
		out.Taken++
		n := s.before
		if q.From > 0 {
			n = 0
			if q.Manner == Plain { // walks of other manners never succeed, so that the plain walks of the test decide alone
				n = s.after(rand.New(rand.NewPCG(s.seed, uint64(q.Salt)<<32|uint64(i))))
			}
		}
		if n == 0 || n > q.Steps {
			s.taken += q.Steps
			continue
		}
		s.taken += n
		if out.Success = append(out.Success, Success{Number: i, Steps: n}); !q.All {
			break
		}
	}
	return out, nil
}

// If states recover with a known chance after a known number of steps, the share of them that is
// called dead equals the probability that follows from the rounds of the test, within four standard
// deviations. A state from which every walk becomes live within MaxWalkSteps is never called dead.
func TestMissIsTheErrorOfTheTest(t *testing.T) {
	const n = 1_000
	for _, c := range []struct {
		steps  int
		chance float64
	}{{20, 0.002}, {20, 0.005}, {20, 0.01}, {300, 0.02}, {300, 0.1}, {1_500, 0.2}, {9_000, 0.5}, {9_000, 1}, {11_000, 0.5}, {79_000, 1}} {
		dead := 0
		for seed := range uint64(n) {
			lab := &slow{before: 30, seed: seed, after: func(r *rand.Rand) int {
				if r.Float64() < c.chance {
					return c.steps
				}
				return 0
			}}
			p := New(lab, &Run{Events: make([]string, 1), Wild: make([]bool, 1), Live: make([]bool, 2), Counts: true},
				Options{Walks: 60, WalkSteps: 10_000, MaxWalkSteps: 80_000, Recovery: 30})
			e, err := p.fresh(1)
			if err != nil {
				t.Fatal(err)
			}
			if e != nil {
				dead++
			}
		}
		want := miss(standard(30).Rounds(), within(c.steps, c.chance))
		if got := float64(dead) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("recovery after %d steps with %v: %.3f are called dead, and %.3f by the rounds", c.steps, c.chance, got, want)
		}
	}
}

// Calling a state dead costs few steps if recoveries are short, and the evidence has the numbers and
// lengths of the walks.
func TestDeadCostsLittle(t *testing.T) {
	lab := &slow{before: 30, after: func(*rand.Rand) int { return 0 }}
	p := New(lab, &Run{Events: make([]string, 1), Wild: make([]bool, 1), Live: make([]bool, 2), Counts: true},
		Options{Walks: 60, WalkSteps: 10_000, MaxWalkSteps: 80_000, Exhaust: -1})
	res, err := p.Find()
	if err != nil || res.Critical == nil || res.Critical.Step != 1 || res.Critical.Exact {
		t.Fatal(res, err)
	}
	if e := res.Evidence; e.Walks != 264 || e.WalkSteps != 128 || e.Longest != 80_000 || math.Abs(e.Escape95-0.0113) > 0.0001 || res.Critical.Witness.Steps != 30 {
		t.Errorf("evidence is %+v of %+v", e, res.Critical)
	}
	if most := 280_000; lab.taken > most {
		t.Errorf("it took %d steps, more than %d", lab.taken, most)
	}
}

var _ Lab = (*slow)(nil)
