package explore

import (
	"cmp"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/world"
)

// An answer has the choices in a situation, the best first. The later choices are computed only when
// the first one does not work in some state.
type answer struct {
	like    uint32 // a state in this situation
	version int    // the version of the facts that the choices agree with
	choices []*choice
	why     hindrance // why there are no choices, if there are none
	first   bool      // only the best choice was computed
}

// A choice says that in a situation the events of these kinds suffice. It begins the list of states
// that were expanded in part because of it.
type choice struct {
	kinds stubborn.Set
	first int32 // index in Reduction.resting of the list's first state, plus one; 0 means that there is none
	void  bool
}

// heads makes state first the beginning of the choice's list.
func (c *choice) heads(first int) { c.first = int32(first) }

// renew makes those choices of an answer void that no longer agree with the facts. If there are
// any, it computes new ones.
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

// agrees records the version of the facts with which the choices agree.
func (a *answer) agrees(version int) { a.version = version }

// looks computes choices beyond the known ones. The known ones may be older than the facts, so the
// version stays as it is.
func (a *answer) looks(r *Reduction, s *stubborn.Situation, known []*choice, first bool) {
	a.choices, a.first, a.why = r.choices(s, known, first)
}

// has reports whether an answer has a choice number k. It computes the later choices if that was not
// done yet.
func (r *Reduction) has(a *answer, k int, b *world.Bank, v world.Vector) bool {
	if k == 1 && a.first {
		a.looks(r, r.situation(b, v), a.choices, false)
	}
	return k < len(a.choices)
}

// voids marks the choice as void, and returns the beginning of its list of states.
func (c *choice) voids() (first int32) {
	first, c.first, c.void = c.first, 0, true
	return first
}

// answer returns the choices in the situation of state s.
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

// choices returns the known choices and new ones. Each is a set of kinds that suffices in the
// situation. They are sorted by the number of kinds, and those that were observed to be visible
// come last. If first is set, it stops when it has a choice that cannot be improved, and reports
// whether it did; otherwise the first known choice stays first. If there are none, it returns the reason.
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
