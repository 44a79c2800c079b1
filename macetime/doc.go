// Package macetime defines the instants that a service reads, moves and compares, and keeps what
// is known about their order.
//
// # Start here
//
// A service reads its clock with Env.Now, moves an instant with Time.Add, and asks
// Env.Before which of two instants comes first:
//
//	n.until = env.Now().Add(lease)
//	...
//	if env.Before(env.Now(), n.until) { ... } // the lease still holds
//
// Everything else is for code that runs services.
//
// # Instants have no numbers
//
// A [Time] is a plain value that a node may keep, and move by durations. Only Env.Before
// compares two of them. In the simulator an instant has no number: it is a name, and a
// comparison is a question like any other. A [Clock] keeps what the answers so far imply,
// and reports which answers are still possible. So a run takes an outcome only if some real
// clock could have shown it, and implied answers are not asked. A Clock never picks an
// answer.
//
// # The known order
//
// All that is known of a clock in advance is that it never runs backwards: each reading is
// at or after all earlier ones, and any time may pass between two. Each answer adds a bound
// on the difference of two instants. So the Clock of a node is a closed difference-bound
// matrix over its instants: every bound that follows from the others is written out.
// Instants are dense, so there may be another one between any two. Clocks that count
// nanoseconds come close enough.
//
// When a handler has returned, the node's Times are renumbered in the order in which the
// walk of its state meets them, and instants that the node no longer holds are projected
// out ([Clock.Settle]). So two nodes with the same knowledge have the same state.
//
// # Words
//
//   - instant: a point of a node's time. Each reading is one.
//   - last: the latest reading. Every later reading is at or after it.
//   - bound: the most by which one instant can be after another, included or excluded.
//   - [Monotone]: a reading of which only the order counts. Two of them compare
//     exactly. They are renumbered, in their order, when a handler has returned, so counting does
//     not make the number of states grow.
package macetime
