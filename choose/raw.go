package choose

// Raw repeats a walk by the numbers of its picks. It does not compare the identities of
// alternatives, so it fits only a run in the same program. It compares the number of alternatives
// of each question, and stops with a [*Mismatch] if that differs.
type Raw struct {
	picks []Pick
	pos   int
	err   error
}

// NewRaw returns a source that repeats picks. It does not change the slice.
func NewRaw(picks []Pick) *Raw { return &Raw{picks: picks} }

// Restart makes r repeat picks from the beginning.
func (r *Raw) Restart(picks []Pick) { *r = Raw{picks: picks} }

// Answer returns the next pick.
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

// Err returns ErrEnd, a [*Mismatch], or nil.
func (r *Raw) Err() error { return r.err }

// Done reports whether all picks were used.
func (r *Raw) Done() bool { return r.pos == len(r.picks) }
