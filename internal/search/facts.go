package search

import "macemc/internal/canon"

// facts record the exact decisions about states, by the identities of their healed forms.
// Whether a state can recover depends on its healed form alone. So runs with states of the same
// healed form share the decision, and none is made twice.
type facts map[canon.Hash]fact

// fact is the knowledge about a healed state. The zero fact is none.
type fact struct {
	alive bool // a live state can be reached from it
	dead  bool // none can, nor one that does not count for liveness
	tried int  // the number of states that did not suffice to decide
}

// about returns the facts of a run's states, from one on. If they are not enough, the
// states up to end are to be decided about: all after end are dead.
func (k facts) about(healed []canon.Hash, from, most int) (end int, s settled, known bool) {
	end = len(healed) - 1
	for end > from && k[healed[end]].dead {
		end--
	}
	for _, h := range healed[from : end+1] {
		if k[h].tried >= most {
			return end, settled{}, true
		}
	}
	switch at := k[healed[end]]; {
	case at.dead: // end is from
		return end, settled{last: from - 1, decided: true}, true
	case at.alive:
		return end, settled{last: end, decided: true}, true
	}
	return end, s, false
}

// note keeps the decisions about states, or that this number of states did not suffice.
func (k *facts) note(healed []canon.Hash, most int, s settled) {
	if *k == nil {
		*k = facts{}
	}
	if !s.decided && len(healed) == 1 { // of several, another one may be the cause
		f := (*k)[healed[0]]
		f.tried = max(f.tried, most)
		(*k)[healed[0]] = f
	}
	for at, lost := range s.lost {
		f := (*k)[healed[at]]
		f.alive, f.dead = f.alive || !lost, f.dead || lost && !s.unassumed
		(*k)[healed[at]] = f
	}
}
