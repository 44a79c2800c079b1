// Package search is the room of strategies: it decides which runs of a system
// are worth taking, and says honestly what they showed.
//
// A strategy only supplies answers. One loop, in search/internal/run, evaluates
// every state that a run reaches. Two strategies stand here: the reference
// engine enumerates all runs to a bound by re-executing each from its start,
// slow and simple, the oracle for every faster engine; the walk takes long
// random runs in place, through storms of faults where there are any.
//
// The other two engines take no runs: they take each step of each state once,
// level by level, from states that are kept as packed vectors of numbers
// (ledger.go). A taker (taker.go) takes the steps of states by a stepper, in the
// world or by a memo that runs a handler only on what it has not seen before
// (memo.go, cache.go, footprint.go), and tells a visitor where they lead: an
// explorer visits what is new (explore.go), a closure decides what is alive
// (closure.go). Several goroutines expand a level together (team.go). What they
// find is confirmed by runs.
//
// A [Lab] takes runs that begin in the middle of others for rooms above that look into a finding, and
// says what exhausting tells of its states.
//
// A Result says what was found, or within what bound nothing was, and why the
// search stopped. Every finding has been confirmed by plain re-execution
// before it is reported.
package search
