// Package sources enumerates runs, each from its start. Of the runs that differ only in the order
// of independent steps, it takes one to its end. The algorithm is that of source sets with sleep
// sets (Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction). It keeps no
// states, so it is also for nodes that cannot be copied.
//
// A line takes steps one after the other: a channel, whose messages are delivered in order; a
// message of a set or a bag; a timer, task or action of a node; its script; a fault. In a state, at
// most one step of a line is possible. Two steps are dependent if one of the following is true:
// they are of one line; one of them wrote a part of the state that the other touched (see
// [state.Touched]); both changed what properties over several nodes take; or one sends a message to
// a node that the other makes begin or cease to take messages, because the node joins, leaves or
// fails. A handler that leaves its node as it was has not written it. Two steps that add messages
// to a set or bag, or take messages from it, depend on each other only if one takes what the other
// has sent.
//
// Each new step is compared with the steps before it. Suppose that it depends on an earlier one,
// and that no third step depends on the earlier one and is depended on by the new one. Then the two
// could have been taken the other way round. So the new step, or one that leads to it, is wanted in
// place of the earlier one, unless such a step is already wanted there. A step that was possible,
// and that another step makes impossible, is wanted in place of that one, since no later step shows
// that the two depend on each other.
//
// A line whose step was tried in a state is asleep from there on, until a step is taken that
// depends on the one that was tried. If all lines that have a step are asleep, the run was already
// taken in another order, and ends.
//
// All of this holds only if every run ends by itself. The steps that a run would take beyond a
// bound may depend on others, and if the run is cut, nobody knows. So nothing is claimed once a run
// was cut.
package sources
