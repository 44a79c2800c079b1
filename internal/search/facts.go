package search

import "macemc/internal/canon"

// facts record the exact decisions about states, by the identities of their healed forms. Whether a
// state can recover depends only on its healed form, so the decision about one state holds for all
// states with the same healed form.
type facts map[canon.Hash]fact

// fact is the decision about a healed state. The zero fact means that there is none yet.
type fact struct {
	alive bool // a live state can be reached from it
	dead  bool // neither a live state nor one that does not count for liveness can be reached from it
	tried int  // the number of states that an attempt visited without reaching a decision
}

// about returns the facts about the states of a run whose numbers are at least from. known reports
// whether they decide where the run became dead. If not, the states up to end must be decided; all
// states after end are known to be dead.
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

// note records the decisions about states. If there are none, it records that visiting this number
// of states did not suffice.
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
