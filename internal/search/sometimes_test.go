package search

import (
	"slices"
	"testing"

	"macemc/sim"
)

// A Sometimes property is reported if it held in no state that was met, and is never a finding:
// by every engine, with several workers, and in walks.
func TestSometimes(t *testing.T) {
	sys := blindly(sim.LinkTCP, sim.Always("true", func(sim.View[*blind]) bool { return true }))
	sys.Properties = append(sys.Properties,
		sim.Sometimes("both sides", func(v sim.View[*blind]) bool { s := tossed(v); return s[0] > 0 && s[1] > 0 }),
		sim.Sometimes("three coins", func(v sim.View[*blind]) bool { s := tossed(v); return s[0]+s[1] > 2 },
			func(v sim.View[*blind]) int { s := tossed(v); return 3 - s[0] - s[1] }),
	)
	for _, opts := range []Options{
		{Engine: EngineReference}, {Engine: EngineLocal}, {Engine: EngineMemo}, {Workers: 3, team: 1}, {Depth: 1, Paths: 200},
	} {
		res, err := Search(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{`property "three coins" was to hold sometimes, and no such state was met; the nearest was 1 away`}
		if res.Finding != nil || !slices.Equal(res.Never[len(res.Never)-1:], want) || slices.ContainsFunc(res.Never, func(s string) bool { return s != want[0] && s[:8] == "property" }) {
			t.Errorf("%+v: found %v, never %q", opts.Engine, res.Finding, res.Never)
		}
	}
}
