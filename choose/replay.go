package choose

// Replay answers from a path. It checks the identity and the number of
// alternatives of every choice, so that a path is never applied to a run which
// it does not fit: it stops with a [*Divergence] instead.
type Replay struct {
	// ByIdentity follows a recorded identity to wherever it is possible now,
	// under another number or among more or fewer alternatives. For paths
	// from which steps were taken out, and for code that changed a little.
	ByIdentity bool
	// Fair says that the path was taken where rare sides are not possible, so that it
	// has no coin with one side besides: the next that it has may look like it.
	Fair bool

	path  *Path
	steps int      // begun
	coins []Choice // of the current step, or the start, still to be asked for
	err   error
}

// NewReplay returns a source that repeats p. It does not change p.
func NewReplay(p *Path) *Replay { return &Replay{path: p, coins: p.Start} }

// Answer is what the path has for the question, as it is told there.
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

// sure is the one side of a coin that is not rare; no: there are several, or none.
// Where rare sides are not possible, such a coin is not asked, and not recorded.
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

// due reports whether the coin that comes next in the path is this one.
func (r *Replay) due(q *Question) bool {
	if len(r.coins) == 0 {
		return false
	}
	c := r.coins[0]
	for d := range min(q.N, maxPossible) { // of a coin with very many sides, near the one that is recorded
		if what(q, (c.Pick+d)%q.N) == c.What {
			return true
		}
	}
	return false
}

// next takes the choice that answers a question of kind k: a coin that is still
// due in any case, a Choice of kind 0 where a coin is asked and none is due.
func (r *Replay) next(k Kind) (c Choice, ok bool) {
	switch {
	case len(r.coins) > 0:
		c, r.coins = r.coins[0], r.coins[1:]
	case k != Event:
		// The step has all of its coins: this one is not recorded.
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

// Err is ErrEnd, a [*Divergence], or nil.
func (r *Replay) Err() error { return r.err }

// Done reports whether every recorded choice was taken.
func (r *Replay) Done() bool {
	return r.steps == len(r.path.Steps) && len(r.coins) == 0
}
