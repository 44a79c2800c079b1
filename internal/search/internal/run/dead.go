package run

import (
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/trace"
)

// Dead returns the failure that reports that a run is dead: no live state can be reached from its
// last state. That state, after the given number of steps, is loaded in w.
func Dead(w *world.World, steps int) *trace.Failure {
	names, explanations := w.Judge.NotLive()
	declined := w.Text.Declined()
	if declined != "" {
		explanations = append(explanations, declined)
	}
	f := decide.Dead(steps, names, explanations)
	f.Declined = declined
	return f
}
