// Package fair decides whether a finite graph of states has a fair run that is hot for ever
// from some point on. A state is hot if something is still waited for in it, and cold otherwise.
// Each edge has the action that it takes (the delivery of the first message of a channel, a task,
// a timer) and the marked choices that it answers. The result is such a run, if there is one, as a
// [Lasso]: the steps that lead into a cycle, and the steps of the cycle.
//
// # Words
//
//   - weakly fair: an action that is enabled from some point on is taken again and again. It is
//     enabled in a state if an edge of the state takes it.
//   - marked choice: a choice of the service, such as a coin, for which the caller requires that each
//     of its answers comes up.
//   - strongly fair: a marked choice that is asked again and again is answered again and
//     again in each of its ways.
//   - unfair: an action that need not happen although it is always enabled, such as a fault or a request.
//
// A run that ends in a state where only unfair actions are enabled is fair, and hot for
// ever if that state is hot.
//
// # Algorithm
//
// Only hot states may be on the cycle. In a strongly connected component of hot states, the
// run that takes all edges for ever is the fairest. If it lacks an action that is enabled
// in all states of the component, so does every run of a part of it. If it lacks an answer
// to a choice that it asks, the edges that ask the choice are removed, and the rest is
// split into components again.
package fair
