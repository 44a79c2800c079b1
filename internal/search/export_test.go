package search

import (
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// Together lets several workers expand levels however few states they have.
func Together(o *Options) { o.team = 1 }

// SlowRunner returns the runs of a search, and a function that looks at their handler as the
// monitor does: it returns for how many looks the handler has been at one place, and the stack
// there.
func SlowRunner(sys *sim.System) (*run.Runs, func() (still int, stack string), error) {
	r, err := newRunner(sys, Options{Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	r.Pulse.On = true
	s := &slowness{}
	return &r.Runs, func() (int, string) {
		stack, _ := s.look(r.hand)
		return s.still, stack
	}, nil
}

// A handler is slow if it is at one place for SlowLooks looks, with at most SlowMost questions
// between two of them.
const (
	SlowLooks = slowLooks
	SlowMost  = slowMost
)

// Watch makes the search call made with each of its worlds, except those for audits. It also
// reduces the audits to few.
func Watch(o *Options, made func(*world.World)) { o.made, o.once = made, true }
