package command

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

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

var (
	mannersSeeds   = flag.Int("manners", 0, "TestManners prints how soon walks of several manners meet the known bugs, over so many seeds")
	mannersFirst   = flag.Int("manners-first", 1, "the first of these seeds; figures for a page are of seeds that nobody tuned with")
	mannersOf      = flag.String("manners-of", "", "only these bugs, by ID, with commas between them (default all)")
	mannersHow     = flag.String("manners-how", "weighted,auto,uniform", "the values of --walk; the others are compared with the first")
	mannersSteps   = flag.Int("manners-steps", 20_000_000, "a search ends after so many steps of walks")
	mannersJournal = flag.String("manners-journal", "", "what was measured is kept in this file, and not measured again")
)

// met is what one search by walks alone came to.
type met struct {
	Bug, Walk string
	Seed      int
	Most      int // steps of walks, after which it would have ended
	Hit       bool
	Other     string `json:",omitempty"` // what was found instead of the catalogue's verdict
	By        string // the manner of the walk that met it
	Walks     int
	Steps     int     // of walks from the start until then, without what decides about their ends
	CPU       float64 // with that
}

// TestManners reports how soon walks from the start alone find the known bugs, by one
// worker. A search counts if it came to the catalogue's verdict; what it spent counts
// in any case. A finding of another verdict is named: it may be an error of the
// correct system.
func TestManners(t *testing.T) {
	if *mannersSeeds == 0 {
		t.Skip("it measures: see make walks")
	}
	known, journal := readMet(t)
	how := strings.Split(*mannersHow, ",")
	head, line := "| bug |", "| --- |"
	for i, w := range how {
		head, line = head+" by "+w+": found | steps | seconds |", line+" ---: | ---: | ---: |"
		if i > 0 {
			head, line = head+" steps | time |", line+" ---: | ---: |"
		}
	}
	fmt.Println(head)
	fmt.Println(line)
	var others []string
	steps, times := make([][]float64, len(how)), make([][]float64, len(how))
	for _, bug := range catalog.Bugs() {
		if *mannersOf != "" && !slices.Contains(strings.Split(*mannersOf, ","), string(bug.ID)) {
			continue
		}
		row, first := "| "+string(bug.ID)+" |", perFind{}
		for i, w := range how {
			var all []met
			for seed := *mannersFirst; seed < *mannersFirst+*mannersSeeds; seed++ {
				at := slices.IndexFunc(known, func(m met) bool {
					return m.Bug == string(bug.ID) && m.Walk == w && m.Seed == seed && m.Most == *mannersSteps
				})
				if at < 0 {
					known, at = append(known, meet(t, bug, w, seed)), len(known)
					if err := json.NewEncoder(journal).Encode(known[at]); err != nil {
						t.Fatal(err)
					}
				}
				all = append(all, known[at])
				if o := known[at].Other; o != "" {
					others = append(others, fmt.Sprintf("| %s by %s, seed %d: found is %s, want %s |", bug.ID, w, seed, o, bug.Verdict))
				}
			}
			one := findsOf(all)
			row += one.cells(all)
			if i == 0 {
				first = one
				continue
			}
			row += fmt.Sprintf(" %s | %s |", lessBy(first.steps/one.steps, first, one), lessBy(first.cpu/one.cpu, first, one))
			if first.steps > 100_000 {
				steps[i], times[i] = append(steps[i], first.steps/one.steps), append(times[i], first.cpu/one.cpu)
			}
		}
		fmt.Println(row)
	}
	for _, o := range others {
		fmt.Println(o)
	}
	for i := range how[1:] {
		if n := len(steps[i+1]); n > 0 {
			fmt.Printf("| the %d that need more than 100,000 steps by %s, by %s: geometric mean of steps %.1f, of time %.1f |\n",
				n, how[0], how[i+1], geometric(steps[i+1]), geometric(times[i+1]))
		}
	}
}

// meet searches for a bug by walks alone.
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
			if taken >= *mannersSteps {
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
		Bug: string(bug.ID), Walk: w, Seed: seed, Most: *mannersSteps, Walks: res.Stats.Walks, Steps: res.Stats.WalkSteps,
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

// readMet reads what was measured before, and opens the file for what will be.
func readMet(t *testing.T) (all []met, journal *os.File) {
	name := *mannersJournal
	if name == "" {
		name = t.TempDir() + "/journal"
	}
	journal, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { journal.Close() })
	for lines := bufio.NewScanner(journal); lines.Scan(); {
		var m met
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%s: %v; take the line out", name, err)
		}
		all = append(all, m)
	}
	return all, journal
}

// perFind is what searches spent for each that found, all of them counted: the
// likeliest mean, if a find is equally likely at each step.
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

// cells returns the median and the quartiles.
func (p perFind) cells(all []met) string {
	var steps, cpu []float64
	for _, m := range all {
		steps, cpu = append(steps, float64(m.Steps)), append(cpu, m.CPU)
	}
	slices.Sort(steps)
	slices.Sort(cpu)
	n := len(all)
	return fmt.Sprintf(" %d of %d | %s (%s to %s) | %.2f (%.2f to %.2f) |", p.finds, n,
		rough(steps[n/2]), rough(steps[n/4]), rough(steps[3*n/4]), cpu[n/2], cpu[n/4], cpu[3*n/4])
}

// lessBy is how many times less it is; where the first found nothing, at least.
func lessBy(ratio float64, first, one perFind) string {
	switch {
	case one.finds == 0:
		return "not found"
	case first.finds == 0:
		return fmt.Sprintf("more than %.1f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

func rough(x float64) string {
	switch {
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
