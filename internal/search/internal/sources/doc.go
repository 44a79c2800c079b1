// Package sources enumerates runs, each from its start, and takes to its end one of the runs that differ
// only in the order of independent steps (source sets with sleep sets: Abdulla, Aronis, Jonsson and Sagonas, Optimal
// Dynamic Partial Order Reduction). It keeps no states, so it is for nodes that cannot be copied, too.
//
// A line takes steps one after the other: a channel, whose messages are delivered in order; a
// message of a set or a bag; a timer, task or action of a node; its script; a fault. In a state, a line
// has at most one step that is possible. Two steps are dependent if they are of one line, if one of them
// wrote a part of the state that the other touched (see [state.Touched]), or if both changed what properties
// over several nodes take, or if one sends a message to a node that the other makes take messages, or no longer take them:
// it joins, leaves or fails. A handler that leaves its node as it was has not written it. Messages that are added to
// a set or bag, or taken from it, depend on each other only if one step takes what the other has sent.
//
// A new step is compared with those before it. If it is dependent on one of them, and no third step comes after
// that one and before the new one by dependence, the two could have been taken the other way round. Then
// the new step, or one that leads to it, is wanted in place of the earlier one, unless such a step is already wanted there. A step that was
// possible and no longer is after another one is wanted in place of that one, since no later step shows it.
//
// A line whose step was tried in a state is asleep from there on, until a step is taken that is dependent on the one
// that was tried. If all lines are asleep that have a step, the run was taken in another order, and ends.
//
// This holds if all runs end by themselves. The steps that a run would take beyond a bound may depend on others, and
// if it is cut, nobody knows. So nothing is claimed once a run was cut.
package sources
