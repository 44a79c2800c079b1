package critical_test

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"macemc/internal/critical"
	"macemc/internal/decide"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/systems/handshake"
	"macemc/systems/peterson"
)

var oracle = flag.Int("oracle", 0, "TestOracle takes so many mazes and prints what it counted, for BENCHMARKS.md")

// tallyOf counts how often an answer was right.
type tallyOf struct{ right, of int }

func (t *tallyOf) add(right bool) {
	t.of++
	if right {
		t.right++
	}
}

func (t tallyOf) percent() float64 { return 100 * float64(t.right) / float64(max(1, t.of)) }

func (t tallyOf) String() string { return fmt.Sprintf("%d of %d, %.2f %%", t.right, t.of, t.percent()) }

// TestOracle compares critical steps with the truth on random mazes. Visiting all states always finds the
// critical step. Walks find it in 99 of 100 mazes in which a walk from each recoverable state of the run
// escapes with a probability of at least 5 %. The bound that is reported with a step found by walks holds
// in 95 of 100 mazes.
func TestOracle(t *testing.T) {
	n := *oracle
	if n == 0 {
		n = long.Of(10, 30)
	}
	const steps = 1_000
	var wide, late, all, bound, real tallyOf
	var plain misses
	classes := make([]tallyOf, 5) // by the least chance to escape, in orders of magnitude
	for seed := range uint64(n) {
		m := newMaze(seed)
		sys := m.system()
		f, truth := m.finding(t, sys), m.truth()
		if got := find(t, sys, f, critical.Options{NoLive: true}).Critical; !got.Exact || got.Step != truth {
			t.Errorf("maze %d: critical is %+v, and should be %d", seed, got, truth)
		}
		sampled := find(t, sys, f, critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{WalkSteps: steps}})
		right := sampled.Critical.Step == truth
		escapes := m.escapes(steps)
		least := 1.0
		for _, v := range m.run[:truth] {
			if e := escapes[v]; e > 0 {
				least = min(least, e)
			}
		}
		all.add(right)
		if least >= 0.05 {
			wide.add(right)
		}
		if truth > 0 && escapes[m.run[truth-1]] >= 0.05 {
			late.add(right)
		}
		class := 0
		for e := least; e < 1 && class < len(classes)-1; e *= 10 {
			class++
		}
		classes[class].add(right)
		e := sampled.Evidence
		true95 := m.escapes(e.WalkSteps)[m.run[e.From]] <= e.Escape95
		bound.add(true95)
		plain.add(t, m, f, seed)
		if !right && testing.Verbose() && *oracle == 0 {
			t.Logf("maze %d: sampled %d, and it is %d; least chance %.4f, bound holds %v", seed, sampled.Critical.Step, truth, least, true95)
		}
	}
	for _, c := range []struct {
		sys *sim.System
		bug sim.BugID
	}{{handshake.System, handshake.HS1}, {peterson.System, peterson.PE2}} {
		params, err := c.sys.Configure(0, nil, []string{string(c.bug)})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(max(1, n/50)) {
			res, err := search.Search(c.sys, search.Options{Params: params, Depth: 1, Seed: seed + 1})
			if err != nil || res.Finding == nil {
				t.Fatal(err, res)
			}
			exact := find(t, c.sys, res.Finding, critical.Options{NoLive: true})
			sampled := find(t, c.sys, res.Finding, critical.Options{Exhaust: -1, NoLive: true})
			real.add(sampled.Critical.Step == exact.Critical.Step)
		}
	}
	if *oracle > 0 {
		fmt.Printf("mazes                                                   %d\n", n)
		fmt.Printf("critical step right, all                                %s\n", all)
		for i, text := range []string{"1", "0.1 to 1", "0.01 to 0.1", "0.001 to 0.01", "less"} {
			fmt.Printf("  least chance of a recoverable state %-16s    %s\n", text, classes[i])
		}
		fmt.Printf("  at least 5 %% from the last recoverable state          %s\n", late)
		fmt.Printf("  at least 5 %% from every recoverable state             %s\n", wide)
		fmt.Printf("handshake HS1, peterson PE2, other seeds                %s\n", real)
		fmt.Printf("bound on the chance to escape holds                     %s\n", bound)
		fmt.Printf("called dead by plain walks alone                        %s\n", plain)
		fmt.Printf("oracle: agree %.2f%% calibrated %.2f%%\n", wide.percent(), bound.percent())
	}
	if !plain.likely() {
		t.Errorf("plain walks alone: %s", plain)
	}
	if wide.percent() < 99 {
		t.Errorf("where walks escape with a chance of at least 5 %%, the critical step is right in %s", wide)
	}
	if bound.percent() < 95 {
		t.Errorf("the bound holds in %s", bound)
	}
	if real.right < real.of {
		t.Errorf("of known bugs, the critical step is right in %s", real)
	}
}

// misses counts how often the plain walks of the sequential test call a state dead that can
// recover, and how often they should by the chances that are computed on the graph.
type misses struct {
	of, dead         int
	expected, spread float64
}

// add applies the sequential test of decide to some states of a maze's run, and counts the results.
func (e *misses) add(t *testing.T, m *maze, f *search.Finding, seed uint64) {
	t.Helper()
	lab, err := search.NewLab(m.system(), f.Path, search.Options{Seed: seed + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	of, err := lab.Take(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	test := decide.Test{Walks: 60, WalkSteps: 1_000, MaxWalkSteps: 8_000, Recovery: 1}
	for at := 0; at < len(m.run); at += 1 + len(m.run)/4 {
		if m.live[m.run[at]] || m.escapes(10_000)[m.run[at]] == 0 {
			continue
		}
		dead, expected := true, 1.0
		for i, r := range test.Rounds() {
			w, err := lab.Walk(of, search.Walks{From: at, Count: r.Walks, Steps: r.Steps, Salt: uint16(0x2000 + i)})
			if err != nil {
				t.Fatal(err)
			}
			dead = dead && len(w.Success) == 0
			expected *= math.Pow(1-m.escapes(r.Steps)[m.run[at]], float64(r.Walks))
		}
		e.of++
		if e.expected, e.spread = e.expected+expected, e.spread+expected*(1-expected); dead {
			e.dead++
		}
	}
}

// likely reports whether the number of misses is within four standard deviations of the expected number.
func (e misses) likely() bool {
	return math.Abs(float64(e.dead)-e.expected) <= 4*math.Sqrt(e.spread)+1
}

func (e misses) String() string {
	return fmt.Sprintf("%d of %d states that can recover; by their chances %.1f", e.dead, e.of, e.expected)
}

// trap returns a maze in which chance walks in a million take the way out. It has two turns, so
// that waiting for one event does not help much.
func trap(chance int) *maze {
	// 0 -> 1 (the trap: the way out, by 5, is seldom taken) -> 2; 3 is live
	first, second := whole/10, 10*chance
	return &maze{
		edges: [][]edge{
			{{To: 1, Weight: whole}},
			{{To: 2, Weight: whole - first}, {To: 5, Weight: first}},
			{{To: 4, Weight: whole}},
			{{To: 3, Weight: whole}},
			{{To: 2, Weight: whole}},
			{{To: 2, Weight: whole - second}, {To: 3, Weight: second}},
		},
		live: []bool{3: true, 5: false}, run: []int{0, 1, 2, 4, 2},
	}
}

// TestNarrowEscape: one walk in ten thousand, or in a thousand, escapes from the trap. A few walks may lead to
// the verdict dead, but the bound reported with it does not exclude such a small probability. More walks
// correct the verdict.
func TestNarrowEscape(t *testing.T) {
	look := func(chance, walks int, seed uint64) (*sim.System, *search.Finding) {
		m := trap(chance)
		if m.truth() != 2 {
			t.Fatal(m.truth())
		}
		sys := m.system()
		of := m.finding(t, sys)
		of.Path.Set("seed", fmt.Sprint(seed))
		return sys, find(t, sys, of, critical.Options{Exhaust: -1, Search: search.Options{WalkSteps: 20, EvidenceWalks: walks}})
	}
	_, few := look(100, 0, 1)
	if c, e := few.Critical, few.Evidence; c.Exact || c.Step != 2 || e.Escape95 < 0.0001 {
		t.Errorf("walks that pick among all events alike do escape; critical is %+v, evidence %+v", c, e)
	}
	most := long.Of(3_000, 10_000)
	sys, many := look(1_000, most, 1)
	if c, e := many.Critical, many.Evidence; c.Step != 2 || c.Witness == nil || e.Walks < most || e.Escape95*float64(most) > 4 {
		t.Errorf("with many walks, critical is %+v, evidence %+v", c, e)
	}
	checkLive(t, sys, "narrow", many)
	m := trap(100)
	sys = m.system()
	if exact := find(t, sys, m.finding(t, sys), critical.Options{}); exact.Critical.Step != 2 || !exact.Critical.Exact {
		t.Errorf("exactly, critical is %+v", exact.Critical)
	}
	// However few there are, what a live walk shows is never more than it is: no
	// step after the critical one is said to be it.
	for seed := range uint64(long.Of(3, 10)) {
		if _, few := look(10_000, 20, seed+1); few.Critical.Step > 2 {
			t.Errorf("seed %d: with few walks, critical is %+v by %+v", seed+1, few.Critical, few.Critical.Witness)
		}
	}
}

// turns returns a maze whose way out has n turns. At each turn, a walk goes back with probability one half,
// at each turn by another event. The maze's run goes to and fro before the first turn, so its end can
// recover.
func turns(n int) *maze {
	// 0 -> 1 <-> 2; 1 -> 4 -> 5 ... -> 3, which is live
	m := &maze{
		edges: [][]edge{{{To: 1, Weight: whole}}, {{To: 2, Weight: whole}, {To: 4, Weight: whole}}, {{To: 1, Weight: whole}}, {{To: 3, Weight: whole}}},
		run:   []int{0, 1, 2, 1, 2, 1},
	}
	for i := 1; i < n; i++ {
		next := 4 + i
		if i == n-1 {
			next = 3
		}
		m.edges = append(m.edges, []edge{{To: 1, Weight: whole - i}, {To: next, Weight: whole}})
	}
	m.live = make([]bool, len(m.edges))
	m.live[3] = true
	return m
}

// TestWalkAlongTheWholeRun: if the end of a run seldom recovers, a live walk may be found that takes the whole
// run first. It shows that the run is not dead, so there is no critical step.
func TestWalkAlongTheWholeRun(t *testing.T) {
	m := turns(9)
	sys := m.system()
	alive := 0
	for seed := range uint64(30) {
		f := m.finding(t, sys)
		f.Path.Set("seed", fmt.Sprint(seed+1))
		r, err := critical.Find(sys, f, critical.Options{Exhaust: -1, Search: search.Options{WalkSteps: 17, MaxWalkSteps: 17, EvidenceWalks: 30}})
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Alive:
			alive++
		case r.Finding.Critical.Step > f.Step:
			t.Errorf("seed %d: critical is %+v of %d steps", seed+1, r.Finding.Critical, f.Step)
		}
	}
	if alive == 0 || alive == 30 {
		t.Errorf("%d of 30 say that it is alive: none shows what is tested", alive)
	}
}

// TestFalseAlarms measures how often walks alone call a run dead that can recover. The end of each run has a
// way out of several turns. In its twenty steps, a walk makes a few attempts; each succeeds with a
// probability of 1 in 2 to the power of the number of turns.
func TestFalseAlarms(t *testing.T) {
	each := max(10, *oracle/20)
	for n := 3; n <= 12; n += 3 {
		sys, f := turns(n).system(), tallyOf{}
		for seed := range uint64(each) {
			of := turns(n).finding(t, sys)
			of.Path.Set("seed", fmt.Sprint(seed+1))
			r, err := critical.Find(sys, of, critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{WalkSteps: 20, MaxWalkSteps: 20}})
			if err != nil {
				t.Fatal(err)
			}
			f.add(!r.Alive)
		}
		if *oracle > 0 {
			fmt.Printf("called dead, with a way out of %2d turns                  %s\n", n, f)
		}
		if n <= 3 && f.right > 0 {
			t.Errorf("a way out of %d turns: %s are called dead", n, f)
		}
	}
}
