package search_test

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/oracle"
	"macemc/internal/search"
	"macemc/internal/spec"
)

// TestTogether: two workers that expand even small levels together find what the oracle finds. The
// tests of package oracle compare the other ways of searching.
func TestTogether(t *testing.T) {
	modes := oracle.Modes(search.Together)
	modes = modes[len(oracle.Modes(nil)):]
	for seed := range uint64(long.Of(4, 30)) {
		for _, d := range oracle.Compare(spec.Draw(seed), 150, modes).Differences {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
	for n, k := range oracle.Kept() {
		if !*long.On && n%3 != 0 {
			continue
		}
		for _, d := range oracle.Compare(k.Spec, 150, modes).Differences {
			t.Errorf("%s: %s", k.Why, d)
		}
	}
}
