package critical

import (
	"slices"

	"macemc/search"
	"macemc/sim"
)

// arrange makes another step of a short dead run its last and critical one,
// where the two may as well happen the other way round and the other is the
// more telling. Steps that do not depend on each other have no order of their
// own: several may be what recovery is impossible without, and which of them
// came last is chance. Nil: it is best as it is.
func arrange(sys *sim.System, f *search.Finding, opts Options) (*search.Finding, error) {
	n := len(f.Path.Steps)
	if f.Verdict != sim.VerdictDead || f.Critical == nil || f.Critical.Step != n || n == 0 {
		return nil, nil
	}
	p, err := open(sys, f, opts)
	if err != nil {
		return nil, err
	}
	defer p.close()
	trace := f.Trace
	if trace == nil {
		again, err := p.lab.ConfirmCase(p.of)
		if err != nil || again.Verdict != f.Verdict {
			return nil, err
		}
		trace = again.Trace
	}
	was := telling(&trace.Steps[n-1])
	order := arrangements(trace.Steps, was)
	for _, at := range order {
		if p.Stopped(shrinkPart) || opts.Enough != nil && opts.Enough() {
			return nil, nil
		}
		if p.of.Wild[at] {
			continue
		}
		want := *f
		want.Critical = &search.Critical{Step: n, Event: f.Path.Steps[at].Event.What}
		s := newShrinker(p, &want)
		steps := slices.Concat(f.Path.Steps[:at], f.Path.Steps[at+1:], f.Path.Steps[at:at+1])
		c, err := s.take(steps)
		if err != nil {
			return nil, err
		}
		if c == nil || c.Steps() != n {
			continue
		}
		if ok, err := s.stands(c, s.accept, saltShrink); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		g, err := s.confirmed(c)
		if err != nil {
			return nil, err
		}
		if g != nil && telling(&g.Trace.Steps[n-1]) > was {
			return g, nil
		}
	}
	return nil, nil
}

// arrangements are the steps, by index, that tell more than the last: the most
// telling first, of such the latest.
func arrangements(steps []sim.Step, than int) (all []int) {
	for i := range steps {
		if telling(&steps[i]) > than {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		if d := telling(&steps[b]) - telling(&steps[a]); d != 0 {
			return d
		}
		return b - a
	})
	return all
}

// telling is how much a step tells of what goes wrong. What had to happen is not
// to blame: that a message is delivered, say. A timer may fire at any other time,
// and that something could not be sent is a failure already.
func telling(s *sim.Step) int {
	switch {
	case slices.ContainsFunc(s.Effects, func(e sim.Effect) bool { return e.Kind == sim.EffectRefused || e.Lost }):
		return 2
	case s.Event.Kind == sim.KindTimer:
		return 1
	default:
		return 0
	}
}
