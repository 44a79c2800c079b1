package explore

import (
	"testing"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
)

// TestChoicesAreComparedAgain: if a fact is observed while the steps of the best choice are taken, and the
// search then needs another choice for the same situation, the best one must still be compared with that fact.
func TestChoicesAreComparedAgain(t *testing.T) {
	at := state.PlacesOf(2, 32, 0)
	r, v, same := newReduction(2, at, false), make(world.Vector, at.Len()), canon.Hash{Lo: 1}
	r.Static = true // both kinds are pending in the empty vector
	first, second := r.class(kind{node: 0, kind: sim.KindTimer}), r.class(kind{node: 1, kind: sim.KindTimer})
	a := r.answer(nil, 0, v, same)
	best := a.choices[0]
	if best.kinds.Len() != 1 || !best.kinds.Has(first) {
		t.Fatalf("the best choice is %v, and should be %d alone", best.kinds, first)
	}
	r.rests(&partial{of: best}) // a state relies on it
	r.facts.Brings([]stubborn.Class{second}, first)
	r.facts.Changes([]stubborn.Class{first})
	if !r.has(a, 1, nil, v) || !a.choices[1].kinds.Has(second) {
		t.Fatalf("the choices are %v, and the next one should have %d", a.choices, second)
	}
	if r.answer(nil, 0, v, same); !best.void || len(r.again) != 1 {
		t.Errorf("the best choice is void: %v, and %d states are expanded again; one relied on it", best.void, len(r.again))
	}
}
