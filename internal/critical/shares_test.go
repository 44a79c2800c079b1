package critical_test

import (
	"fmt"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
)

// For every known bug, deciding about suspects and explaining the finding stay within the
// effort that is allowed by default. With -long and -v the test prints a table.
func TestExplainingTakesItsShare(t *testing.T) {
	if !*long.On {
		t.Skip("it searches for every known bug: -long")
	}
	fmt.Printf("%-6s %-14s %12s %8s %12s %8s %6s\n", "bug", "verdict", "search", "time", "explain", "time", "share")
	for _, e := range catalog.Bugs() {
		params, faults, err := e.Configure(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		opts := search.Options{Params: params, Workers: 1, Paths: e.Paths, Stop: limit(time.Minute)}
		opts.Faults = faults
		if opts.Prefix, err = e.Prefix(); err != nil {
			t.Fatal(err)
		}
		if opts.Prefix != nil {
			if e.Flags.Nodes, e.Flags.Params, err = search.LikePrefix(opts.Prefix, e.Flags.Nodes, e.Flags.Params); err != nil {
				t.Fatal(err)
			}
			if opts.Params, opts.Faults, err = e.Configure(e.ID); err != nil {
				t.Fatal(err)
			}
		}
		began := search.Processor()
		r, err := search.Search(e.System, opts)
		if err != nil {
			t.Fatal(e.ID, err)
		}
		searched := search.Processor() - began
		if r.Finding == nil {
			fmt.Printf("%-6s nothing found (%s), undecided %d\n", e.ID, r.Stop, len(r.Undecided))
			continue
		}
		began = search.Processor()
		c, err := critical.Explain(e.System, r.Finding, critical.Options{Search: search.Options{Workers: 1, Stop: limit(time.Minute)}}.For(r), true)
		if err != nil {
			t.Fatal(e.ID, err)
		}
		explained := search.Processor() - began
		judged := r.Stats.Judging + r.Stats.Settled
		spent := judged + c.Effort
		fmt.Printf("%-6s %-14s %12d %7.2fs %12d %7.2fs %5.0f%%\n", e.ID, r.Finding.Verdict, r.Stats.Effort(), searched.Seconds(), spent, explained.Seconds(),
			100*explained.Seconds()/max(0.001, (searched+explained).Seconds()))
		if most := 2 * r.ExplainEffort(); c.Effort > most+most/4 { // one question more may be under way
			t.Errorf("%s: explaining took %d steps and states, more than %d", e.ID, c.Effort, most)
		}
	}
}

// limit returns a function for Options.Stop that ends the work after a duration.
func limit(d time.Duration) func() search.Stop {
	end := time.Now().Add(d)
	return func() search.Stop {
		if time.Now().After(end) {
			return search.StopTime
		}
		return ""
	}
}
