package decide

// What is asked of a run that was made shorter is little, and asked often: does it
// still end dead, and is its last step still the critical one?

// Seems decides whether the end of the run is dead by Options.Walks walks of a
// salt, or exactly. The first is taken alone, since most runs that are not dead
// show it at once. ErrAlive: it is not.
func (p *Finder) Seems(salt uint16) (*Result, error) {
	n := p.run.Steps()
	if p.run.Live[n] || !p.run.Counts {
		return nil, ErrAlive
	}
	if _, err := p.walk(n, salt, 1, Plain); err != nil || p.verdicts[n].alive {
		return nil, orAlive(err)
	}
	if err := p.settle(n, p.opts.Exhaust); err != nil {
		return nil, err
	}
	if p.dead <= n {
		return &Result{Proved: true}, nil
	}
	for _, m := range []Manner{Plain, Holding} {
		if _, err := p.walk(n, salt, p.opts.Walks, m); err != nil || p.verdicts[n].alive {
			return nil, orAlive(err)
		}
	}
	return &Result{Evidence: NewEvidence(p.opts.Walks, p.walkLen, n, p.opts.Seed)}, nil
}

// LastIsCritical decides of a run that ends dead whether the state before its last
// step could recover: one of so many walks that escapes is enough.
func (p *Finder) LastIsCritical(walks int, salt uint16) (bool, error) {
	at := p.run.Steps() - 1
	if p.run.Live[at] {
		return true, nil
	}
	for _, m := range []Manner{Plain, Holding} {
		if _, err := p.walk(at, salt, walks, m); err != nil || p.verdicts[at].alive {
			return err == nil, err
		}
	}
	if p.opts.Exhaust <= 0 {
		return false, nil
	}
	last, decided, err := p.lab.Settle(at, p.opts.Exhaust)
	return decided && last == at, err
}

func orAlive(err error) error {
	if err == nil {
		return ErrAlive
	}
	return err
}
