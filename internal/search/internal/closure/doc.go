// Package closure decides exactly what can still happen once the environment has healed. It
// takes a set of states of an explorer, and returns which of them are dead, or cannot go on
// without a violation.
package closure
