// Package closure decides exactly what can still happen once the environment has healed. It
// takes the states that an exploration has visited (internal/search/internal/explore), and returns
// which of them are dead, or cannot go on without a violation. The healed form of a state is the
// state after the environment has healed: all faults have ended, and no further one is possible. To
// expand a state is to take its steps.
package closure
