package search

import (
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// Together lets several workers expand levels however few states they have.
func Together(o *Options) { o.team = 1 }

// SlowRunner is a runner, and what looks at it says: how often it was in one place.
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

// Slow looks, and questions between two of them, make a handler a slow one.
const (
	SlowLooks = slowLooks
	SlowMost  = slowMost
)

// Watch calls made with each world that a search makes and that is not for audits, of which there
// are few then.
func Watch(o *Options, made func(*world.World)) { o.made, o.once = made, true }
