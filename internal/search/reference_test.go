package search

import (
	"testing"

	"macemc/internal/toy"
)

// A dead state is not expanded, so the states that a fault or another rare event leads to from
// there are not visited, and no engine reports that the space is exhausted.
func TestBehindADeadState(t *testing.T) {
	sys := toy.MustParse(`
		start: a
		a -> b
		a -> c
		c -> d rare
		live: b
		bad: d`)
	for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		res, err := Search(sys, Options{Engine: engine, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Finding; f == nil || f.Step != 1 || res.Safety.State != StateBounded {
			t.Errorf("%s: safety %s, found is %+v", engine, res.Safety.State, f)
		}
	}
}
