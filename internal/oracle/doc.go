// Package oracle is a second, independent checker: it computes what a search must find, and tests
// compare searches with it. It is simple and slow, and shares no code with the searches. Its rules
// were written from the documents alone: README.md, ARCHITECTURE.md, the documentation of sim,
// netsim, macetime and internal/disk, and the transcripts in internal/world/testdata and
// netsim/testdata, whose sentences the rules quote. One thing was copied from the program, since no
// document has it, so it is not checked independently: the words and the order of the answers about
// disks, and when they are asked.
//
// Package internal/spec draws random services as data. Two things are made of a spec,
// independently: a sim.System (there), and a [Model] of plain values, whose runs follow rules
// written here (state.go, tcp.go, step.go). [Model.Explore] visits all states breadth first, with a
// map and a queue (space.go). [Compare] searches the system in every mode and reports where a
// search differs from the model.
//
// # What is compared
//
// States and transitions; which properties are violated nearest to the start, how (safety, panic,
// dead) and how near; how thorough a search claims to have been; whether some state is dead, and
// how near the nearest one is; the critical step, if it is called exact; and every recorded path:
// its steps must be possible here, each among the same number of possible ones, and lead to the
// reported failure. All this is compared for each engine, for each way of keeping visited states,
// from the start and from a prefix, to the end of the space or to a depth.
//
// # Where the documents leave it open
//
// In these cases the oracle decides as the nearest document suggests. A search that decides
// otherwise would be reported as wrong:
//
//   - Different answers to the coins in Init lead to different states of start. Starts are not
//     transitions.
//   - Lives are counted, and are part of the state, only if there is a System.Script; otherwise
//     nothing depends on them.
//   - A connection does not open across a one-way partition, in neither direction, since its
//     request needs an answer.
//   - A connection across a partition may break, whether a message waits on it or not.
//   - As long as a node has not received the error of a connection, the messages queued behind
//     the error are neither delivered nor refused.
//   - A datagram may be lost or doubled whether its receiver is up or not. It can overtake others
//     only if its receiver is up.
//   - System.Crash makes the node that goes down for good, as it makes the node that crashes.
//   - A state outside Within or Assume counts as one from which a live state may be reached, and
//     its successors are not explored. So a state is dead only if no such state and no live state
//     can be reached from it. An exact critical step is compared with the truth: with the live
//     states that can be reached, also beyond Within.
//   - A state that is not live, and from which only rare events are possible, is reported as dead
//     when it is reached, inside Within or not. That does not apply while a node is crashed or
//     paused, while there is a partition, or if early timers are limited and some timer is set:
//     whether such a state is dead is decided when the space is exhausted.
//   - If a fault of links is limited to a node, the limit covers messages from the node to itself,
//     too. A one-way partition cuts off the nodes that cannot reach the others, and a partition in
//     both directions cuts off either group.
//   - A node counts as one that stores if its disk has data when its handler has returned, or if
//     the handler wrote or synced. Only then a crash may cut the handler off.
//   - The changes that a handler which is cut off made to the node's memory stay, as far as
//     System.Crash keeps them.
//   - A pause prevents every event that would run a handler of the node. A connection to a paused
//     node may break, and a datagram that cannot reach it because of a partition is dropped.
//   - A message on a slow link waits as long as anything else can happen, except timers, faults
//     and deliveries from sets. It also waits for messages that nobody receives, and for rare
//     events.
//   - A node that has not joined does not keep a state from being live, just as a node that left
//     for good does not. A message to it is refused, or does not reach it.
//   - Opens is asked about the requests of a script only, and not about joining and leaving.
//   - When a handler has returned, the node's latest reading is forgotten, except that it is at or
//     after some instants. It is kept if the node holds that instant, or if a timer is due exactly
//     its length after it.
//   - Setting a timer is an instant of its handler, as a reading is.
//   - All nodes start, even if a monitor has reported a violation at the start of an earlier one.
//     The first failure is the one that is found.
//   - The weight of an answer about times counts only if the question is a choice, and not if the
//     answer follows from earlier ones.
//   - Deleting a key that does not exist is a write like others, and so is a truncation that
//     removes nothing.
//   - A sync can fail even if it has nothing to sync. The damage by a crash is the last choice,
//     among all records that are then on the disk, including torn ones and zeros. If a crash cuts
//     a handler off before a failure of the disk, the budget of that failure stays used.
//   - Files consist of records. If a record is cut, the rest of it is a record, and so are the
//     zeros before an append at a greater offset.
//   - A write that was synced after a write whose sync failed is certain, but is kept apart from
//     the synced data until the fate of the earlier write is known.
//   - If healing lifts the limit on early timers, failures after that are outside of the space:
//     liveness may be left undecided.
//
// # What is not compared
//
//   - Specs with an unlimited budget of crashes, if lives are counted: their spaces are infinite.
//   - The names of times in the question which of two times is earlier: only the answer is
//     compared. So a path that has such a question is not used as the prefix of a search.
//   - The list of all findings, if far more states follow healing than the space has: the search
//     would not end.
//   - Walks, critical steps, and in the end liveness, if twenty times as many states follow
//     healing as are compared: deciding about them would take long, and the oracle could not
//     confirm the answer.
//   - Writes that survive in any order, if a run ends as it starts: the option is refused, since
//     no walk sees a write.
//   - Failures that walks miss, since walks are samples. But a failure that they find must exist.
//
// # What is not drawn
//
//   - Misuse, which has verdicts of its own: values that are changed after they were passed on,
//     goroutines, handlers that do not return, nondeterminism. Nor nodes that cannot be copied,
//     which are searched by another engine than was asked for.
//   - Parameters, known bugs, flaws of TCP, properties and findings that a search leaves out,
//     budgets that differ from System.Tolerates: these select another system.
//   - Sometimes properties, pictures, explanations, and weights other than 0: they change no
//     verdict.
//   - Coins of which not all answers are tried: see TestNothingIsProvedBySamples of search.
//   - Several layers on each other; more than three nodes.
package oracle
