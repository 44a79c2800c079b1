package search

import (
	"fmt"
	"testing"

	"macemc/internal/observe"
)

// TestTalliesAddInOrder: the coverage of a walk is added only after that of all walks before it. So walks
// behind one that fails add nothing; how many of them were taken depends on the workers.
func TestTalliesAddInOrder(t *testing.T) {
	r, err := newRunner(sleepers(2, func(*sleeper) bool { return true }), Options{Depth: 4, NoWalks: true, once: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.search(); err != nil {
		t.Fatal(err)
	}
	covered := func() *observe.Coverage {
		c := r.coverage.Another()
		c.Merge(r.coverage)
		return c
	}
	said := func(c *observe.Coverage) string { return fmt.Sprint(c.Never(), c.Held(), c.Slack()) }
	all, to := covered(), r.coverage.Another()
	nothing := said(to)
	var tallies tallies
	tallies.begin(to)
	for _, c := range []struct {
		walk int
		want string
	}{{2, nothing}, {1, nothing}, {0, said(all)}} {
		if tallies.add(c.walk, covered()); said(to) != c.want {
			t.Errorf("after walk %d: %s, want %s", c.walk, said(to), c.want)
		}
	}
	if nothing == said(all) || tallies.next != 3 || len(tallies.waits) != 0 {
		t.Errorf("%s; the next walk is %d, and %d wait", said(all), tallies.next, len(tallies.waits))
	}
}
