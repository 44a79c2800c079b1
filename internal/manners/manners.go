package manners

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

var (
	seeds   = flag.Int("manners", 0, "print how soon walks of several manners find the known bugs, over this `number` of seeds")
	more    = flag.Int("manners-more", 0, "take this `number` of seeds for bugs that are easy: those that -manners-easy names")
	easy    = flag.Int("manners-easy", 100_000, "a bug is easy if half of its searches by each manner took at most this `number` of steps")
	first   = flag.Int("manners-first", 1, "the first of these seeds; figures for a page are of seeds that nobody tuned with")
	only    = flag.String("manners-of", "", "only these bugs, by ID, with commas between them (default all)")
	how     = flag.String("manners-how", "weighted,auto", "the values of --walk; the others are compared with the first")
	most    = flag.Int("manners-steps", 20_000_000, "a search ends after this `number` of steps of walks")
	journal = flag.String("manners-journal", "", "keep what was measured in this `file`, and do not measure it again")
)

// met is the result of one search for a known bug, by walks alone.
type met struct {
	Bug, Walk string
	Seed      int
	Most      int    // the number of steps of walks after which the search gives up
	Hit       bool   // whether it found the bug
	Other     string `json:",omitempty"` // what was found instead of the catalogue's verdict
	By        string // the manner of the walk that found it
	Walks     int
	Steps     int     // the steps of walks until the search ended, without the walks that judge ends of others
	CPU       float64 // the seconds of processor time, with these walks
}

// Table measures how soon walks from the start alone find the known bugs, with one worker, and prints a
// table with a row for each bug. It skips the test if -manners is not given.
//
// A search counts as a find if its verdict is the catalogue's. Its effort counts in any case. A finding of
// another verdict is printed below the table, since it may be an error of the correct system.
func Table(t *testing.T, bugs []known.Entry) {
	if *seeds == 0 {
		t.Skip("it measures: see make walks")
	}
	m := measurement{t: t, ways: strings.Split(*how, ",")}
	m.read()
	head, line := "| bug |", "| --- |"
	for i, w := range m.ways {
		head, line = head+" by "+w+": found | steps | per find | seconds |", line+" ---: | ---: | ---: | ---: |"
		if i > 0 {
			head, line = head+" steps | time | more steps: p | more time: p |", line+" ---: | ---: | ---: | ---: |"
		}
	}
	fmt.Println(head)
	fmt.Println(line)
	sums := make([]sum, len(m.ways))
	for _, bug := range bugs {
		if *only == "" || slices.Contains(strings.Split(*only, ","), string(bug.ID)) {
			m.row(bug, sums)
		}
	}
	for _, o := range m.others {
		fmt.Println(o)
	}
	for i := range sums[1:] {
		sums[i+1].print(m.ways[0], m.ways[i+1])
	}
}

// measurement has the results of all searches so far, and the journal that keeps them.
type measurement struct {
	t      *testing.T
	ways   []string // the values of --walk
	all    []met
	file   *os.File
	others []string // findings of another verdict
}

// row searches for a bug with all seeds and manners for which the journal has no result, prints the row of
// the bug, and adds the results to sums, one for each manner.
func (m *measurement) row(bug known.Entry, sums []sum) {
	searches := make([][]met, len(m.ways))
	take := func(n int) (isEasy bool) {
		isEasy = true
		for i, w := range m.ways {
			for seed := *first + len(searches[i]); seed < *first+n; seed++ {
				searches[i] = append(searches[i], m.search(bug, w, seed))
			}
			isEasy = isEasy && quantile(stepsOf(searches[i]), 2) <= float64(*easy)
		}
		return isEasy
	}
	if take(*seeds) {
		take(*more)
	}
	text := "| " + string(bug.ID) + " |"
	base := findsOf(searches[0])
	for i, all := range searches {
		one := findsOf(all)
		if text += one.cells(all); i == 0 {
			continue
		}
		steps, cpu := chance(stepsOf(all), stepsOf(searches[0])), chance(cpuOf(all), cpuOf(searches[0]))
		text += fmt.Sprintf(" %s | %s | %.2g | %.2g |", lessBy(base.steps/one.steps, base, one), lessBy(base.cpu/one.cpu, base, one), steps, cpu)
		sums[i].add(string(bug.ID), base, one, steps, cpu)
	}
	fmt.Println(text)
}

// search returns the result of one search: from the journal, or by searching, which adds it to the journal.
// A result with another limit of steps will do if the search ended early enough. w is the value of --walk.
func (m *measurement) search(bug known.Entry, w string, seed int) met {
	at := slices.IndexFunc(m.all, func(a met) bool {
		return a.Bug == string(bug.ID) && a.Walk == w && a.Seed == seed && (a.Most == *most || a.Steps < min(a.Most, *most))
	})
	if at < 0 {
		m.all, at = append(m.all, meet(m.t, bug, w, seed)), len(m.all)
		if err := json.NewEncoder(m.file).Encode(m.all[at]); err != nil {
			m.t.Fatal(err)
		}
	}
	if o := m.all[at].Other; o != "" {
		m.others = append(m.others, fmt.Sprintf("| %s by %s, seed %d: found is %s, want %s |", bug.ID, w, seed, o, bug.Verdict))
	}
	return m.all[at]
}

// sum compares the walks of one manner with those of the first manner in the table, over all bugs.
type sum struct {
	bugs           int
	steps, times   [2][]float64 // the ratios for hard bugs, for each limit in hard
	slow, slowTime []slower
}

// hard are two limits, in steps. A bug is hard if walks of the first manner need more steps than the limit
// for each find.
var hard = [2]float64{1_000_000, 100_000}

// slower is a bug that one manner seems to find more slowly than the first manner. chance is the
// probability that it looks at least as slow although both manners are equally fast.
type slower struct {
	bug    string
	chance float64
}

func (s *sum) add(bug string, base, one perFind, steps, cpu float64) {
	s.bugs++
	for k, bound := range hard {
		if base.steps > bound {
			s.steps[k], s.times[k] = append(s.steps[k], base.steps/one.steps), append(s.times[k], base.cpu/one.cpu)
		}
	}
	s.slow, s.slowTime = append(s.slow, slower{bug, steps}), append(s.slowTime, slower{bug, cpu})
}

// print prints the geometric means over the hard bugs, and lists the bugs for which the manner one is
// slower than base: by the rank test, at a level of 1 % over all bugs (Bonferroni's correction).
func (s *sum) print(base, one string) {
	for k, bound := range hard {
		if n := len(s.steps[k]); n > 0 {
			fmt.Printf("| the %d that need more than %s steps per find by %s, by %s: geometric mean of steps %.1f, of time %.1f |\n",
				n, rough(bound), base, one, geometric(s.steps[k]), geometric(s.times[k]))
		}
	}
	for _, by := range []struct {
		what string
		all  []slower
	}{{"steps", s.slow}, {"time", s.slowTime}} {
		var names []string
		for _, b := range by.all {
			if b.chance < 0.01/float64(s.bugs) {
				names = append(names, b.bug)
			}
		}
		fmt.Printf("| of %d bugs, those that need more %s by %s than by %s, at 1 %% over all of them: %d %s |\n",
			s.bugs, by.what, one, base, len(names), strings.Join(names, " "))
	}
}

// chance returns the probability that numbers drawn like those of base are as large, by rank, as those of
// one: the exact one-sided test of Mann and Whitney. Searches that found nothing count as equally large.
func chance(one, base []float64) float64 {
	all := append(slices.Clone(one), base...)
	slices.Sort(all)
	rank := func(x float64) int { // twice the mean rank of the numbers that equal x
		from, _ := slices.BinarySearch(all, x)
		to := from
		for to < len(all) && all[to] == x {
			to++
		}
		return from + to + 1
	}
	sum, most := 0, 0
	for _, x := range one {
		sum += rank(x)
	}
	for _, x := range all {
		most += rank(x)
	}
	// ways[n][s] is the number of ways to choose n of the numbers so that the sum of their ranks is s.
	ways := make([][]float64, len(one)+1)
	for n := range ways {
		ways[n] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for _, x := range all {
		r := rank(x)
		for n := len(one); n > 0; n-- {
			for s := most; s >= r; s-- {
				ways[n][s] += ways[n-1][s-r]
			}
		}
	}
	total, large := 0.0, 0.0
	for s, n := range ways[len(one)] {
		if total += n; s >= sum {
			large += n
		}
	}
	return large / total
}

// meet searches for a bug by walks alone, with w as the value of --walk, and returns the result.
func meet(t *testing.T, bug known.Entry, w string, seed int) met {
	t.Helper()
	prefix, err := bug.Prefix()
	if err == nil && prefix != nil {
		bug.Flags.Nodes, bug.Flags.Params, err = search.LikePrefix(prefix, bug.Flags.Nodes, slices.Clone(bug.Flags.Params))
	}
	if err != nil {
		t.Fatal(err)
	}
	p, faults, err := bug.Configure(bug.ID)
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	opts := search.Options{
		Params: p, Conditions: sim.Conditions{Faults: faults, Properties: bug.Flags.Properties, DiskReorder: bug.Flags.Disk != ""}, Prefix: prefix,
		Depth: 1, Walks: math.MaxInt32, Workers: 1, Walking: search.Walking(w), Seed: uint64(seed),
		Progress: func(p search.Progress) { taken = p.WalkSteps },
		Stop: func() search.Stop {
			if taken >= *most {
				return search.StopTime
			}
			return ""
		},
	}
	res, err := search.Search(bug.System, opts)
	if err != nil {
		t.Fatal(err)
	}
	m := met{
		Bug: string(bug.ID), Walk: w, Seed: seed, Most: *most, Walks: res.Stats.Walks, Steps: res.Stats.WalkSteps,
		CPU: res.Measured.CPU.Seconds(), Hit: slices.Contains([]trace.Verdict{bug.Verdict, bug.Or}, res.Verdict()) && res.Finding != nil,
	}
	if f := res.Finding; f != nil {
		m.By = f.Manner
		if !m.Hit {
			m.Other = fmt.Sprintf("%s, %s%s", f.Verdict, f.Property, f.Message)
		}
	}
	return m
}

// read reads the results of earlier runs of the test from the journal, and opens the journal for further
// ones.
func (m *measurement) read() {
	name := *journal
	if name == "" {
		name = m.t.TempDir() + "/journal"
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { file.Close() })
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one met
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			m.t.Fatalf("%s: %v; take the line out", name, err)
		}
		m.all = append(m.all, one)
	}
	m.file = file
}

// perFind is the mean effort for one find of a bug: the effort of all searches for it, also those that
// found nothing, divided by the number of finds. If each step finds the bug with the same probability, this
// is the most likely mean.
type perFind struct {
	finds      int
	steps, cpu float64
}

func findsOf(all []met) (p perFind) {
	for _, m := range all {
		p.steps, p.cpu = p.steps+float64(m.Steps), p.cpu+m.CPU
		if m.Hit {
			p.finds++
		}
	}
	n := float64(max(1, p.finds))
	p.steps, p.cpu = p.steps/n, p.cpu/n
	return p
}

// cells returns a row's cells for one manner: the number of finds, the median and the quartiles of steps,
// the steps per find, and the median of processor time.
func (p perFind) cells(all []met) string {
	steps := stepsOf(all)
	return fmt.Sprintf(" %d of %d | %s (%s to %s) | %s | %s |", p.finds, len(steps),
		rough(quantile(steps, 2)), rough(quantile(steps, 1)), rough(quantile(steps, 3)), rough(p.steps), seconds(quantile(cpuOf(all), 2)))
}

// stepsOf returns the steps of each search, or infinity if it found nothing. It leaves out searches with
// another verdict, since these tell nothing about the bug.
func stepsOf(all []met) []float64 {
	return each(all, func(m met) float64 { return float64(m.Steps) })
}

// cpuOf returns the processor time of each search, or infinity if it found nothing. It leaves out searches
// with another verdict.
func cpuOf(all []met) []float64 { return each(all, func(m met) float64 { return m.CPU }) }

func each(all []met, number func(met) float64) (numbers []float64) {
	for _, m := range all {
		switch {
		case m.Hit:
			numbers = append(numbers, number(m))
		case m.Other == "":
			numbers = append(numbers, math.Inf(1))
		}
	}
	return numbers
}

// quantile returns the k-th quartile of the numbers: k quarters of them are below it.
func quantile(all []float64, k int) float64 {
	if len(all) == 0 {
		return math.Inf(1)
	}
	return slices.Sorted(slices.Values(all))[len(all)*k/4]
}

// lessBy returns a ratio as text: the effort of base divided by that of one. It says "not found" if one
// found nothing; if base found nothing, it says that the ratio is a lower bound.
func lessBy(ratio float64, base, one perFind) string {
	switch {
	case one.finds == 0:
		return "not found"
	case math.IsNaN(ratio): // both efforts are 0
		return "1.0"
	case base.finds == 0:
		return fmt.Sprintf("more than %.1f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

func seconds(x float64) string {
	if math.IsInf(x, 1) {
		return "not found"
	}
	return fmt.Sprintf("%.2f", x)
}

func rough(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return fmt.Sprintf("over %s", rough(float64(*most)))
	case x >= 1e6:
		return fmt.Sprintf("%.2f M", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.0f k", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

func geometric(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(all)))
}
