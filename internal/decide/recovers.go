package decide

import "errors"

// Recovery says whether the end of a run can recover.
type Recovery struct {
	Alive bool
	Exact bool     // it was decided by visiting all states that can follow
	Walk  *Success // a walk that recovered, or nil if none did
	Plain bool     // Walk is a plain walk, the first of Taken walks that recovered

	Taken, WalkSteps int // the number of plain walks, and their length
}

// Recovers decides whether the end of the run can recover, in the same way as for a run that is suspected to
// be dead. If it can, Recovers looks for a walk that shows it.
func (p *Finder) Recovers() (*Recovery, error) {
	n, steps := p.run.Steps(), p.walkLen
	err := p.settle(n, p.opts.Exhaust)
	proved := errors.Is(err, ErrAlive)
	switch {
	case err != nil && !proved:
		return nil, err
	case !proved && p.dead <= n:
		return &Recovery{Exact: true, WalkSteps: steps}, nil
	}
	before := p.walks
	alive, err := p.walk(n, saltSearch, Round{p.opts.Walks, p.walkLen}, Plain)
	if err != nil {
		return nil, err
	}
	taken := p.walks - before
	if !alive {
		if _, err := p.escapes(n, saltHold, Round{(p.opts.Walks + 1) / 2, p.walkLen}); err != nil {
			return nil, err
		}
	}
	var walk *Success
	if s, ok := p.Alive(n); ok {
		walk = &s
	}
	return &Recovery{Alive: proved || walk != nil, Exact: proved, Walk: walk, Plain: alive, Taken: taken, WalkSteps: steps}, nil
}
