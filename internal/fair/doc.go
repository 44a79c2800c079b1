// Package fair decides whether a finite graph of states has a fair run that is hot for ever.
//
// A graph enters: states that are hot or cold, and edges, each with the action that
// it takes (a head of a channel, a task, a timer) and the marked choices that it
// answers. Out comes a Lasso, a way into a cycle and the cycle, or that there is none.
//
// # Words
//
//   - weakly fair: an action that is enabled from some point on is taken again and again. It is enabled
//     where an edge takes it.
//   - strongly fair: a marked choice that is asked again and again is answered again and
//     again in each of its ways.
//   - unfair: what need not happen though it is always enabled, such as a fault or a request.
//   - A run that ends where nothing but that is enabled is fair, and hot for ever if its last state is hot.
//
// # How
//
// Only hot states may be on a cycle. Of a strongly connected component of them the run that takes
// all of its edges for ever is the fairest: if it lacks an action that is enabled in all of its
// states, so does every part of it. If it lacks an answer to a choice that it asks, the
// edges that ask it are taken out, and what is left falls into components again.
package fair
