package critical

import (
	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
)

// Fewer decides whether a run of only some steps of a finding's path fails in the same way as
// the whole path, by the same test as Shrink. Its method Same can be used in the function that
// a caller passes to eventgraph.Depends. If the path has a critical step, it must be the last
// one.
type Fewer struct {
	s   *shrinker
	lab *search.Lab
}

// NewFewer returns a Fewer for the finding. It opens a search.Lab in which runs are taken, so
// the caller must call Close.
func NewFewer(sys *sim.System, f *search.Finding, opts Options) (*Fewer, error) {
	b, err := openBench(sys, f, opts)
	if err != nil {
		return nil, err
	}
	p, err := b.open(f, 1)
	if err != nil {
		b.lab.Close()
		return nil, err
	}
	return &Fewer{newShrinker(p, f), b.lab}, nil
}

// Close ends the lab, with the watchdog that guards its runs.
func (w *Fewer) Close() { w.lab.Close() }

// Same reports whether a run of exactly these steps is possible and fails in the same way
// as the finding's. It ignores the step of healing, which is not a step of the service: a
// run is judged dead after healing anyway.
func (w *Fewer) Same(steps []choose.Step) (bool, error) {
	all := 0
	for i := range steps {
		if wording.Identify(steps[i].Event.What).Kind != sim.KindHeal {
			all++
		}
	}
	for range w.s.tries {
		of, taken, err := w.lab.TakeSome(w.s.of.Path.Start, steps, w.s.careful, false)
		if err != nil {
			return false, err
		}
		if of == nil || of.Steps() < all {
			continue
		}
		last := ""
		if len(taken) > 0 && taken[len(taken)-1] == len(steps)-1 {
			last = steps[len(steps)-1].Event.What
		}
		c := w.s.fails(of, last)
		if c == nil {
			continue
		}
		if ok, err := w.s.stands(c, w.s.accept, saltShrink); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}
