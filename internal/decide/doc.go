// Package decide says what is to be believed of one run: whether its end is
// dead, which step was critical, and on what evidence. It is the one place where
// that is decided: a search that suspects a run asks it, a replay, the debugger,
// and whoever looks into a finding. So no two of them say otherwise of one run.
//
// A Run and a Lab enter: what is known of the run, and someone who takes walks
// from its states and visits what can still happen after them. What leaves is in
// words of this package: Critical, Evidence, Avoided. It takes no step itself.
//
// # When is a state recoverable
//
// If a live state can be reached from its healed form by steps that are not
// rare. First that is decided exactly, by exhausting what can still happen: of
// the end of the run, and then of all its states. Where there is too much of
// it, walks decide: one that becomes live proves that its state is recoverable;
// so many that do not suggest that it is dead. What does not count for liveness
// is no recovery, but nothing is dead that comes to it: of the end of a run, a
// walk shows as much by coming there.
//
// Recoverability is only ever lost, as long as a run takes steps that the
// healed environment might have taken as well. Any other step (a fault, say)
// may revive what was dead. So a run is cut at these wild steps into stretches,
// and of each stretch the first state is the most recoverable one: the last
// stretch whose first state can recover holds the critical step. There an
// exponential and then a binary search look for it.
//
// A position is chosen because walks from there failed, so these walks are no
// evidence. The evidence is of fresh ones; one of them that becomes live moves
// the position on. What then is after the critical step is tried to be
// exhausted once more: that is much less than what is after the whole run, and
// makes the critical step exact.
//
// # Walks of several kinds
//
// Walks of one kind seldom do some things. They hardly leave one event alone for
// long: deliver a message after everything that comes of the others, say. They
// prefer what has weight. Where all nodes' timers fire, one round is interrupted
// by the next for ever, and only where one node's clock runs alone something gets
// done. So before a state is taken for dead, others are tried: in which one event
// waits, that pick among all events alike (or by weight, if the first did not),
// and in which all timers but those of one node wait; and of the end of the run,
// some that are as long as any may be. A success is as good a proof as any; a
// failure adds nothing to the evidence, since their chances are other ones.
//
// # Safety
//
// For a violation of safety, and whatever else ends a run, recoverable means
// that a walk can still go on without a failure. That is decided exactly, too,
// where it can be. Elsewhere the share of the walks that go on is what tells: a
// service that never rests may have a few that do from wherever they begin, and
// then one of them shows nothing. The step is chosen where that share falls most
// clearly, and told with both shares, of fresh walks; unless they differ by more
// than chance, it is inconclusive, and no step is critical.
package decide
