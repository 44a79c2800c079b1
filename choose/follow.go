package choose

import "slices"

// Follow answers with the events of a list of steps that are possible, in their
// order, by identity; one that is not possible is passed over. A coin falls as
// it is recorded, if it is asked again with that answer, and else on its first
// side that is not rare. So a run from which steps are taken out goes on with
// what is left of it.
type Follow struct {
	steps []Step
	pos   int // of the next step
	start []Choice
	coins []Choice // recorded for what is asked now
	taken []int
	told  []string // identities of the alternatives, as far as they were asked for
	path  Path
	err   error

	// Instead gives a step that is not possible another identity, which is
	// tried before it is passed over; "": it has none.
	Instead func(what string) string

	// Like is the form of an identity in which events that are alike agree. The first
	// possible event that is like a step stands for one that is not possible; nil: none does.
	Like func(what string) string
}

// NewFollow returns a source that follows steps after a start.
func NewFollow(start []Choice, steps []Step) *Follow {
	return &Follow{steps: steps, start: start, coins: start}
}

// Taken are the indices of the steps that were possible.
func (f *Follow) Taken() []int { return f.taken }

// Path is what was answered so far, with an empty header, as a Record has it.
func (f *Follow) Path() *Path { return &f.path }

// Err is ErrEnd, or nil.
func (f *Follow) Err() error { return f.err }

// Answer is the answer that the path has here.
func (f *Follow) Answer(q *Question) int {
	if f.err != nil {
		return no
	}
	if q.Kind == Coin {
		return f.coin(q)
	}
	f.told = slices.Grow(f.told[:0], q.N)[:q.N]
	clear(f.told)
	for ; f.pos < len(f.steps); f.pos++ {
		s := &f.steps[f.pos]
		k := f.find(q, s.Event.What, s.Event.Pick)
		if k < 0 && f.Instead != nil {
			if other := f.Instead(s.Event.What); other != "" {
				k = f.find(q, other, 0)
			}
		}
		if k < 0 && f.Like != nil {
			k = f.like(q, f.Like(s.Event.What))
		}
		if k >= 0 {
			f.coins = s.Coins
			f.taken = append(f.taken, f.pos)
			f.pos++
			f.path.add(Choice{Kind: Event, Of: q.N, Pick: k, What: f.told[k]})
			return k
		}
	}
	f.err = ErrEnd
	return no
}

// like looks for an event of a form. All were told when it was looked for by its identity.
func (f *Follow) like(q *Question, form string) int {
	for k := range q.N {
		if f.Like(f.told[k]) == form {
			return k
		}
	}
	return no
}

// find looks for an identity, first near the number that it once had.
func (f *Follow) find(q *Question, what string, near int) int {
	near = min(near, q.N-1)
	for d := 0; near-d >= 0 || near+d < q.N; d++ {
		for _, k := range [2]int{near - d, near + d} {
			if k < 0 || k >= q.N {
				continue
			}
			if f.told[k] == "" {
				f.told[k] = q.Alternatives.Alternative(k)
			}
			if f.told[k] == what {
				return k
			}
		}
	}
	return no
}

// coin answers as recorded, if it can. What is recorded in between is of coins
// that are not asked any more.
func (f *Follow) coin(q *Question) int {
	k := f.recorded(q)
	if k < 0 {
		k = usual(q)
	}
	f.path.add(Choice{Kind: Coin, Of: q.N, Pick: k, What: what(q, k)})
	return k
}

// recorded is the answer that is recorded for a coin; no: none is.
func (f *Follow) recorded(q *Question) int {
	for i, c := range f.coins {
		for d := range min(q.N, maxPossible) { // of a coin with very many sides, near the one that is recorded
			k := (c.Pick + d) % q.N
			if what(q, k) == c.What {
				f.coins = f.coins[i+1:]
				return k
			}
		}
	}
	return no
}

// usual is the first side of a coin that is not rare.
func usual(q *Question) int {
	k := 0
	for _, r := range q.Runs {
		if r.Weight > 0 {
			return k
		}
		k += r.N
	}
	return 0
}
