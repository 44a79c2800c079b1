// Package closure decides exactly what can still happen once the environment has
// healed. A set of states of an explorer enters; which of them are dead, or cannot go
// on without a violation, leaves.
package closure
