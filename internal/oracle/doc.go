// Package oracle is a checker of its own: it says what a search must find, so
// that searches can be held to it. It is dumb and slow, shares no code with what
// it judges, and was written from the documents alone: README.md,
// ARCHITECTURE.md, the documentation of sim, netsim, macetime and internal/disk, and the
// transcripts in internal/world/testdata and netsim/testdata, whose sentences its own rules quote.
// One thing was read off the program, since no document has it, and is no second opinion: the
// words and the order of the answers about disks, and when they are asked.
//
// Package internal/spec draws random services as data. Two things are made of a
// spec, independently: a sim.System (there), and a [Model] of plain values, whose runs
// follow rules written here (state.go, tcp.go, step.go). [Model.Explore] visits all
// states breadth first, with a map and a queue (space.go). [Compare] searches the
// system in every mode and reports where a search differs from the model.
//
// # What is compared
//
// States and transitions; which properties are violated nearest to the start, how (safety,
// panic, dead) and how near; how far a search reports that it got; whether some state is dead,
// how near the nearest is; the critical step, if it is called exact; and every recorded path:
// its steps must be possible here, each among the same number of possible ones, and lead to the
// reported failure. All this is compared for each engine, for each way of keeping visited
// states, from the start and from a prefix, to the end of the space or to a depth.
// # Where the documents leave it open
//
// The oracle decides it as the nearest document suggests, and lists it here, since a search
// that does otherwise would be reported as wrong:
//
//   - Which coins fell in Init makes several states of start; starts are no
//     transitions.
//   - Lives are counted, and are part of the state, where there is a System.Script;
//     else nothing depends on them.
//   - A connection does not open across a one-way partition, in neither direction: its
//     request needs an answer.
//   - A connection across a partition may give up whether something waits on it or
//     not.
//   - While an error has yet to be heard of, what is queued behind it is neither
//     delivered nor refused.
//   - A datagram may be lost or doubled whether or not its receiver is up. It can be
//     taken out of order only by a receiver that is up.
//   - System.Crash makes the node that goes down for good, as it makes the one that crashes.
//   - A state outside Within or Assume counts as one from which a live state may be
//     reached, and its successors are not explored. So a state is dead only if no state
//     of either kind can be reached from it. An exact critical step is compared with the
//     truth: with the live states that can be reached, beyond Within too.
//   - A state that nothing but rare events leave, and that is not live, is found as
//     dead where it is met, inside Within or not. While a node is crashed or paused, there
//     is a partition, or early timers are limited and some timer is there, no state is
//     so: whether that is dead is decided where the space ends.
//   - A limit of a fault of links to a node is about what it sends itself too. A
//     one-way partition cuts off those who cannot reach the others, and a partition
//     either group.
//   - A node stores if there is something on its disk when its handler has returned, or
//     the handler wrote or synced. Then the handler may be cut off.
//   - What a handler that is cut off did to the node's memory stays, as far as
//     System.Crash keeps it.
//   - A pause keeps a node from whatever a handler of it would run for. A connection to
//     it may break, and a datagram that cannot reach it for a partition is dropped.
//   - A message on a slow link waits for whatever can happen but timers, faults and what
//     is in sets: for what nobody receives, and what is rare, too.
//   - A node that has not joined is no less live than one that left for good; nothing
//     can be wrong with it. A message to it is refused, or does not reach it.
//   - An opening that waits is of a script's own: no guard is asked about joining and
//     leaving.
//   - A node's latest reading is forgotten, except for the instants that it is not before.
//     It is kept if the node holds that instant, or if a timer is due exactly its length
//     after it.
//   - A timer that is set is an instant within its handler, as a reading is.
//   - A node starts even if a monitor failed at the start of another node. The first
//     failure is the one that is found.
//   - A weight of an answer about times counts where the question is a choice, and not
//     where the answer follows.
//   - A deletion of what is not there, and a cut that leaves all, are writes like others.
//   - A sync can fail even if it has nothing to sync. The damage by a crash is the last
//     choice, among all records then on the disk, torn ones and zeros too. The budget
//     that a failure of a disk used stays used if a crash cuts the handler off before it.
//   - Files are kept by their records: where one is cut, its part is a record, and so are
//     the zeros before an append that went farther.
//   - A write that was synced behind one whose sync failed is kept apart from what is
//     synced until that one's fate is known, and is certain.
//   - Where healing lifts the limit on early timers, what fails then is beyond the
//     space: liveness may be left undecided.
//
// # What is not compared
//
//   - A budget of crashes without end where lives are counted: the space has no end.
//   - What times are called in the question which of two is earlier: only the answer.
//     So a path that has such a question is not handed to a search as a prefix.
//   - All findings, where what follows when the environment has healed is far more than the
//     space: the search would not end.
//   - Walks, critical steps, and in the end liveness, where what follows the space
//     when the environment has healed is twenty times what is compared: settling them would
//     take long, and the oracle could not confirm the answer.
//   - Writes in any order, where a run ends as it starts: the option is refused, since no walk
//     sees a write.
//   - Failures that walks miss, since walks are samples. A failure that they find must exist.
//
// # What is not drawn
//
//   - Misuse, which has verdicts of its own: what is mutated, goroutines, handlers that do
//     not return, nondeterminism. A node that nobody can copy, which is searched by another engine
//     than was asked for.
//   - Parameters, known bugs, flaws of TCP, properties and findings that a search leaves
//     out, budgets that differ from what the system tolerates: these choose another system.
//   - Sometimes, pictures, explanations, weights but 0: they change no verdict.
//   - Coins of which not all answers are tried: see TestNothingIsProvedBySamples of search.
//   - Several layers on each other; more than three nodes.
package oracle
