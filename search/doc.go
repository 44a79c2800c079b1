// Package search is the room of strategies: it decides which runs of a system
// are worth taking, and says honestly what they showed.
//
// A strategy only supplies answers. One loop, in search/internal/run, evaluates
// every state that a run reaches. There are two kinds of strategies: the reference
// engine enumerates all runs to a bound by re-executing each from its start,
// slow and simple, the oracle for every faster engine; the walk takes long
// random runs in place, through storms of faults where there are any
// (search/internal/walk).
//
// The other two engines take no runs: they take each step of each state once, level
// by level (search/internal/explore); several goroutines expand a level together
// (team.go). What is dead in a space that was exhausted is decided exactly
// (search/internal/closure). What they find is confirmed by runs.
//
// A [Lab] takes runs that begin in the middle of others, for rooms above that look
// into a finding, and says what exhausting tells of its states.
//
// A Result says what was found, or within what bound nothing was, and why the
// search stopped. Every finding has been confirmed by plain re-execution
// before it is reported.
package search
