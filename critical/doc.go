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
// For a violation of safety, and whatever else ends a run, recoverable means
// that a walk can still go on without a failure.
package critical
