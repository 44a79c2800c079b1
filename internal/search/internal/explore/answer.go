package explore

import (
	"cmp"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/world"
)

// An answer holds the choices for all states in one situation, that is, with the same kinds of pending events. It
// lists the best choice first; the others are computed only when the first one does not work in some state.
type answer struct {
	like    uint32 // the number of a state in this situation
	version int    // the version of the facts for which the choices are sound
	choices []*choice
	why     hindrance // why there are no choices, if there are none
	first   bool      // only the best choice was computed
}

// A choice is a set of kinds of events that suffices in a situation. It begins the list of the states
// from which only such events were taken.
type choice struct {
	kinds stubborn.Set
	first int32 // index in Reduction.resting of the list's first state, plus one; 0 means that there is none
	void  bool  // the choice is not sound any more: see Reduction.voids
}

// heads sets the first state of the choice's list, the states from which only events of the
// choice were taken. The list is linked; first is the index of that state, plus one.
func (c *choice) heads(first int) { c.first = int32(first) }

// renew brings the choices of answer a up to date with what the reduction has observed since they were computed (its
// facts). s is the situation of a. A choice that the facts no longer allow becomes void, and others are computed in
// its place.
func (r *Reduction) renew(a *answer, s *stubborn.Situation) {
	kept := a.choices[:0]
	for _, c := range a.choices {
		if r.facts.Suffices(s, c.kinds) || r.NoVoid && c.first != 0 {
			kept = append(kept, c)
			continue
		}
		r.avoid(c)
	}
	if a.agrees(r.facts.Version()); len(kept) < len(a.choices) {
		a.looks(r, s, kept, true)
	}
}

// agrees records that the choices are sound according to the facts with this version.
func (a *answer) agrees(version int) { a.version = version }

// looks computes choices besides the known ones, or only the best one if first is true. It does not change the
// version, since the known ones may have been computed with older facts.
func (a *answer) looks(r *Reduction, s *stubborn.Situation, known []*choice, first bool) {
	a.choices, a.first, a.why = r.choices(s, known, first)
}

// has reports whether answer a has a choice number k, counted from 0. If only the best choice was computed so far,
// it first computes the others, for state v.
func (r *Reduction) has(a *answer, k int, b *world.Bank, v world.Vector) bool {
	if k == 1 && a.first {
		a.looks(r, r.situation(b, v), a.choices, false)
	}
	return k < len(a.choices)
}

// voids makes the choice void, and returns the beginning of its list of states.
func (c *choice) voids() (first int32) {
	first, c.first, c.void = c.first, 0, true
	return first
}

// answer returns the choices for state s, which has the vector v and the given situation.
func (r *Reduction) answer(b *world.Bank, s uint32, v world.Vector, situation canon.Hash) *answer {
	a := r.answers[situation]
	switch {
	case a == nil:
		of := r.situation(b, v)
		a = &answer{like: s, version: r.facts.Version()}
		a.looks(r, of, nil, true)
		r.answers[situation] = a
		r.all = append(r.all, a)
	case a.version != r.facts.Version():
		r.renew(a, r.situation(b, v))
	}
	return a
}

// choices returns the known choices and new ones for situation s. They are sorted by their numbers of kinds; choices
// that were observed to be visible come last. If first is true, only the best choice is wanted: the function stops
// when it finds a choice that cannot be improved, and then ends is true. If first is false, the first of the known
// choices stays first. If there are no choices, why is the reason.
func (r *Reduction) choices(s *stubborn.Situation, known []*choice, first bool) (_ []*choice, ends bool, why hindrance) {
	size := s.Pending.Len()
	why.why = whyDepends
	rank := func(c *choice) int {
		return c.kinds.Len() - c.kinds.Common(r.failures) + size*count(r.facts.Visible(c.kinds))
	}
	ends = first && slices.ContainsFunc(known, func(c *choice) bool { return rank(c) == 1 })
	for c := range s.Pending.Each {
		if ends {
			break
		}
		if slices.ContainsFunc(known, func(o *choice) bool { return o.kinds.Has(c) }) {
			continue
		}
		switch p, is := r.facts.Least(s, c); {
		case !is:
			why = hindrance{whyBarred, r.facts.Ended()}
		case p.Len() < size:
			of := &choice{kinds: p}
			known, ends = append(known, of), first && rank(of) == 1
		case size == 1:
			why.why = whyAlone
		}
	}
	slices.SortStableFunc(known[count(!first):], func(a, b *choice) int { return cmp.Compare(rank(a), rank(b)) })
	return known, ends, why
}
