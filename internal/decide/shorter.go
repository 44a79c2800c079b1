package decide

import "slices"

// A shortened run is asked two questions, often: does it still end dead, and is its last
// step still the critical one?

// Seems decides whether the end of the run is dead: exactly, or by walks with this salt. It takes only the
// shortest walks of the test or, if sure is set, all of them. The first walk is taken alone, since for most
// runs that are not dead it recovers. Seems returns ErrAlive if the end is not dead.
func (p *Finder) Seems(salt uint16, sure bool) (*Result, error) {
	n := p.run.Steps()
	if p.run.Live[n] || !p.run.Counts {
		return nil, ErrAlive
	}
	rounds := p.test().Rounds()
	if !sure {
		rounds = rounds[:1]
	}
	if alive, err := p.walk(n, salt, Round{1, rounds[0].Steps}, Plain); err != nil || alive {
		return nil, orAlive(err)
	}
	if err := p.settle(n, p.opts.Exhaust); err != nil {
		return nil, err
	}
	if p.dead <= n {
		return &Result{Proved: true}, nil
	}
	if alive, err := p.walk(n, salt, Round{p.opts.Walks, p.lastSteps()}, Holding); err != nil || alive {
		return nil, orAlive(err)
	}
	for i, r := range rounds {
		if alive, err := p.walk(n, salt+uint16(i)*saltRound, r, Plain); err != nil || alive {
			return nil, orAlive(err)
		}
	}
	return &Result{Evidence: NewEvidence(rounds, n)}, nil
}

// LastIsCritical decides whether the last step of a dead run is critical: whether the state before that
// step could recover, for which one walk that recovers is enough. It takes walks of the manner *by first,
// and sets *by to the manner of the walk that recovered, since that will probably do for the next, similar
// run, too. If no walk recovers, it tries to decide exactly.
func (p *Finder) LastIsCritical(walks int, salt uint16, by *Manner) (bool, error) {
	at := p.run.Steps() - 1
	if p.run.Live[at] {
		return true, nil
	}
	others := slices.DeleteFunc([]Manner{Plain, Holding, Other, OneClock}, func(m Manner) bool { return m == *by })
	for i, m := range append([]Manner{*by}, others...) {
		count := walks
		if i > 0 && m > Holding {
			count = (walks + 5) / 6
		}
		alive, err := p.walk(at, salt, Round{count, p.lastSteps()}, m)
		if alive {
			*by = m
		}
		if err != nil || alive {
			return err == nil, err
		}
	}
	if p.opts.Exhaust <= 0 {
		return false, nil
	}
	last, decided, err := p.lab.Settle(at, p.opts.Exhaust)
	return decided && last == at, err
}

// LastEscapes is LastIsCritical with walks of one manner alone, and does not decide exactly. A walk takes at
// most the given number of steps, but it may always take as many as the constant shortest says. If steps is
// 0, walks are as long as those of LastIsCritical.
func (p *Finder) LastEscapes(walks, steps int, salt uint16, by Manner) (bool, error) {
	at := p.run.Steps() - 1
	if p.run.Live[at] {
		return true, nil
	}
	most := p.lastSteps()
	if steps > 0 {
		most = min(most, max(shortest, steps))
	}
	return p.walk(at, salt, Round{walks, most}, by)
}

// lastSteps returns the number of steps of walks from the state before the last step. They are longer than
// the walks that call a state dead, since they are expected to recover.
func (p *Finder) lastSteps() int { return min(4*p.test().Shortest(), p.opts.WalkSteps) }

func orAlive(err error) error {
	if err == nil {
		return ErrAlive
	}
	return err
}
