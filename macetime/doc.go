// Package macetime is the room of time: the instants that a service reads, moves
// and compares, and what is known of them.
//
// # Start here
//
// A service reads its clock by Env.Now, moves what it read by Time.Add, and asks
// Env.Before which of two comes first:
//
//	n.until = env.Now().Add(lease)
//	...
//	if env.Before(env.Now(), n.until) { ... } // the lease still holds
//
// The rest is for who runs services.
//
// # What enters and what leaves
//
// A [Time] is a plain value that a node may keep, and moves by durations. Which of
// two came first only Env.Before says: under the simulator an instant has no
// number, it is a name, and the comparison a question like every other. A [Clock]
// keeps what the answers so far have settled, and says which answers are still
// possible: so a run takes an outcome only if some clock could have shown it, and
// what is implied is not asked. It picks none.
//
// # What is known
//
// Of a clock nothing is known but that it does not go backwards: each reading is
// at or after all earlier ones, and between two of them any time may pass. What was
// answered adds a bound to the difference of two instants. So the Clock of a node
// is a closed difference-bound matrix over its instants: every bound that follows
// from the others stands there. Instants lie dense: between any two there may be
// another, which clocks that count nanoseconds come close enough to.
//
// When its handler has returned, a node's Times are numbered in the order in which
// the walk of its state meets them, and instants that nobody holds any more are
// projected out ([Clock.Settle]). Two nodes of one meaning then have one state.
//
// # Words
//
//   - instant: a point of a node's time. A reading makes one.
//   - last: the latest reading. What is read later lies at or after it.
//   - bound: the most that one instant can be after another, or just below that.
//   - [Monotone]: a reading that only tells what was read before what. Two
//     compare exactly; when a handler has returned they are numbered anew, in
//     their order, so counting them does not make states grow.
package macetime
