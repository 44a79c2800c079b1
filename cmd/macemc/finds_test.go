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

// verdicts are what each known bug is to be found as. One that is not listed
// yet may be found as anything.
var verdicts = map[string]string{
	"BT1": "dead", "BT2": "safety",
	"ST1": "safety", "ST2": "safety", "ST3": "safety",
	"HS1": "dead",
	"SW1": "safety",
	"TP1": "safety",
	"PE1": "safety", "PE2": "dead",
}

// Every known bug of every system is found by a search as it is by default, and
// by walks alone, on five seeds in a row, and is judged as it should be.
func TestFinds(t *testing.T) {
	const seeds = 5
	t.Chdir(t.TempDir())
	var table strings.Builder
	row := func(cells ...any) {
		fmt.Fprintln(&table, "|", strings.Trim(strings.Join(strs(cells), " | "), " "), "|")
	}
	row("bug", "system", "verdict", "steps of the path", "states", "transitions", "seconds", "by walks alone: walks", "steps", "seconds")
	row("---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, sys := range catalog.Systems() {
		for _, bug := range sys.Bugs {
			id := string(bug.ID)
			var all, walks []found
			for seed := 1; seed <= seeds; seed++ {
				args := []string{"search", sys.Name, "--bug", id, "--seed", fmt.Sprint(seed)}
				all = append(all, searchJSON(t, args...))
				walks = append(walks, searchJSON(t, append(args, "--depth", "1")...))
				for _, f := range []found{all[seed-1], walks[seed-1]} {
					want, listed := verdicts[id]
					switch {
					case !listed && f.Verdict == "none":
						t.Errorf("%s, seed %d: nothing is found", id, seed)
					case !listed:
						t.Logf("%s, seed %d: found is %s; list it in verdicts", id, seed, f.Verdict)
					case f.Verdict != want:
						t.Errorf("%s, seed %d: found is %s, want %q", id, seed, f.Verdict, want)
					}
				}
			}
			f := all[0]
			t.Logf("%s: %d states, %d transitions; by walks alone, of five seeds: %s walks", id, f.Stats.States, f.Stats.Transitions,
				median(walks, func(f found) float64 { return float64(f.Stats.Walks) }))
			seconds := func(f found) float64 { return f.Measured.Seconds }
			row(id, sys.Name, f.Verdict, f.Steps, f.Stats.States, f.Stats.Transitions, median(all, seconds),
				median(walks, func(f found) float64 { return float64(f.Stats.Walks) }),
				median(walks, func(f found) float64 { return float64(f.Stats.Steps) }), median(walks, seconds))
		}
	}
	if *findings {
		fmt.Print(table.String())
	}
}

// median is that of a quantity, with its least and most.
func median(all []found, of func(found) float64) string {
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
