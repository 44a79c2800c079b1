// Package choose is the only place in macemc where an answer is picked.
//
// A run of a system is a function of its answers: which event happens next, how a coin of a
// node falls. Everything that is open is asked as a [Question], and a [Source] answers it.
// The list of answers determines the run. So exhaustive search, random walks, replay and
// bisection differ only in their Source:
//
//	Odometer   the next path of a depth-first enumeration
//	Walk       weighted or uniform random answers from a seed
//	Raw        the picks of an earlier run, by number; fast
//	Replay     the choices of a recorded path, by identity; reports where the run diverges
//	Follow     the steps of a path that are still possible, by identity
//	Fixed      the answers of a list, then 0; for tests
//	Record     a wrapper that builds the Path of what another source answers
//
// # Questions and answers
//
// A question has a number of alternatives and their weights. The text of an alternative is
// computed only on request, by sources that record or check. Package choose does not know
// what an event is, and imports nothing of the project. No other package below the live
// runtime uses random numbers to run a system.
//
// # Words
//
// An alternative is one possible answer. Its identity is one line of text that does not
// depend on its number. A pick is the number of the alternative that was answered, counted
// from 0. An event question is asked at every step, even if only one event is possible; a
// coin question is asked only if there are at least two alternatives. A choice is a pick
// among several alternatives. A step begins with its event; coins that are asked before the
// first event belong to the start. A rare alternative has weight 0: enumerations take it,
// and walks do not by default.
//
// A [Path] is the recorded choices of a run, by identity. Its text form is what users keep,
// read, compare and attach to a bug report. [Align] pairs the events of two paths.
package choose
