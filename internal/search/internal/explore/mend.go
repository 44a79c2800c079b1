package explore

import (
	"slices"

	"macemc/internal/search/internal/stubborn"
	"macemc/internal/world"
)

// resting is a state from which only some steps were taken: those of a choice, which is a set of
// kinds of events. It is an element of that choice's list of states.
type resting struct {
	state uint32
	next  int32 // index of the next state, as in choice.first
	left  int32 // number of steps that were left out
}

// partial is a state of the present level of which only some steps were taken.
type partial struct {
	resting
	of     *choice // nil if all steps were taken
	goesOn bool    // one of these steps, and not a fault, leads to a state with a greater number
}

// audited is a state in which the reduction will be audited, and the choice of steps there.
type audited struct {
	state uint32
	of    *choice
}

// An omission is a state whose left-out steps must be taken after all, with the kinds of events
// that were taken.
type omission struct {
	state uint32
	taken stubborn.Set
	left  int32
}

// begins records that only the steps of choice c are taken from state s.
func (r *Reduction) begins(s uint32, c *choice) *partial {
	r.hides()
	r.turns(false)
	r.now = int32(len(r.part))
	r.part = append(r.part, partial{resting: resting{state: s}, of: c})
	return &r.part[r.now]
}

// take takes the steps that the choice of the state selects.
func (p *partial) take(by parter) (taken, left int, err error) {
	return by.some(p.state, p.of.kinds, true)
}

// leaves ends the expansion of a state, and records how many of its steps were left out.
func (r *Reduction) leaves(left int) {
	r.part[r.now].leaves(left)
	r.Stats.part(left)
	r.now = none
}

// whole records that all steps of the state that is being expanded will be taken after all.
func (r *Reduction) whole() {
	r.part[r.now].whole()
	r.now = none
}

// Mend ends a level: it takes those left-out steps that are needed after all, by what the level
// has shown.
func (x *Explorer) Mend() error {
	if x.Sleeping() != nil {
		return x.Memo().wakes()
	}
	for r := x.Reduction; r != nil && !r.Waits; {
		again := r.vain(x.Bank, x.Ledger)
		if len(again) == 0 {
			before := r.facts.Version()
			if err := r.checks(x); err != nil || r.facts.Version() == before {
				return err
			}
		}
		for _, a := range again {
			r.Stats.take(int(a.left))
			if err := x.others(a.state, a.taken); err != nil {
				return err
			}
		}
		if err := x.Settle(); err != nil {
			return err
		}
	}
	return nil
}

// others takes the steps of state s that were left out when it was expanded. The set taken has
// the kinds of the other steps.
func (x *Explorer) others(s uint32, taken stubborn.Set) (err error) {
	if m := x.Memo(); m != nil && !m.allDear() {
		return m.others(s, taken)
	}
	x.load(s)
	_, _, err = x.some(s, taken, false)
	return err
}

// vain returns the states whose left-out steps must be taken after all. They may be of this level
// or of an earlier one. It then empties the list of the level's states.
func (r *Reduction) vain(b *world.Bank, l *Ledger) (again []omission) {
	for k := range r.part {
		p := &r.part[k]
		switch {
		case p.of == nil:
		case p.of.void:
			r.voided(p.resting, p.of.kinds)
		case !p.goesOn && !r.NoProviso:
			r.Stats.cycle()
			r.hinders(hindrance{why: whyProviso})
			r.again = append(r.again, omission{p.state, p.of.kinds, p.left})
		default:
			r.rests(p)
		}
	}
	r.part = r.part[:0]
	r.voids(b, l)
	again, r.again = r.again, nil
	return again
}

// rests adds the state of p, from which only the steps of a choice were taken, to the list of that
// choice. It also selects some of these states, in which the reduction will be audited.
func (r *Reduction) rests(p *partial) {
	if r.audits++; r.audits%reduceAudit == 1 && (r.audits < reduceFirst || r.audits%reduceLater == 1) {
		r.audited = append(r.audited, audited{p.state, p.of})
	}
	r.resting = append(r.resting, resting{p.state, p.of.first, p.left})
	p.of.heads(len(r.resting))
}

// voids checks the choices by which states were expanded, if the facts have changed since the
// last check. If the steps of a choice do not suffice by the new facts, the choice becomes void.
func (r *Reduction) voids(b *world.Bank, l *Ledger) {
	now := r.facts.Version()
	if now == r.mended || r.NoVoid {
		return
	}
	r.mended = now
	for _, a := range r.all {
		if a.version != now && slices.ContainsFunc(a.choices, func(c *choice) bool { return c.first != 0 }) {
			l.Get(a.like, r.v)
			r.renew(a, r.situation(b, r.v))
		}
	}
}

// avoid makes choice c void. The states that were expanded by it must then be expanded in full.
func (r *Reduction) avoid(c *choice) {
	at := c.voids()
	for at != 0 {
		of := r.resting[at-1]
		r.voided(of, c.kinds)
		at = of.next
	}
}

// voided records that the left-out steps of a state must be taken after all. The set kinds has
// the kinds of the other steps, which were taken.
func (r *Reduction) voided(of resting, kinds stubborn.Set) {
	r.Stats.void()
	r.again = append(r.again, omission{of.state, kinds, of.left})
}

// checks audits the reduction in the states that rests has selected for that, except those whose
// choice is void.
func (r *Reduction) checks(x *Explorer) error {
	all := r.audited
	r.audited = all[:0]
	for _, a := range all {
		if a.of.void || r.NoVoid {
			continue
		}
		x.Get(a.state, r.v)
		if err := r.declared(x); err != nil {
			return err
		}
		x.World.State.Load(x.Bank, r.v)
		r.events(x.World)
		if err := r.audit(x, a.state, a.of.kinds); err != nil {
			return err
		}
	}
	return nil
}

// leads records that a step of the state r.part[k] leads to the state with number to.
func (r *Reduction) leads(k int32, to uint32) {
	if p := &r.part[k]; to > p.state {
		p.goes()
	}
}

func (p *partial) leaves(left int) { p.left = int32(left) }
func (p *partial) whole()          { p.of = nil }

// goes records that a step of the state leads to a state with a greater number, as the proviso
// asks (see Reduction).
func (p *partial) goes() { p.goesOn = true }

// asks reports whether the reduction still needs to know where the steps of the state r.part[k]
// lead. It needs that for the proviso: see Reduction.
func (r *Reduction) asks(k int32) bool { return k != none && !r.part[k].goesOn }
