package decide

import "errors"

// Recovery says whether the end of a run can recover.
type Recovery struct {
	Alive bool
	Exact bool     // decided by visiting all states that can follow
	Walk  *Success // a walk that recovered, or nil if none did
	Plain bool     // that walk is a plain one, the first of Taken walks that recovered

	Taken, WalkSteps int // the number of plain walks, and their length
}

// Recovers decides whether the end of the run can recover, in the same way as for a suspected run. If it can,
// Recovers looks for a walk that shows it.
func (p *Finder) Recovers() (*Recovery, error) {
	n := p.run.Steps()
	r := &Recovery{WalkSteps: p.walkLen}
	switch err := p.settle(n, p.opts.Exhaust); {
	case errors.Is(err, ErrAlive):
		r.Alive, r.Exact = true, true
	case err != nil:
		return nil, err
	case p.dead <= n:
		r.Exact = true
		return r, nil
	}
	before := p.walks
	alive, err := p.walk(n, saltSearch, Round{p.opts.Walks, p.walkLen}, Plain)
	if err != nil {
		return nil, err
	}
	r.Taken = p.walks - before
	if r.Plain = alive; !r.Plain {
		if _, err := p.escapes(n, saltHold, Round{(p.opts.Walks + 1) / 2, p.walkLen}); err != nil {
			return nil, err
		}
	}
	if s, ok := p.Alive(n); ok {
		r.Alive, r.Walk = true, &s
	}
	return r, nil
}
