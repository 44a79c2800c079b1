// Package critical finds out when a run went wrong: the critical transition,
// the last step that left a recoverable state for good. It also finds the live
// run that is nearest to the bad one, and makes the bad one short.
//
// A finding of package search enters, and the same finding leaves, with what
// was found out about it. All runs are taken by a search.Lab; this room only
// decides which, and what they show.
//
// # When is a state recoverable
//
// If a live state can be reached from its healed form by steps that are not
// rare. First that is decided exactly, by exhausting what can still happen: of
// the end of the run, and then of all its states. Where there is too much of
// it, walks decide: one that becomes live proves that its state is recoverable;
// so many that do not suggest that it is dead.
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
// What walks seldom do is to leave one event alone for long: deliver a message
// after everything that comes of the others, say. Many narrow escapes need just
// that. So before a state is taken for dead, and once more after the fresh walks,
// some are taken in which one event waits. A success is as good a proof as any; a
// failure adds nothing to the evidence, since their chances are other ones.
//
// Steps that do not depend on each other have no order of their own, and which of
// them came last is chance. Of those that may as well be the critical step of a
// short run, the one that tells most is: one in which something could not be
// sent, or else one in which a timer fired.
//
// For a violation of safety, and whatever else ends a run, recoverable means
// that a walk can still go on without a failure. That is decided exactly, too,
// where it can be. Elsewhere the share of the walks that go on is what tells: a
// service that never rests may have a few that do from wherever they begin, and
// then one of them shows nothing. The step is chosen where that share falls most
// clearly, and told with both shares, of fresh walks; unless they differ by more
// than chance, it is inconclusive, and no step is critical.
package critical
