// Package choose is the one place of macemc where an answer is picked.
//
// A run of a system is a function of the answers that it is given: which event
// happens next, how a node's own coin falls. Everything that is open is asked
// as one [Question], and one [Source] answers. The list of answers is the run.
// So exhaustive search, random walks, replay and bisection are not different
// programs but different answerers:
//
//	Odometer   the next path of a depth-first enumeration
//	Walk       weighted or uniform random answers from a seed
//	Raw        the picks of an earlier run, by number: fast
//	Replay     the choices of a recorded path, by identity: says where it diverges
//	Follow     the steps of a path that are still possible, by identity
//	Fixed      a list, then 0: for tests
//	Record     a decorator that builds the Path of what its source answers
//
// # What enters and what leaves
//
// Questions enter, numbers leave. A question says how many alternatives there
// are and how they weigh; what they are is told on demand, and only those
// answerers ask that record or check. choose does not know what an event is.
// It imports nothing of the project, and it is the only package in which
// randomness is used.
//
// # Words
//
// An alternative is one possible answer; its identity is one line of text that
// does not depend on its number. A pick is the number of the alternative that
// was answered; picks count from 0. An event question is asked at every step,
// even when one event is possible; a coin question only when there are at least
// two alternatives. A choice is a pick among several. A step begins with its
// event; coins that are asked before any event belong to the start. A rare
// alternative has weight 0: enumerations have it, walks do not unless told.
//
// A [Path] is the recorded choices of a run, by identity, and the text form of
// it is what users keep, read, diff and send with a bug report. [Align] pairs
// the events of two.
package choose
