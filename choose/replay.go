package choose

// Replay answers from a path. It checks the identity and the number of alternatives of
// every choice. If the run does not fit the path, it stops with a [*Divergence].
type Replay struct {
	// ByIdentity accepts a recorded identity under another number, or among more or fewer
	// alternatives. It is for paths from which steps were removed, and for code that
	// changed a little.
	ByIdentity bool
	// Fair says that the path was recorded while rare sides were not possible. A coin with only one side
	// that is not rare was then not asked, and has no entry in the path. Replay gives that side as
	// the answer, even if the next entry, which belongs to another coin, looks like one for this coin.
	Fair bool

	path  *Path
	steps int      // the number of steps begun
	coins []Choice // the coins of the current step, or of the start, that are still to be asked
	err   error
}

// NewReplay returns a source that repeats p. It does not change p.
func NewReplay(p *Path) *Replay { return &Replay{path: p, coins: p.Start} }

// Answer returns the recorded pick, or with ByIdentity the number that it has now.
func (r *Replay) Answer(q *Question) int {
	if r.err != nil {
		return no
	}
	if k := sure(q); r.ByIdentity && k >= 0 && (r.Fair || !r.due(q)) {
		return k
	}
	c, ok := r.next(q.Kind)
	if !ok {
		return no
	}
	if c.Kind == q.Kind && c.Of == q.N && c.What == what(q, c.Pick) {
		return c.Pick
	}
	d := diverge(r.steps, c, q)
	if r.ByIdentity && d.Now >= 0 {
		return d.Now
	}
	r.err = d
	return no
}

// sure returns the only side of a coin that is not rare, or -1 if there are none or several such sides.
// While rare sides are not possible, a coin with one such side is not asked, and so not recorded.
func sure(q *Question) int {
	if q.Kind != Coin {
		return no
	}
	k, i := no, 0
	for _, run := range q.Runs {
		if run.Weight > 0 && (k != no || run.N > 1) {
			return no
		}
		if run.Weight > 0 {
			k = i
		}
		i += run.N
	}
	return k
}

// due reports whether the next coin of the path belongs to this question.
func (r *Replay) due(q *Question) bool {
	if len(r.coins) == 0 {
		return false
	}
	c := r.coins[0]
	for d := range min(q.N, maxPossible) { // a coin with very many sides is tried only near the recorded side
		if what(q, (c.Pick+d)%q.N) == c.What {
			return true
		}
	}
	return false
}

// next removes the next choice from the path, to answer a question of kind k, and returns it. If
// the last step still has coins, it is the first of these, even if k is Event: then the run differs
// from the path. If k is Coin and the step has no more coins, the path has no answer, and the
// Choice has kind 0. ok is false if the path is at its end.
func (r *Replay) next(k Kind) (c Choice, ok bool) {
	switch {
	case len(r.coins) > 0:
		c, r.coins = r.coins[0], r.coins[1:]
	case k != Event:
		// All recorded coins of the step were asked: this one is not recorded.
	case r.steps == len(r.path.Steps):
		r.err = ErrEnd
		return c, false
	default:
		step := &r.path.Steps[r.steps]
		r.steps++
		c, r.coins = step.Event, step.Coins
	}
	return c, true
}

// Err returns ErrEnd, a [*Divergence], or nil.
func (r *Replay) Err() error { return r.err }

// Done reports whether every recorded choice was used.
func (r *Replay) Done() bool {
	return r.steps == len(r.path.Steps) && len(r.coins) == 0
}
