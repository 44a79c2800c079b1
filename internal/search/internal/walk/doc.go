// Package walk has the random runs, called walks: what each of them will be, and how it goes. A walk
// may begin with a storm, which is a number of steps in which faults happen; then it
// ends, or the environment heals and the walk is judged for liveness. A lot is a range of walks that
// may be taken at the same time, and a suspect is a walk that was not live for too long. A
// [Strategy] makes the [Plan] of a walk from its number alone: which [Picker] picks its
// events, how its storm goes and when it heals, where it begins, and how long it may take.
// A [Walk] carries the plan out, as a strategy of the one loop, and reports how it went. A
// [Guide] picks events before the walk is judged: in chains of causes, or by weights that
// are distorted for the walk, with each fault at a time of its own. A [Corpus] keeps states
// that walks have met, from which others start; it grows only between lots, in the order of
// the walks.
//
// To add a way of walking, write a Strategy, and a Picker if events should not be picked by
// weight. Neither may depend on time, on the goroutine, or on earlier walks: then one seed
// gives one finding, whatever the number of workers.
//
// Package search decides how many walks are taken, by which goroutine, and what their ends
// mean.
package walk
