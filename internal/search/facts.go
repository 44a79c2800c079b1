package search

import "macemc/internal/canon"

// facts stores exact decisions about states, by the identities of their healed forms (the states
// after all faults have ended). Whether a state can recover depends only on its healed form, so a
// decision holds for all states with that healed form.
type facts map[canon.Hash]fact

// fact is the decision about a healed state. The zero fact means that there is none yet.
type fact struct {
	alive bool // a live state can be reached from it
	dead  bool // no live state, and none that does not count for liveness, can be reached from it
	tried int  // the number of states that an attempt visited without reaching a decision
}

// about looks up the stored decisions about those states of a run whose numbers are at least from. healed has the
// identities of the healed forms of all states of the run. If known is true, s is the answer, and nothing needs to
// be computed: either the last state that can recover is known, or an earlier attempt visited at least most states
// and decided nothing. If known is false, the caller must decide about the states up to number end; those after it
// are known to be dead.
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
	case at.dead: // so end is equal to from
		return end, settled{last: from - 1, decided: true}, true
	case at.alive:
		return end, settled{last: end, decided: true}, true
	}
	return end, s, false
}

// note stores the decisions s about the states of a run. If s decided nothing about a run with a
// single state, note stores that this state needs more than most visited states. If the run has
// several states, any of them may be the one that needs more, so then note stores nothing.
func (k *facts) note(healed []canon.Hash, most int, s settled) {
	if *k == nil {
		*k = facts{}
	}
	if !s.decided && len(healed) == 1 { // of several states, another one may be the reason
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
