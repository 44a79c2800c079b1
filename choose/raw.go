package choose

// Raw repeats the picks of a walk by number, without looking at identities:
// for re-execution by the same program. It checks the number of alternatives
// of every question.
type Raw struct {
	picks []Pick
	pos   int
	err   error
}

// NewRaw returns a source that repeats picks. It does not change them.
func NewRaw(picks []Pick) *Raw { return &Raw{picks: picks} }

// Restart repeats picks from the beginning.
func (r *Raw) Restart(picks []Pick) { *r = Raw{picks: picks} }

// Answer is the next of the picks.
func (r *Raw) Answer(q *Question) int {
	if r.err != nil {
		return no
	}
	if r.pos == len(r.picks) {
		r.err = ErrEnd
		return no
	}
	p := r.picks[r.pos]
	if int(p.Of) != q.N {
		r.err = &Mismatch{Position: r.pos, RecordedOf: int(p.Of), Asked: q.Kind, Of: q.N}
		return no
	}
	r.pos++
	return int(p.Pick)
}

// Err is ErrEnd, a [*Mismatch], or nil.
func (r *Raw) Err() error { return r.err }

// Done reports whether all picks were taken.
func (r *Raw) Done() bool { return r.pos == len(r.picks) }
