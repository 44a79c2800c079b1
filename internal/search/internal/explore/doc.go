// Package explore keeps states: it takes each step of each state once, level by level, from
// states that are packed vectors of numbers (ledger.go).
//
// A [Taker] takes the steps of states by a [Stepper], in the world or by a [Memo], which
// runs a handler only for a footprint that it has not seen before (memo.go, cache.go,
// footprint.go). It passes the resulting states to a [Visitor]. The [Explorer] is the
// visitor for new states: it judges each new state once, audits a share of the steps, and
// tests that states which are taken for one do the same (duplicate.go, repeat.go).
//
// With a Reduction the explorer takes only some events of a state (reduce.go). Its parts are: which events are
// pending in a state (situation.go), which of them suffice there (answer.go), what the steps that were
// taken show about the events (observe.go), and the steps that have to be taken after all (mend.go).
//
// Each goroutine has a taker, a world and an [Entry] of its own; the [Ledger], the parts of
// states, the lists of answers and what memos have learnt are shared. A failure of the service is returned as a
// [Wrong]. The [Owner], which is the search, makes a finding of it.
package explore
