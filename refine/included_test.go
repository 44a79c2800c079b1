package refine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/long"
)

// traces returns all traces of a graph up to a length, for comparison: it enumerates them, as a set of texts.
func traces(g Graph, most int) map[string]bool {
	all := map[string]bool{"": true}
	type at struct {
		state int
		word  string
	}
	met := map[at]bool{}
	for todo := []at{{0, ""}}; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		if met[p] {
			continue
		}
		met[p] = true
		for _, e := range g[p.state] {
			word := p.word
			if e.Label != Silent {
				if len(word) == most {
					continue
				}
				word += string(rune('a' + e.Label))
				all[word] = true
			}
			todo = append(todo, at{e.To, word})
		}
	}
	return all
}

func drawn(rng *rand.Rand, states, edges int) Graph {
	g := make(Graph, states)
	for range edges {
		from := rng.IntN(states)
		g[from] = append(g[from], Edge{rng.IntN(4) - 1, rng.IntN(states)})
	}
	return g
}

// TestIncludedAgreesWithTraces compares Included with traces for random pairs of graphs (2,000 with -long): the verdicts and
// the lengths of shortest differing traces must agree. For graphs of four states, traces of up to six labels suffice: in
// 2,000 pairs, traces of up to nine labels changed no verdict.
func TestIncludedAgreesWithTraces(t *testing.T) {
	var included, differ int
	lengths := map[int]int{}
	for seed := range uint64(long.Of(500, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		a, b := drawn(rng, 1+rng.IntN(4), rng.IntN(6)), drawn(rng, 1+rng.IntN(4), 2+rng.IntN(12))
		const most = 6
		want, least := true, most+1
		known := traces(b, most)
		for word := range traces(a, most) {
			if !known[word] {
				want, least = false, min(least, len(word))
			}
		}
		run, is := Included(a, b)
		if is != want {
			t.Fatalf("seed %d: included %v, the twin %v: %v in %v", seed, is, want, a, b)
		}
		if is {
			included++
			continue
		}
		differ++
		var word string
		at := 0
		for _, step := range run {
			if step.State != at {
				t.Fatalf("seed %d: the run is not connected: %v of %v", seed, run, a)
			}
			e := a[at][step.Edge]
			if at = e.To; e.Label != Silent {
				word += string(rune('a' + e.Label))
			}
		}
		if known[word] || len(word) != least {
			t.Fatalf("seed %d: %q differs, and a shortest one has %d labels", seed, word, least)
		}
		lengths[len(word)]++
	}
	if included < 100 || differ < 100 || len(lengths) < 3 {
		t.Errorf("%d are included, %d differ, by %v labels: too few to mean anything", included, differ, slices.Sorted(keys(lengths)))
	}
	t.Log(included, differ, lengths)
}

func keys(m map[int]int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
