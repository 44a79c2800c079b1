package run

import (
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/sim"
)

// Dead is the failure of a run whose end, where the world is, is taken to be dead.
func Dead(w *world.World, steps int) *sim.Failure {
	names, explanations := w.NotLive()
	if declined := w.Declined(); declined != "" {
		explanations = append(explanations, declined)
	}
	return decide.Dead(steps, names, explanations)
}
