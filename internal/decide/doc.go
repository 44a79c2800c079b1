// Package decide decides about one run: whether its end is dead, which step was
// critical, and on what evidence. It is the one place that does: a search that
// suspects a run, a replay, the debugger and the analysis of a finding all call it,
// so they cannot give different answers about one run.
//
// Its input is a Run, which describes the steps of the run, and a Lab, which takes
// walks from the run's states and visits the states that can follow them. Its output
// is a Result. The package takes no step itself.
//
// # When is a state recoverable
//
// A state is recoverable if its healed form reaches a live state by steps that are not
// rare. First that is decided exactly, by visiting all states that can still be reached:
// from the end of the run, and then from all its states. If there are too many of them,
// walks decide: one that becomes live proves that its state is recoverable, and a number
// of walks that do not suggests that it is dead. A state that does not count for liveness
// is not a recovery, but a state that can reach one is not called dead; one walk from the
// end of the run that gets to such a state proves that.
//
// As long as a run takes steps that the healed environment might have taken as well, a
// state that cannot recover is followed by states that cannot. Any other step (a fault,
// say) is wild: it may make a dead state recoverable again. So a run is cut at its wild
// steps into stretches, and if any state of a stretch is recoverable, its first one is.
// The last stretch whose first state can recover has the critical step. An exponential
// and then a binary search look for it there.
//
// The search chooses a step because walks from the state after it failed, so these walks
// are no evidence. Fresh walks are the evidence; if one of them becomes live, a later step
// is chosen. Finally the package tries once more to visit all states that can follow the
// critical step. These are much fewer than the states that can follow earlier ones, and
// make the critical step exact.
//
// # Walks of several kinds
//
// There are things that walks of one kind seldom do. They rarely leave one event alone for
// long, so that a message is delivered after all consequences of the others, say. They
// prefer events of large weight. And if the timers of all nodes fire, each round of the
// service may be interrupted by the next one for ever, so that it makes progress only while
// the timers of one node alone fire. So before a state is called dead, walks of other kinds
// are tried: in some one event waits, some pick among all events alike (or by weight, if the
// first walks did not), and in some all timers but those of one node wait. If one of them
// becomes live, that is as good a proof as any. Those that do not become live are no part of
// the evidence, since they succeed with another probability than plain walks.
//
// # The sequential test
//
// A Test decides by walks whether a state is called dead. Its walks come in rounds: at first
// many short ones, then rounds with a fourth of the walks of the round before and four times
// their length, with at least four walks in each. A walk that becomes live ends the test and
// proves that the state can recover, so a dead state is never reported to recover. The other
// error is possible: that a state is called dead which can recover. Let p(n) be the chance
// that a walk of n steps becomes live. Walks are independent, so the test calls the state
// dead with the probability
//
//	(1-p(n1))^w1 * (1-p(n2))^w2 * ...
//
// for rounds of wi walks of ni steps. The lengths follow the slowest recovery that the
// Finder has seen from a state of the same run, or else in a few walks from its start: there
// a recovery is a spell without a live state after which the walk is live again. The shortest
// walks are four times as long as that recovery, and at least 128 steps. The longest have
// Options.WalkSteps, or 64 times the length of that recovery if this is more, but at most
// Options.MaxWalkSteps. A last walk has MaxWalkSteps: a state from which every walk becomes
// live within MaxWalkSteps is never called dead. If no recovery was seen, the shortest walks
// have 500 steps; if no live state was seen at all, the longest have MaxWalkSteps. Short walks
// are cheap, and so there are up to four times Options.Walks of them.
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
// These are the probabilities of the plain walks of the test alone. A state is tested only after
// the walks that chose it, and those of the other kinds, have failed too, which makes the error
// smaller.
//
// # Safety
//
// If a run ends in a violation of safety or another failure, recoverable means that a run
// can still go on without a failure, for ever or until it rests, and is fair: what can happen at
// all times, such as the delivery of a message, a timer or a restart, happens in the end. So the step
// that is called critical is the crash after which every restart fails, and not the
// restart, which might be put off for ever. That is decided exactly, too, if there are not too
// many states: a state can go on if it reaches a fair cycle, or a state of rest, by steps that
// violate nothing (package fair). Otherwise it is decided by the share of the walks that go on. One such walk shows
// nothing: in a service that never rests, a few walks may go on from every state. The step
// at which the share falls most is chosen, and fresh walks measure the shares before and
// after it, which are both reported. If they do not differ by more than chance, the result is
// inconclusive, and no step is critical. If less than a fourth of the walks from the start go
// on, walks are made shorter, down to three times the run: a service that can fail in every
// transaction fails in a later one, too, if the walk is long.
package decide
