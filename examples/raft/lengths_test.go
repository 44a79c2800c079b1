package raft

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"macemc/internal/critical"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/search"
)

var (
	lengths     = flag.Bool("lengths", false, "print a table of what TestLengths leaves of the run of each known bug")
	lengthsSeed = flag.Uint64("lengths-seed", 1, "the seed of the searches of that table")
)

// lengthOf is the expected length of the run of a known bug after it was shortened.
type lengthOf struct {
	of       known.Entry
	seed1    int // the steps that the search by the catalogue's flags leaves on seed 1
	shortest int // the fewest steps that were ever seen, on any seed and by any effort
}

// lengthsOf has the lengths for all known bugs, in their order.
var lengthsOf = []lengthOf{
	{Known[0], 14, 14}, {Known[1], 16, 16}, {Known[2], 82, 26}, {Known[3], 18, 18}, {Known[4], 51, 31}, {Known[5], 16, 16}, {Known[6], 36, 36}, {Known[7], 20, 20},
	{Known[8], 18, 18}, {Known[9], 51, 45}, {Known[10], 47, 39}, {Known[11], 1, 1}, {Known[12], 36, 28}, {Known[13], 39, 39}, {Known[14], 8, 6}, {Known[15], 39, 39},
}

// The run of each known bug becomes short within the default effort. A run that is longer by 30 % than it was
// fails the test.
func TestLengths(t *testing.T) {
	all := lengthsOf[long.Of(12, 0):long.Of(13, len(lengthsOf))]
	if *lengths {
		all = lengthsOf
		fmt.Print("| bug | found | shorter | shortest seen | times | critical step | seconds |\n|---|---:|---:|---:|---:|---|---:|\n")
	}
	for _, l := range all {
		before := search.Processor()
		found, left, why := shortened(t, l.of)
		took := (search.Processor() - before).Round(100 * time.Millisecond).Seconds()
		if *lengths {
			fmt.Printf("| %s | %d | %d | %d | %.1f | %s | %.1f |\n", l.of.ID, found, left, l.shortest, float64(left)/float64(l.shortest), why, took)
		}
		if *lengthsSeed == 1 && 10*left > 13*l.seed1 {
			t.Errorf("%s: of %d steps %d are left, want %d or not many more", l.of.ID, found, left, l.seed1)
		}
	}
}

// shortened finds a known bug and makes its run shorter. It returns the numbers of steps before and after, and
// the critical step.
func shortened(t *testing.T, of known.Entry) (found, left int, why string) {
	opts := search.Options{Workers: 1, Seed: *lengthsSeed}
	var err error
	if opts.Params, opts.Faults, err = of.Configure(of.ID); err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(of.System, opts)
	if err != nil || r.Finding == nil {
		t.Fatalf("%s: %v, found is %v", of.ID, err, r)
	}
	out, err := critical.Explain(of.System, r.Finding, critical.Options{Search: search.Options{Workers: 1}}.For(r), true)
	if err != nil {
		t.Fatalf("%s: %v", of.ID, err)
	}
	why = "not isolated"
	if c := out.Finding.Critical; c != nil {
		why = fmt.Sprintf("%d, `%.40s`", c.Step, c.Event)
	}
	return len(r.Finding.Path.Steps), len(out.Finding.Path.Steps), why
}
