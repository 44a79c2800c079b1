package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/catalog"
)

var findings = flag.Bool("findings", false, "TestFinds prints its table, for BENCHMARKS.md")

// found is what --json says of a search.
type found struct {
	Verdict string
	Steps   int
	Stats   struct{ States, Transitions, Walks, Steps int }

	Measured struct{ Seconds float64 }
}

func searchJSON(t *testing.T, args ...string) (f found) {
	t.Helper()
	out, stderr, _ := execute(append(args, "--quiet", "--json")...)
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatalf("%s: %v, stderr %q", args, err, stderr)
	}
	return f
}

// Every known bug of every system is found by a search with the flags of its
// entry in the catalogue, on five seeds in a row, and is judged as it should be;
// one that needs no flags, by walks alone too.
func TestFinds(t *testing.T) {
	const seeds = 5
	t.Chdir(t.TempDir())
	var table strings.Builder
	row := func(cells ...any) {
		fmt.Fprintln(&table, "|", strings.Trim(strings.Join(strs(cells), " | "), " "), "|")
	}
	row("bug", "system", "verdict", "steps of the path", "states", "transitions", "seconds", "by walks alone: walks", "steps", "seconds")
	row("---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, bug := range catalog.Bugs() {
		var all, walks []found
		find := func(into *[]found, seed int, more ...string) {
			f := searchJSON(t, append(append(bug.Command(), "--seed", fmt.Sprint(seed)), more...)...)
			if f.Verdict != bug.Verdict.String() {
				t.Errorf("%s, seed %d, %q: found is %s, want %s", bug.ID, seed, more, f.Verdict, bug.Verdict)
			}
			*into = append(*into, f)
		}
		for seed := 1; seed <= seeds; seed++ {
			find(&all, seed)
			if len(bug.Flags.Args()) == 0 {
				find(&walks, seed, "--depth", "1")
			}
		}
		count := func(of func(found) float64) string { return median(walks, of) }
		seconds := func(f found) float64 { return f.Measured.Seconds }
		steps := func(f found) float64 { return float64(f.Stats.Steps) }
		many := func(f found) float64 { return float64(f.Stats.Walks) }
		f := all[0]
		t.Logf("%s: %d states, %d transitions; by walks alone, of five seeds: %s walks", bug.ID, f.Stats.States, f.Stats.Transitions, count(many))
		row(bug.ID, bug.System.Name, f.Verdict, f.Steps, f.Stats.States, f.Stats.Transitions, median(all, seconds), count(many), count(steps), count(seconds))
	}
	if *findings {
		fmt.Print(table.String())
	}
}

// median is that of a quantity, with its least and most.
func median(all []found, of func(found) float64) string {
	if len(all) == 0 {
		return "not taken"
	}
	var values []float64
	for _, f := range all {
		values = append(values, of(f))
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
