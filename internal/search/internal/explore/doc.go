// Package explore visits all states of a system: it stores each state, and takes each step of each
// state once. It goes level by level; a level is all states at the same distance from the start.
//
// A state has places: one for each node, for each channel of messages, for the budgets of faults,
// and so on. What is at a place is a part. A [world.Bank] stores the distinct parts and numbers
// them, so a state is a vector of numbers, which is packed to be stored (ledger.go). The identity of
// a state is the sum of the hashes of its parts. To expand a state is to take its steps.
//
// A [Taker] takes the steps of states by a [Stepper]: in the world, or by a [Memo]. The footprint of
// a step is the parts that it touches or asks about, and a memo runs a handler only for a footprint
// that it has not seen before (memo.go, cache.go, footprint.go). The position is the state that a
// memo expands. A taker passes the resulting states to a [Visitor]. The [Explorer] is the visitor
// for new states: it judges each new state once, audits a share of the steps, and tests that
// different runs to the same state go on in the same way (duplicate.go, repeat.go).
//
// A coin is any choice in the middle of a step, such as a toss of the handler or what a crash leaves
// on a disk; a list of answers has the answer to each coin of a step. A twin is a second node with the
// same identity as one in the bank: both must do the same. A step to a state that is known already is
// a duplicate.
//
// With a Reduction the explorer takes only some events of a state (reduce.go). The situation of a
// state is the kinds of events that are pending in it, with the kind of each channel's first message
// and the nodes that have failed or may fail (situation.go). An answer says which kinds
// suffice in a situation (answer.go). The steps that were taken show facts about kinds of events
// (observe.go), because of which steps that were left out may have to be taken after all (mend.go).
//
// Each goroutine has a taker, a world and an [Entry] of its own; the [Ledger], the parts of
// states, the lists of answers and what memos have learnt are shared. A failure of the service is returned as a
// [Wrong]. The [Owner], which is the search, makes a finding of it.
package explore
