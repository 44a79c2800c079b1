package command

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/catalog"
)

var (
	mannersSeeds = flag.Int("manners", 0, "TestManners prints how soon walks of --walk weighted and auto meet the known bugs, over so many seeds")
	mannersOf    = flag.String("manners-of", "", "only of these bugs, by ID, with commas between them (default all)")
	mannersTime  = flag.String("manners-time", "5m", "and each search is given this time")
)

// TestManners tells how soon walks from the start alone find the known bugs, as the
// default takes them and as auto does, by one worker. A search counts if it came to
// the catalogue's verdict; what was spent counts in any case.
func TestManners(t *testing.T) {
	if *mannersSeeds == 0 {
		t.Skip("it measures: see make walks")
	}
	t.Chdir(t.TempDir())
	fmt.Println("| bug | found by weighted | walks | steps | seconds of processor | found by auto | walks | steps | seconds of processor |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, bug := range catalog.Bugs() {
		if *mannersOf != "" && !slices.Contains(strings.Split(*mannersOf, ","), string(bug.ID)) {
			continue
		}
		cells := []string{string(bug.ID)}
		for _, manner := range []string{"weighted", "auto"} {
			var all []found
			hits := 0
			for seed := range *mannersSeeds {
				f := searchJSON(t, append(bug.Command(), "--seed", fmt.Sprint(seed+1), "--depth", "1", "--walk", manner, "--workers", "1",
					"--time", *mannersTime, "--no-critical", "--no-shrink")...)
				if f.Verdict == bug.Verdict.String() {
					hits++
				}
				all = append(all, f)
			}
			cells = append(cells, fmt.Sprintf("%d of %d", hits, *mannersSeeds),
				of(all, func(f found) float64 { return float64(f.Stats.Walks) }),
				of(all, func(f found) float64 { return float64(f.Stats.Steps) }),
				of(all, func(f found) float64 { return f.Measured.CPU }))
		}
		fmt.Println("|", strings.Join(cells, " | "), "|")
	}
}
