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
// and in which all timers but those of one node wait. A success is as good a proof as
// any; a failure adds nothing to the evidence, since their chances are other ones.
//
// # The sequential test
//
// A Test calls a state dead. Its walks come in rounds: at first many short ones, then a
// fourth as many that are four times as long, and so on, with at least four in each
// round. A walk that becomes live ends the test and proves that the state can recover;
// so a dead state is never said to recover. The error is the other one. Let p(n) be the
// chance that a walk of n steps becomes live. Walks are independent, so the test calls the
// state dead with the probability
//
//	(1-p(n1))^w1 * (1-p(n2))^w2 * ...
//
// for rounds of wi walks of ni steps. The lengths follow the slowest recovery that the
// Finder has seen from a state of the same run, or else in a few walks from its start: there
// a recovery is a spell without a live state after which the walk is live again. The shortest walks are four times as long
// (128 steps at least), and the longest as long as Options.WalkSteps, or 64 times as long as
// that recovery, up to Options.MaxWalkSteps. A last walk has MaxWalkSteps: what surely
// recovers until then is never called dead. Where no recovery was seen, the shortest walks
// have 500 steps; where no live state was seen at all, the longest have MaxWalkSteps.
// Short walks are cheap, and so there are up to four times Options.Walks of them.
//
// With the default bounds (60 walks, 10,000 steps) and recoveries of 30 steps, there are 240
// walks of 128 steps, 15 of 512, 4 of 2,048, 4 of 10,000 and 1 of 80,000. Then a state that recovers is
// called dead with these probabilities:
//
//	within  with a chance of  called dead
//	   128              0.01         0.07
//	   128              0.02       0.0048
//	   128              0.05      1.3e-06
//	   512               0.1         0.08
//	   512               0.2       0.0047
//	   512               0.5        6e-08
//	 2,048               0.5        0.002
//	10,000               0.5        0.031
//	10,000               0.7       0.0024
//	10,000               0.9        1e-05
//	80,000               0.5          0.5
//	80,000                 1            0
//
// These are the probabilities of the plain walks alone: the walks that chose the position had
// failed before, and so had those of the other manners, which make the error smaller.
//
// # Safety
//
// For a violation of safety, and whatever else ends a run, recoverable means
// that a walk can still go on without a failure. That is decided exactly, too,
// where it can be. Elsewhere the share of the walks that go on is what tells: a
// service that never rests may have a few that do from wherever they begin, and
// then one of them shows nothing. The step is chosen where that share falls most
// clearly, and told with both shares, of fresh walks; unless they differ by more
// than chance, it is inconclusive, and no step is critical. If less than a fourth of the
// walks from the start go on, walks are made shorter, down to three times the run: a service
// that meets the failure in every transaction meets it in later ones, too.
package decide
