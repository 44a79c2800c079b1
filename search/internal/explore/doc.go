// Package explore is the room of states that are kept: it takes each step of each
// state once, level by level, from states that are packed vectors of numbers
// (ledger.go).
//
// A [Taker] takes the steps of states by a [Stepper], in the world or by a [Memo]
// that runs a handler only on what it has not seen before (memo.go, cache.go,
// footprint.go), and tells a [Visitor] where they lead. The [Explorer] is the visitor
// of what is new: it judges each new state once, audits a share of the steps, and
// tests that states which are taken for one do alike (duplicate.go, repeat.go).
//
// Each goroutine has a taker, a world and an [Entry] of its own; the [Ledger], the
// parts of states and the lists of answers are common. What goes wrong leaves as a
// [Wrong]; what it means, the [Owner] knows, which is the search.
package explore
