package search

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/sim"
)

// TestRatios prints a table: for every system of the catalogue, the states, the ratios and the times of searches with
// each way of leaving steps out. A search without reduction sets the depth, so all searches of a system go equally deep.
func TestRatios(t *testing.T) {
	if *tables == 0 {
		t.Skip("it only measures; see make tables")
	}
	fmt.Println("<!-- table ratios -->\n| system | depth | states | steps | `stubborn`: states | ratio | `sleep`: steps not taken | seconds: `none` | `stubborn` | `sleep` | `auto` | auto by none | why steps are not left out |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
	for _, sys := range catalog.Systems() {
		opts := Options{Conditions: sim.Conditions{Faults: &sim.Faults{}}, NoWalks: true, Workers: 1, Effort: 300_000, Reduce: ReduceNone}
		first := search(t, sys, 0, nil, opts)
		opts.Depth, opts.Effort = first.Safety.Depth, 1<<40
		if first.Safety.State != StateBounded {
			opts.Depth++
		}
		ways := []Reduce{ReduceNone, ReduceStubborn, reduceSleep, ReduceAuto}
		var all [4][]float64
		var seconds [4]float64
		var got [4]*Result
		var why [4]error
		for turn := range 3 * *tables {
			for k := range ways {
				k = (k + turn) % len(ways)
				opts.Reduce = ways[k]
				runtime.GC() // nobody collects what another way has left
				before := Processor().Seconds()
				got[k], why[k] = Search(sys, opts)
				all[k] = append(all[k], Processor().Seconds()-before)
			}
		}
		for k := range ways {
			slices.Sort(all[k])
			seconds[k] = all[k][len(all[k])/2]
		}
		whole := got[0].Stats
		row := fmt.Sprintf("| %s | %d | %s | %s |", sys.Name, first.Safety.Depth, grouped(whole.States), grouped(whole.Transitions))
		if why[1] == nil {
			row += fmt.Sprintf(" %s | %.2f |", grouped(got[1].Stats.States), float64(whole.States)/float64(got[1].Stats.States))
		} else {
			row += " refused | 1 |"
		}
		if why[2] == nil {
			row += fmt.Sprintf(" %.0f %% |", 100*float64(got[2].Stats.Slept)/float64(max(1, whole.Transitions)))
		} else {
			row += " refused |"
		}
		for k := range ways {
			if why[k] != nil {
				row += " |"
				continue
			}
			row += fmt.Sprintf(" %.3f |", seconds[k])
		}
		reason := ""
		if why[1] == nil {
			if s := got[1].Stats; s.Entire > 0 {
				reason = fmt.Sprintf("of %s states: %s", grouped(s.Hindered), s.Hindrance)
			}
		} else {
			_, reason, _ = strings.Cut(why[1].Error(), "since ")
			reason, _, _ = strings.Cut(reason, "; take ")
		}
		fmt.Println(row, fmt.Sprintf("%.2f | %s |", seconds[3]/seconds[0], reason))
	}
	fmt.Println("<!-- end of table ratios -->")
}
