package choose

import "slices"

// Follow answers with the events of a list of steps, by identity, and skips steps that are
// not possible. A coin falls as recorded if it is asked again and that side exists;
// otherwise it falls on its first side that is not rare. So a run from which steps were
// removed continues with the remaining ones.
type Follow struct {
	steps []Step
	pos   int // the index of the next step
	start []Choice
	coins []Choice // the coins recorded for the current step
	taken []int
	texts []string // identities of the alternatives; "" if not asked for yet
	path  Path
	err   error

	// Instead, if set, returns another identity for a step that is not possible. The other
	// event is tried before the step is skipped; "" means that there is none.
	Instead func(what string) string

	// Like, if set, returns the form of an identity. If a step is not possible, the first
	// possible event of the same form takes its place.
	Like func(what string) string
}

// NewFollow returns a source that follows steps, after the coins of a start.
func NewFollow(start []Choice, steps []Step) *Follow {
	return &Follow{steps: steps, start: start, coins: start}
}

// Taken returns the indices of the steps that were possible.
func (f *Follow) Taken() []int { return f.taken }

// Path returns the answers so far, with an empty header.
func (f *Follow) Path() *Path { return &f.path }

// Err returns ErrEnd if the steps are used up, or nil.
func (f *Follow) Err() error { return f.err }

// Answer returns the pick for the next possible step, or for a coin.
func (f *Follow) Answer(q *Question) int {
	if f.err != nil {
		return no
	}
	if q.Kind == Coin {
		return f.coin(q)
	}
	f.texts = slices.Grow(f.texts[:0], q.N)[:q.N]
	clear(f.texts)
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
			f.path.add(Choice{Kind: Event, Of: q.N, Pick: k, What: f.texts[k]})
			return k
		}
	}
	f.err = ErrEnd
	return no
}

// like returns the first alternative of the given form. The texts of all alternatives are
// known, since find has looked at each of them in vain.
func (f *Follow) like(q *Question, form string) int {
	for k := range q.N {
		if f.Like(f.texts[k]) == form {
			return k
		}
	}
	return no
}

// find returns the alternative with this identity. It begins with the number that the
// alternative had when it was recorded.
func (f *Follow) find(q *Question, what string, near int) int {
	near = min(near, q.N-1)
	for d := 0; near-d >= 0 || near+d < q.N; d++ {
		for _, k := range [2]int{near - d, near + d} {
			if k < 0 || k >= q.N {
				continue
			}
			if f.texts[k] == "" {
				f.texts[k] = q.Alternatives.Alternative(k)
			}
			if f.texts[k] == what {
				return k
			}
		}
	}
	return no
}

// coin answers as recorded if it can. It drops recorded coins that are not asked any more.
func (f *Follow) coin(q *Question) int {
	k := f.recorded(q)
	if k < 0 {
		k = usual(q)
	}
	f.path.add(Choice{Kind: Coin, Of: q.N, Pick: k, What: what(q, k)})
	return k
}

// recorded returns the recorded answer for a coin, or no.
func (f *Follow) recorded(q *Question) int {
	for i, c := range f.coins {
		for d := range min(q.N, maxPossible) { // a coin with very many sides is tried only near the recorded side
			k := (c.Pick + d) % q.N
			if what(q, k) == c.What {
				f.coins = f.coins[i+1:]
				return k
			}
		}
	}
	return no
}

// usual returns the first side of a coin that is not rare.
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
