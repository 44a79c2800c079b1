package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/verify"
	"macemc/sim"
)

var findings = flag.Bool("findings", false, "TestFinds prints its table, for BENCHMARKS.md")

// found has the members of a search's --json output that the tests read.
type found struct {
	Verdict string
	Steps   int
	Stats   struct{ States, Transitions, Walks, Steps int }

	Measured struct {
		Seconds float64
		CPU     float64 `json:"cpu_seconds"`
	}
}

func searchJSON(t *testing.T, args ...string) (f found) {
	t.Helper()
	out, stderr, _ := execute(append(args, "--quiet", "--json")...)
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatalf("%s: %v, stderr %q", args, err, stderr)
	}
	return f
}

// Every known bug of every system is found as its entry in the catalogue states, on each seed: one, or five
// with -long. A bug that needs no flags, and is not narrow, is also found by walks alone.
func TestFinds(t *testing.T) {
	seeds := long.Of(1, 5)
	t.Chdir(t.TempDir())
	var last *sim.System // by default, one bug of every second system
	systems := 0
	bugs := slices.DeleteFunc(catalog.Bugs(), func(b known.Entry) bool {
		again := b.System == last
		if last = b.System; !again {
			systems++
		}
		return b.Long && !*findings || (again || systems%2 == 0) && !*long.On
	})
	all, err := verify.Options{Seeds: seeds, NoAlone: true, NoClean: true}.Run(bugs)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	row := func(cells ...any) {
		fmt.Fprintln(&table, "|", strings.Trim(strings.Join(strs(cells), " | "), " "), "|")
	}
	row("bug", "system", "verdict", "steps of the path", "states", "transitions", "seconds", "at depth 1: walks", "steps", "seconds")
	row("---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, b := range all.Bugs {
		bug := b.Entry
		var times []float64
		for _, r := range b.Runs {
			if !b.Stated {
				t.Errorf("%s, seed %d: %s%s", bug.ID, r.Seed, r.Problem, r.Other)
			}
			times = append(times, r.Time.Seconds())
		}
		var walks []found
		for seed := 1; seed <= seeds && len(bug.Flags.Args()) == 0 && !bug.Narrow; seed++ {
			f := searchJSON(t, append(bug.Command(), "--seed", fmt.Sprint(seed), "--depth", "1", "--no-critical", "--no-shrink")...)
			if f.Verdict != bug.Verdict.String() {
				t.Errorf("%s, seed %d, by walks alone: found is %s, want %s", bug.ID, seed, f.Verdict, bug.Verdict)
			}
			walks = append(walks, f)
		}
		many := of(walks, func(f found) float64 { return float64(f.Stats.Walks) })
		first := b.Runs[0]
		t.Logf("%s: %d states, %d transitions; by walks alone, of all seeds: %s walks", bug.ID, first.Stats.States, first.Stats.Transitions, many)
		row(bug.ID, bug.System.Name, first.Verdict, first.Steps, first.Stats.States, first.Stats.Transitions, median(times),
			many, of(walks, func(f found) float64 { return float64(f.Stats.Steps) }), of(walks, func(f found) float64 { return f.Measured.Seconds }))
	}
	if *findings {
		fmt.Print(table.String())
	}
}

// of returns the median of a quantity of the searches, as a text.
func of(all []found, what func(found) float64) string {
	var values []float64
	for _, f := range all {
		values = append(values, what(f))
	}
	return median(values)
}

// median returns the median of values, with the least and the largest of them, as a text.
func median(values []float64) string {
	if len(values) == 0 {
		return "not taken"
	}
	slices.Sort(values)
	least, middle, most := values[0], values[len(values)/2], values[len(values)-1]
	if most == float64(int(most)) {
		return fmt.Sprintf("%.0f (%.0f to %.0f)", middle, least, most)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", middle, least, most)
}

func strs(cells []any) (out []string) {
	for _, c := range cells {
		out = append(out, fmt.Sprint(c))
	}
	return out
}
