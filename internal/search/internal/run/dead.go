package run

import (
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/trace"
)

// Dead returns the failure of a run whose last state, which is loaded in the world, is taken to be
// dead.
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
